"""Runs of every kind: list, follow, stop, resume, delete."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Literal

from fastapi import Depends, Query, Request, Response
from fastapi.sse import EventSourceResponse

from dramaturg.kernel.runs.events import Audience
from dramaturg.kernel.store import Status
from dramaturg.scenes.wire import SceneResult
from dramaturg.server.http.bodies import RunDetail, RunList, RunReference, RunSummary
from dramaturg.server.http.deps import ID_PATTERN, OpenStudio, RunId, no_private_run
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.http.sse import COMPLETE, EventStream, LastEntry, LastEntryByName, LastEntryInQuery, streamed
from dramaturg.server.http.streams import RUN_STREAM, run_stream
from dramaturg.server.push.websocket import relay_of
from dramaturg.server.run_pages import public_runs
from dramaturg.voices.sound_files import delete_sound

router = api_router(prefix="/v1/runs", tags=["runs"], dependencies=[Depends(no_private_run)])


async def run_events(
    run_id: RunId,
    studio: OpenStudio,
    after: LastEntryInQuery = 0,
    in_query: LastEntryByName = None,
    last_event_id: LastEntry = None,
    audience: Annotated[
        Literal["public", "author"],
        Query(description="`public` for what an audience sees; `author` for every entry, hidden ones included"),
    ] = "public",
    previews: Annotated[bool, Query(description="also send the lines of a scene while they are written")] = False,
) -> EventStream:
    after = next((last for last in (last_event_id, in_query) if last is not None), after)
    seen_by: Audience = "public" if audience == "public" else "hidden"
    return await run_stream(studio, run_id, after, seen_by, previews=previews)


@router.get("", summary="List the runs", responses=declared_errors(404, 422))
async def list_runs(
    studio: OpenStudio,
    kind: Annotated[str | None, Query(max_length=40, description="only runs of this kind", examples=["scene"])] = None,
    status: Annotated[Status | None, Query(description="only runs with this status")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="the maximum number of runs")] = 50,
    before: Annotated[
        str | None, Query(pattern=ID_PATTERN, description="only older runs than this one, such as `next` of a list")
    ] = None,
) -> RunList:
    """Newest first. Sessions of episodes belong to their players and are not listed.

    Among thousands of them a list may be shorter, and `next` goes on.
    """
    newer = await studio.runs.get(before) if before else None
    found = await public_runs(studio.runs, limit, kind=kind, status=status, before=newer)
    listed = tuple(RunSummary.of(record, studio.runs.kind_of(record)) for record in found.records)
    return RunList(runs=listed, next=found.next)


@router.get("/{run_id}", summary="Get a run", responses=declared_errors(404, 422))
async def get_run(run_id: RunId, studio: OpenStudio) -> RunDetail:
    """The run's status, and the metadata of its performance so far."""
    run, kind = await studio.runs.open_with_kind(run_id)
    result = kind.result(run)
    metadata = result.metadata if isinstance(result, SceneResult) else None
    return RunDetail(**RunSummary.of(run.record, kind).model_dump(), seq=run.seq, metadata=metadata)


@router.get(
    "/{run_id}/events",
    summary="Follow a run",
    response_class=EventSourceResponse,
    responses={**RUN_STREAM, **COMPLETE, **declared_errors(404, 422, json=False)},
)
async def follow_run(events: Annotated[EventStream, streamed(run_events)]) -> EventStream:
    """The entries of a run as Server-Sent Events: those it has, then new ones as they are written.

    By default these are the public ones; with `audience=author` all of them, as the log has them.

    With `previews=true`, events named `preview` have the words of a line that a model is still writing, all of them
    each time. They are not stored and have no id; the line itself comes as an entry, as always.

    The stream ends with the run. A client that loses its connection resumes with `Last-Event-ID` (browsers do so by
    themselves) and misses nothing. A comment is sent after every 15 idle seconds.
    """
    async for event in events:
        yield event


@router.post("/{run_id}/cancel", summary="Stop a run", responses=declared_errors(404, 409, 422))
async def cancel_run(run_id: RunId, studio: OpenStudio) -> RunSummary:
    """Stop a run, whichever process plays it; it can be resumed. A run that has ended is not changed."""
    record = await studio.cancel(run_id)
    return RunSummary.of(record, studio.runs.kind_of(record))


@router.post("/{run_id}/resume", status_code=202, summary="Resume a run", responses=declared_errors(404, 409, 422))
async def resume_run(run_id: RunId, request: Request, response: Response, studio: OpenStudio) -> RunReference:
    """Continue a run that was stopped or has failed. No model call that was paid for is repeated."""
    performance = await studio.adopt(run_id)
    if performance.kind is studio.ensemble.kind:
        relay_of(request).follow(performance.id, performance.run.entries)
    studio.start(performance)
    started = RunReference.of(performance.run.record, performance.kind)
    response.headers["Location"] = started.links.me
    return started


@router.delete("/{run_id}", status_code=204, summary="Delete a run", responses=declared_errors(404, 409, 422))
async def delete_run(
    run_id: RunId,
    studio: OpenStudio,
    keep_audio: Annotated[bool, Query(description="false: delete what was recorded, too")] = True,
) -> None:
    """Delete a run and its log, but not its forks or its other files. Refused while it is being played.

    Sound that a run shares with another, as with an imported copy, stays.
    """
    planned = await studio.plan_deletions([run_id])
    await studio.delete(run_id)
    folders = [one.folder for one in planned if one.folder and not one.shared and not keep_audio]
    for folder in folders:
        await to_thread(delete_sound, studio.artifacts, folder)
