"""Runs over HTTP, of whatever kind: found, followed, stopped, resumed, deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from dramaturg.episodes.parlour import EPISODE
from dramaturg.kernel.errors import StoreError
from dramaturg.kernel.store import Status
from dramaturg.scenes.wire import PublicEntry
from dramaturg.server.deps import OpenStudio, RunId, no_private_run
from dramaturg.server.errors import NothingNewError, refusals
from dramaturg.server.wire import RunDetail, RunList, RunSummary, StartedRun
from dramaturg.studio import SCENE, Studio

router = APIRouter(prefix="/v1/runs", tags=["runs"], dependencies=[Depends(no_private_run)])
LAST_SEQ = 2**31 - 1
_ENTRY = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "description": "the number of the entry"},
        "event": {"type": "string", "description": "the type of its event"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": f"#/components/schemas/{PublicEntry.__name__}"},
        },
    },
}
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "model": PublicEntry,
        "description": "`id` is the entry's number, `event` its type, `data` the entry.",
        "content": {EventSourceResponse.media_type: {"itemSchema": _ENTRY}},
    },
    204: {
        "description": "The run is over and nothing follows the entry that was named; there is no need to ask again."
    },
}


@dataclass(frozen=True, slots=True)
class Follower:
    """Who follows a run: which one, and the last entry already known."""

    run_id: str
    after: int


async def follower(
    run_id: RunId,
    studio: OpenStudio,
    after: Annotated[int, Query(ge=0, le=LAST_SEQ, description="the last entry already known")] = 0,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=LAST_SEQ, description="the same, as browsers send it when they connect again")
    ] = None,
) -> Follower:
    """Settled before the stream begins, so that what is wrong is said with a status."""
    record = await studio.runs.get(run_id)
    known = after if last_event_id is None else last_event_id
    if known and record.status != "playing" and not await _has_more(studio, record.id, known):
        raise NothingNewError
    return Follower(record.id, known)


async def _has_more(studio: Studio, run_id: str, after: int) -> bool:
    async for _ in studio.runs.tail(run_id, after):
        return True
    return False


@router.get("", summary="What was played here", responses=refusals(422))
async def list_runs(
    studio: OpenStudio,
    kind: Annotated[str | None, Query(max_length=40, description="only of this kind", examples=["scene"])] = None,
    status: Annotated[Status | None, Query(description="only those that stand so")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="how many at most")] = 50,
) -> RunList:
    """Newest first. Sessions of episodes are their players' and not listed."""
    records = await studio.runs.find(kind=kind, status=status, limit=limit)
    return RunList(runs=tuple(RunSummary.of(record) for record in records if record.kind != EPISODE))


@router.get("/{run_id}", summary="How a run stands", responses=refusals(404, 422))
async def get_run(run_id: RunId, studio: OpenStudio) -> RunDetail:
    """The record of a run, and the metadata of its performance so far."""
    run = await studio.runs.open(run_id)
    metadata = studio.result(run).metadata if run.kind == SCENE else None
    return RunDetail(**RunSummary.of(run.record).model_dump(), seq=run.seq, metadata=metadata)


@router.get(
    "/{run_id}/events",
    summary="Follow a run",
    response_class=EventSourceResponse,
    responses={**STREAM, **refusals(404, 422, json=False)},
)
async def follow_run(
    follower: Annotated[Follower, Depends(follower)], studio: OpenStudio
) -> AsyncIterator[ServerSentEvent]:
    """The public entries of a run as Server-Sent Events: those it has, then new ones as they happen.

    The stream ends when the run does. Who was cut off connects again with `Last-Event-ID` (browsers do so by
    themselves) and misses nothing. A comment is sent every 15 seconds in which nothing happens.
    """
    try:
        async for entry in studio.runs.tail(follower.run_id, follower.after, audience="public"):
            data = entry.model_dump_json(by_alias=True)
            yield ServerSentEvent(id=str(entry.seq), event=entry.event.type, raw_data=data)
    except StoreError:
        # The headers are out; who connects again is told with a status.
        return


@router.post("/{run_id}/cancel", summary="Stop a run", responses=refusals(404, 409, 422))
async def cancel_run(run_id: RunId, studio: OpenStudio) -> RunSummary:
    """Stop a run that is played by this server; it can be resumed. A run that is over stays as it is."""
    return RunSummary.of(await studio.cancel(run_id))


@router.post("/{run_id}/resume", status_code=202, summary="Play on", responses=refusals(404, 409, 422))
async def resume_run(run_id: RunId, response: Response, studio: OpenStudio) -> StartedRun:
    """Play on a run that was stopped or failed. Nothing that was paid for is asked again."""
    run = await studio.adopt(run_id)
    studio.start(run)
    started = StartedRun.of(run.record)
    response.headers["Location"] = started.links.me
    return started


@router.delete("/{run_id}", status_code=204, summary="Delete a run", responses=refusals(404, 409, 422))
async def delete_run(run_id: RunId, studio: OpenStudio) -> None:
    """Remove a run and its log. Forks of it stay, and so do its files. Refused while it is being played."""
    await studio.delete(run_id)
