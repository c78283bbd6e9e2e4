"""The ensemble over HTTP: ask it, read what came of it, begin anew. `sessions.py` follows its sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BeforeValidator, Field

from dramaturg.ensemble.artifacts import manifest_path
from dramaturg.ensemble.kiosk import KIND
from dramaturg.ensemble.request import DEFAULT_KIOSK, ChatRequest, request_from
from dramaturg.ensemble.wire import SessionEvent, event_number, sent_events
from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreError
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.audioplay.listening import Listening
from dramaturg.server.audio import ROOT, SOUND, sound_file
from dramaturg.server.deps import OpenStudio, RunId
from dramaturg.server.errors import NothingNewError, refusals
from dramaturg.server.stage import Stage
from dramaturg.server.wire import RunSummary
from dramaturg.studio import Studio

router = APIRouter(prefix="/v1", tags=["ensemble"])
RETRY_MS = 3000
RESET = "stream.reset"

_EVENT = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "description": "`<sessionId>:<seq>`"},
        "event": {"type": "string", "description": "the name of the event, which `data` repeats"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": f"#/components/schemas/{SessionEvent.__name__}"},
        },
    },
}
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "model": SessionEvent,
        "description": "`id` is `<sessionId>:<seq>`, `event` its name, `data` one JSON object in one line.",
        "content": {EventSourceResponse.media_type: {"itemSchema": _EVENT}},
    }
}
OVER: dict[int | str, dict[str, Any]] = {
    204: {"description": "The session is over and nothing follows the event that was named; do not ask again."}
}


def _read(raw: object) -> object:
    """Has a request refused in the ensemble's own words."""
    if isinstance(raw, bytes):
        raise InvalidConfig("The request is not JSON. Send it with the header 'Content-Type: application/json'.")
    return request_from(raw)


class ResetRequest(WireValue):
    """Whose conversation is to begin anew."""

    kiosk: str = Field(DEFAULT_KIOSK, min_length=1, max_length=64, description="the kiosk's name")


class SessionList(WireValue):
    """Newest first."""

    sessions: tuple[RunSummary, ...]


@dataclass(frozen=True, slots=True)
class Listener:
    """Who follows a session: which one, the last event already known, and whether that was not to be understood."""

    session_id: str
    after: int
    lost: bool = False


async def asked(
    chat: Annotated[ChatRequest, BeforeValidator(_read)], request: Request, response: Response, studio: OpenStudio
) -> Listener:
    """Settled before the stream begins, so that what is wrong is said with a status."""
    run = await studio.ask(chat)
    stage_of(request).follow(run.id)
    response.headers["Location"] = f"/v1/sessions/{run.id}"
    return Listener(run.id, 0)


async def listener(session_id: str, studio: Studio, given: str) -> Listener:
    """Where a follower goes on. An id that is not of this session begins again from the first event, and says so."""
    number = event_number(session_id, given) if given else 0
    if number:
        run = await studio.open_session(session_id)
        if run.record.status != "playing" and not any(sent_events(run.id, run.entries, number)):
            raise NothingNewError
    return Listener(session_id, number or 0, lost=number is None)


async def one_session(run_id: RunId, studio: OpenStudio) -> str:
    record = await studio.runs.get(run_id)
    if record.kind != KIND:
        raise NotFound(f"Run {record.id} is of kind '{record.kind}' and no session of the ensemble.", run=record.id)
    return record.id


Session = Annotated[str, Depends(one_session)]


def stage_of(request: Request) -> Stage:
    stage = request.app.state.stage
    assert isinstance(stage, Stage)
    return stage


@router.post(
    "/chat",
    summary="Ask the ensemble",
    response_class=EventSourceResponse,
    responses={**STREAM, **refusals(409, 413, 422, 502, 503, json=False)},
)
async def ask_ensemble(
    listening: Annotated[Listener, Depends(asked)], studio: OpenStudio
) -> AsyncIterator[ServerSentEvent]:
    """One message, three turns: everybody responds, comments on another, and replies to what was said of them.

    The events of the session as Server-Sent Events, to its end. The session does not belong to this connection: who
    is cut off goes on with `GET /v1/sessions/{run_id}/events`, and nothing is lost.
    """
    async for event in sent(listening, studio):
        yield event


@router.get("/sessions", summary="What the ensemble was asked", responses=refusals(422))
async def list_sessions(
    studio: OpenStudio, limit: Annotated[int, Query(ge=1, le=1000, description="how many at most")] = 50
) -> SessionList:
    """Newest first."""
    records = await studio.runs.find(kind=KIND, limit=limit)
    return SessionList(sessions=tuple(RunSummary.of(record) for record in records))


@router.post("/reset", status_code=204, summary="Begin anew", responses=refusals(422))
async def reset_kiosk(studio: OpenStudio, reset: ResetRequest | None = None) -> None:
    """Clear the conversation of a kiosk. What was said stays in its sessions."""
    await studio.reset(reset.kiosk if reset else DEFAULT_KIOSK)


@router.get(
    "/sessions/{run_id}/session.json",
    summary="The manifest as it lies on the disk",
    response_class=FileResponse,
    responses={
        **{status: about for status, about in SOUND.items() if status != 200},
        200: {"description": "The file.", "content": {"application/json": {"schema": {"type": "object"}}}},
        **refusals(404, 422, json=False),
    },
)
async def get_manifest_file(session_id: Session, request: Request, studio: OpenStudio) -> Response:
    """For players that poll a file; rewritten after each turn."""
    return sound_file(studio.artifacts, manifest_path(session_id), request)


@router.get(
    "/sessions/{run_id}/programme.wav",
    summary="A session as one piece to listen to",
    response_class=FileResponse,
    responses={**SOUND, **refusals(404, 422, 502, 503, json=False)},
)
async def get_programme(session_id: Session, request: Request, studio: OpenStudio) -> Response:
    """All its lines in one mix: levelled, in their seats, with gaps. Made when it is first asked for."""
    pressing = await studio.listen(session_id, Listening())
    return sound_file(studio.artifacts, pressing.wav.relative_to(studio.artifacts.root / ROOT).as_posix(), request)


async def sent(listening: Listener, studio: Studio) -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent(retry=RETRY_MS, comment=f"session {listening.session_id}")
    if listening.lost:
        told = SessionEvent(event=RESET, seq=1, ts=0.0, session_id=listening.session_id)
        yield ServerSentEvent(event=RESET, raw_data=told.payload())
    try:
        async for event in studio.session_events(listening.session_id, listening.after):
            yield ServerSentEvent(id=event.id, event=event.event, raw_data=event.payload())
    except StoreError:
        # The headers are out; who connects again is told with a status.
        return
