"""What goes in and out over HTTP, beyond the values of the capabilities. Outward names are camelCase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from dramaturg.kernel.store import RunRecord, Status
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.wire import SceneMetadata

EXAMPLE_RUN = "1mkq8zt4c0v7hxw3rn"


class Problem(WireValue):
    """What went wrong: a stable code, a sentence with the way out, the facts behind it."""

    code: str = Field(description="for programs; see the reference of errors", examples=["NOT_FOUND"])
    message: str = Field(description="for people: what, where and the way out")
    context: Mapping[str, JsonValue] = Field(default_factory=dict, description="the facts behind the message")


class Refused(WireValue):
    """Every answer that is not a success has this shape."""

    success: Literal[False] = False
    error: Problem


class Links(WireValue):
    """Where to go on from a run. Paths, relative to this server."""

    me: str = Field(alias="self", description="how the run stands")
    events: str = Field(description="follow it live, or read it again, as Server-Sent Events")
    transcript: str = Field(description="the scene as people read it")
    result: str = Field(description="transcript and metadata for programs")
    costs: str = Field(description="tokens and money")
    cancel: str = Field(description="POST: stop it; it can be resumed")
    resume: str = Field(description="POST: play on a run that was stopped")
    fork: str = Field(description="POST: a new run from one of its beats")
    why: str = Field(description="why a line was said; add its number, or event:1, note:1, end")
    exports: str = Field(description="the scene for another program; add fountain, vtt, markdown, html or json")
    ablation: str | None = Field(None, description="what a test of a line has found; of such a run alone")

    @classmethod
    def of(cls, record: RunRecord) -> Links:
        base = f"/v1/runs/{record.id}"
        ways = ("events", "transcript", "result", "costs", "cancel", "resume", "fork", "why", "exports")
        tested = {"ablation": f"{base}/ablation"} if record.kind == "why" else {}
        return cls.model_validate({"self": base, **{way: f"{base}/{way}" for way in ways}, **tested})


class StartedRun(WireValue):
    """A run that is on its way."""

    run: str = Field(description="the id of the run", examples=[EXAMPLE_RUN])
    status: Status = Field(description="how it stands")
    links: Links

    @classmethod
    def of(cls, record: RunRecord) -> StartedRun:
        return cls(run=record.id, status=record.status, links=Links.of(record))


class RunSummary(WireValue):
    """What the register knows of a run. Times are seconds since 1970."""

    run: str = Field(description="the id of the run", examples=[EXAMPLE_RUN])
    kind: str = Field(description="which capability played it", examples=["scene"])
    name: str = Field(description="what was played", examples=["the-second-signature"])
    status: Status = Field(description="playing, ended by itself, stopped by somebody, or failed")
    seed: int
    created_at: float
    updated_at: float
    parent: str | None = Field(None, description="the run this one was forked from")
    forked_at: int | None = Field(None, description="the last entry it shares with its parent")
    links: Links

    @classmethod
    def of(cls, record: RunRecord) -> RunSummary:
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
            links=Links.of(record),
        )


class RunDetail(RunSummary):
    """A run and what has come of it so far."""

    seq: int = Field(description="the number of its newest entry")
    metadata: SceneMetadata | None = Field(None, description="the facts of the performance, so far")


class RunList(WireValue):
    """Newest first."""

    runs: tuple[RunSummary, ...]


class ForkRequest(WireValue):
    """Where a run is forked, and what is said to the cast as it goes on."""

    beat: int = Field(ge=0, description="the last beat that both runs share", examples=[3])
    note: str = Field("", max_length=2000, description="a word to the whole cast, in place of the moderator's")
    model: str | None = Field(None, description="who plays from here on; the same as before if not set")


class Health(WireValue):
    """The server is up and its store can be read."""

    status: Literal["ok"] = "ok"
    version: str
