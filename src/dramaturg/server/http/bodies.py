"""Request and response bodies shared by several routes. JSON keys are camelCase."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from operator import not_
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue

from dramaturg.kernel.runs import Kind
from dramaturg.kernel.store import RunRecord, Status
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.wire import SceneMetadata

EXAMPLE_RUN = "1mkq8zt4c0v7hxw3rn"


def _sendable(value: object) -> object:
    """A value that JSON can say, whatever it was that a client sent or a file was called."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_sendable(one) for one in value]
    if isinstance(value, Mapping):
        return {_sendable(key): _sendable(one) for key, one in value.items()}
    return value


class ErrorDetail(WireValue):
    """A stable code, a message for people, and the facts behind it."""

    code: str = Field(description="for programs; see the error reference", examples=["NOT_FOUND"])
    message: Annotated[str, BeforeValidator(_sendable)] = Field(
        description="for people: what is wrong, where, and how to fix it"
    )
    context: Annotated[Mapping[str, JsonValue], BeforeValidator(_sendable)] = Field(
        default_factory=dict, description="the facts behind the message"
    )
    type: str = Field(
        "", description="where OpenAI's protocol is spoken: its name for the kind of error", exclude_if=not_
    )
    param: str | None = Field(None, description="there, the field that is wrong", exclude_if=not_)


class ErrorBody(WireValue):
    """The body of every error response."""

    success: Literal[False] = False
    error: ErrorDetail


AnyKind: TypeAlias = Kind[Any, Any]


class RunLinks(WireValue):
    """Where a run can be read and changed; null for what runs of its kind do not have. Relative to this server."""

    me: str = Field(alias="self", description="the run and its status")
    events: str = Field(description="the run's events as Server-Sent Events, from the first one on")
    transcript: str | None = Field(None, description="a scene, an act or a session as people read it")
    result: str | None = Field(None, description="transcript and metadata for programs; of a scene")
    costs: str = Field(description="tokens and money")
    cancel: str = Field(description="POST: stop the run; it can be resumed")
    resume: str = Field(description="POST: continue a run that was stopped")
    fork: str | None = Field(None, description="POST: start a new run from one of its beats; of a scene")
    why: str | None = Field(None, description="why a line was said; append its number, or event:1, note:1, end")
    exports: str | None = Field(
        None,
        description="it as a file; append fountain, vtt, markdown, html or json (a session: md, txt, vtt, srt, json)",
    )
    ablation: str | None = Field(None, description="the result of testing a line; only for such a test")

    @classmethod
    def of(cls, record: RunRecord, kind: AnyKind) -> RunLinks:
        base = f"/v1/runs/{record.id}"
        views = ("events", "costs", "cancel", "resume")
        return cls.model_validate({"self": base, **{view: f"{base}/{view}" for view in (*views, *kind.views)}})


class RunReference(WireValue):
    """A run that has been started: its id, its status and where to follow it."""

    run: str = Field(description="the id of the run", examples=[EXAMPLE_RUN])
    status: Status = Field(description="the run's status")
    links: RunLinks

    @classmethod
    def of(cls, record: RunRecord, kind: AnyKind) -> RunReference:
        return cls(run=record.id, status=record.status, links=RunLinks.of(record, kind))


class RunSummary(WireValue):
    """A run as it is listed. Times are seconds since 1970."""

    run: str = Field(description="the id of the run", examples=[EXAMPLE_RUN])
    kind: str = Field(description="the kind of run", examples=["scene"])
    name: str = Field(description="what was played", examples=["the-second-signature"])
    status: Status = Field(description="playing, ended by itself, stopped on request, or failed")
    seed: int
    created_at: float
    updated_at: float
    parent: str | None = Field(None, description="the run this one was forked from")
    forked_at: int | None = Field(None, description="the number of the last entry it shares with its parent")
    links: RunLinks

    @classmethod
    def of(cls, record: RunRecord, kind: AnyKind) -> RunSummary:
        return cls(
            run=record.id,
            kind=record.kind,
            name=record.name,
            status=record.status,
            seed=record.seed,
            created_at=record.created_at,
            updated_at=record.updated_at,
            parent=record.parent_id,
            forked_at=record.forked_at,
            links=RunLinks.of(record, kind),
        )


class RunDetail(RunSummary):
    """A run and its metadata so far."""

    seq: int = Field(description="the number of its newest entry")
    metadata: SceneMetadata | None = Field(None, description="the metadata of the performance so far")


class RunList(WireValue):
    """Runs, newest first."""

    runs: tuple[RunSummary, ...]
    next: str | None = Field(
        None, description="what to ask for the older ones with, as `before`; null if there are none"
    )


class ForkRequest(WireValue):
    """Where to fork a run, and what changes from there on."""

    beat: int = Field(ge=0, description="the last beat that both runs share", examples=[3])
    note: str = Field("", max_length=2000, description="a note to the whole cast, in place of the moderator's")
    model: str | None = Field(None, description="the model that plays from here on; unchanged if not set")
    goal: str | None = Field(None, max_length=4000, description="another goal from here on")
    cards: Mapping[str, str] = Field(
        default_factory=dict, max_length=5, description="the text of another card, by the name of its character"
    )
    cast: tuple[str, ...] | None = Field(
        None, max_length=5, description="who plays on; the others leave, and new names of the project's cards enter"
    )


class Health(WireValue):
    """The server is up and its store can be read."""

    status: Literal["ok"] = "ok"
    version: str
