"""Acts: list them, play one, read its result, play it again from one of its scenes."""

from __future__ import annotations

from fastapi import Request, Response
from pydantic import Field

from dramaturg.kernel.store import RunRecord, Status
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.acts.act import ActListing, act_listings, named_act
from dramaturg.scenes.acts.wire import ActResult
from dramaturg.server.http.bodies import EXAMPLE_RUN
from dramaturg.server.http.deps import IdempotencyKey, OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.idempotency import started_once
from dramaturg.server.http.redaction import redactor_of
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/acts", tags=["acts"])


class NewAct(WireValue):
    """An act of this project, named after its file in `acts/`."""

    act: str = Field(min_length=1, max_length=80, examples=["the-lost-umbrella"])
    model: str | None = Field(None, description="the model that plays: provider/model, a provider, or 'rehearsal'")
    seed: int | None = Field(None, description="the seed of every scene, instead of their own")


class ActFork(WireValue):
    """Where to fork an act, and what changes from there on."""

    scene: int = Field(ge=1, description="the scene to play again from its beginning, as they are counted")
    model: str | None = Field(None, description="the model that plays from here on; unchanged if not set")
    seed: int | None = Field(None, description="the seed from here on; unchanged if not set")


class ActList(WireValue):
    """The act files of this project, sorted by name."""

    acts: tuple[ActListing, ...]


class ActLinks(WireValue):
    """Where an act can be read and changed. Paths are relative to this server."""

    me: str = Field(alias="self", description="the run and its status")
    events: str = Field(description="its events; each scene that begins names its own run, to be followed likewise")
    result: str = Field(description="the transcript, how each scene ended, and what it cost")
    cancel: str = Field(description="POST: stop the act and the scene that is played; it can be resumed")
    resume: str = Field(description="POST: continue an act that was stopped")
    fork: str = Field(description="POST: play it again from one of its scenes")


class ActReference(WireValue):
    """An act that has been started: the id of its run, its status and where to follow it."""

    run: str = Field(description="the id of the run", examples=[EXAMPLE_RUN])
    status: Status = Field(description="the run's status")
    links: ActLinks


@router.get("", summary="List the acts")
def list_acts(studio: OpenStudio) -> ActList:
    """Every file in `acts/`, including those that cannot be played, with the reason."""
    redactor = redactor_of(studio)
    found = act_listings(studio.settings.project)
    return ActList(
        acts=tuple(
            one.model_copy(update={"problem": redactor.text(one.problem)}) if one.problem else one for one in found
        )
    )


@router.post(
    "",
    status_code=202,
    summary="Play an act",
    responses={
        202: {"description": "The act has started; `Location` is its address."},
        **declared_errors(404, 413, 422, 502, 503),
    },
)
async def play_act(
    act: NewAct, request: Request, response: Response, studio: OpenStudio, idempotency_key: IdempotencyKey = None
) -> ActReference:
    """Start an act of this project and return at once.

    Every scene, its cards, models and conditions are checked first; if any is invalid, nothing is started.
    """

    async def start(run_id: str | None, about: str) -> RunRecord:
        config = named_act(studio.settings.project, act.act)
        opened = await studio.acts.open(config, model=act.model, seed=act.seed, run_id=run_id, about=about)
        studio.start(opened)
        return opened.record

    record = await started_once(request, studio, studio.acts.kind, act, idempotency_key, start)
    return _started(record, response)


@router.get("/{run_id}", summary="Get the result of an act", responses=declared_errors(404, 422))
async def get_act(run_id: RunId, studio: OpenStudio) -> ActResult:
    """One transcript of all scenes so far, and how each of them ended. `success` is false until the act has ended."""
    return studio.acts.result(await studio.acts.open_run(run_id))


@router.post(
    "/{run_id}/fork",
    status_code=202,
    summary="Fork an act at a scene",
    responses={
        202: {"description": "The act has started; `Location` is its address."},
        **declared_errors(404, 413, 422, 502, 503),
    },
)
async def fork_act(run_id: RunId, fork: ActFork, response: Response, studio: OpenStudio) -> ActReference:
    """Start a new act that shares the scenes before this one. The original does not change."""
    forked = await studio.acts.fork(run_id, fork.scene, model=fork.model, seed=fork.seed)
    studio.start(forked)
    return _started(forked.record, response)


def _started(record: RunRecord, response: Response) -> ActReference:
    me, act = f"/v1/runs/{record.id}", f"/v1/acts/{record.id}"
    response.headers["Location"] = me
    links = {
        "self": me,
        "events": f"{me}/events",
        "result": act,
        "cancel": f"{me}/cancel",
        "resume": f"{me}/resume",
        "fork": f"{act}/fork",
    }
    return ActReference(run=record.id, status=record.status, links=ActLinks.model_validate(links))
