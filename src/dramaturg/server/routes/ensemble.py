"""The ensemble: ask it, list its sessions, fetch their files, reset a kiosk. `routes/sessions.py` follows a session."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse
from pydantic import BeforeValidator, Field

from dramaturg.ensemble.artifacts import manifest_path
from dramaturg.ensemble.events import LinePlace
from dramaturg.ensemble.listing import EnsembleListing
from dramaturg.ensemble.request import DEFAULT_KIOSK, ChatRequest, request_from
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import RunSummary
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import NOT_JSON, declared_errors
from dramaturg.server.http.file_responses import AUDIO, RANGES, file_response
from dramaturg.server.http.router import api_router
from dramaturg.server.http.sse import COMPLETE, EventStream, LastEventId, streamed
from dramaturg.server.http.streams import ENSEMBLE_STREAM, ensemble_stream
from dramaturg.server.push.websocket import relay_of
from dramaturg.server.routes.listening import programme_sound
from dramaturg.studio import Studio
from dramaturg.voices.voicing import VoicingRequest

router = api_router(prefix="/v1", tags=["ensemble"])


def _checked(raw: object) -> object:
    """Validates a request with the ensemble's own rules and messages."""
    if isinstance(raw, bytes):
        raise InvalidConfig(NOT_JSON)
    return request_from(raw)


class ResetRequest(WireValue):
    """The kiosk whose conversation is cleared."""

    kiosk: str = Field(DEFAULT_KIOSK, min_length=1, max_length=64, description="the kiosk's name")


class SessionList(WireValue):
    """Sessions of the ensemble, newest first."""

    sessions: tuple[RunSummary, ...]


class VoicingStarted(WireValue):
    """What is being spoken, by which engine."""

    session_id: str
    engine: str
    lines: tuple[LinePlace, ...]


async def new_session(
    chat: Annotated[ChatRequest, BeforeValidator(_checked)],
    request: Request,
    response: Response,
    studio: OpenStudio,
    last_event_id: LastEventId = None,
) -> EventStream:
    if last_event_id and (asked := await _asked_before(chat, last_event_id, studio)):
        response.headers["Location"] = f"/v1/sessions/{asked}"
        return await ensemble_stream(studio, asked, last_event_id)
    run = await studio.ensemble.ask(chat)
    relay_of(request).follow(run.id)
    response.headers["Location"] = f"/v1/sessions/{run.id}"
    return await ensemble_stream(studio, run.id)


async def _asked_before(chat: ChatRequest, last_event_id: str, studio: Studio) -> str | None:
    """The session of an event id, if it asked the same; so a client that repeats its request asks nothing twice."""
    session = last_event_id.strip().rpartition(":")[0]
    try:
        manifest = studio.ensemble.manifest(await studio.ensemble.open_run(session))
    except DramaturgError:
        return None
    asked = (manifest.session_id, manifest.kiosk, manifest.message)
    return session if asked == (session, chat.kiosk, chat.message) else None


async def one_session(run_id: RunId, studio: OpenStudio) -> str:
    """The id of a session of the ensemble. Raises NotFound for any other run."""
    return (await studio.runs.get_as(studio.ensemble.kind, run_id)).id


Session = Annotated[str, Depends(one_session)]


@router.post(
    "/chat",
    summary="Ask the ensemble",
    response_class=EventSourceResponse,
    responses={**ENSEMBLE_STREAM, **COMPLETE, **declared_errors(409, 413, 422, 502, 503, json=False)},
)
async def ask_ensemble(events: Annotated[EventStream, streamed(new_session)]) -> EventStream:
    """One message, three turns: every slot responds, comments on another, and replies to the comments on it.

    The events of the session as Server-Sent Events, to its end. Disconnecting does not cancel the session: the client
    resumes with `GET /v1/sessions/{run_id}/events` and misses nothing. The same request with `Last-Event-ID` resumes as
    well, and asks nothing again.
    """
    async for event in events:
        yield event


@router.get("/ensemble", summary="Get the ensemble", responses=declared_errors(422))
async def get_ensemble(studio: OpenStudio) -> EnsembleListing:
    """Who sits in which slot, and the voice profiles, engines and voices to choose from."""
    return await studio.ensemble.listing()


@router.get("/sessions", summary="List the ensemble's sessions", responses=declared_errors(422))
async def list_sessions(
    studio: OpenStudio, limit: Annotated[int, Query(ge=1, le=1000, description="the maximum number of sessions")] = 50
) -> SessionList:
    """The sessions of the ensemble, newest first."""
    kind = studio.ensemble.kind
    records = await studio.runs.find(kind.name, limit=limit)
    return SessionList(sessions=tuple(RunSummary.of(record, kind) for record in records))


@router.post("/reset", status_code=204, summary="Reset a kiosk", responses=declared_errors(422))
async def reset_kiosk(
    studio: OpenStudio,
    reset: ResetRequest | None = None,
    kiosk: Annotated[str, Query(max_length=64, description="the kiosk's name, if the body has none")] = DEFAULT_KIOSK,
) -> None:
    """Clear the conversation of a kiosk. Its sessions are kept."""
    await studio.ensemble.reset(reset.kiosk if reset and "kiosk" in reset.model_fields_set else kiosk)


@router.head("/sessions/{run_id}/session.json", include_in_schema=False)
@router.get(
    "/sessions/{run_id}/session.json",
    summary="Get the manifest file",
    response_class=FileResponse,
    responses={
        **RANGES,
        200: {"description": "The file.", "content": {"application/json": {"schema": {"type": "object"}}}},
        **declared_errors(404, 422, json=False),
    },
)
async def get_manifest_file(session_id: Session, request: Request, studio: OpenStudio) -> Response:
    """The manifest on disk, for players that poll a file; it is rewritten after each turn."""
    return await to_thread(file_response, studio.artifacts, manifest_path(session_id), request)


@router.post(
    "/sessions/{run_id}/voice",
    status_code=202,
    summary="Have a session spoken",
    responses={
        202: {"description": "It is being spoken; `Location` has the events."},
        **declared_errors(404, 409, 413, 422, 502, 503),
    },
)
async def voice_session(
    session_id: Session, request: Request, response: Response, studio: OpenStudio, wanted: VoicingRequest | None = None
) -> VoicingStarted:
    """Give a session that is over its sound, or some of its lines anew: with another engine, or another voice.

    Without a body, the lines that have no sound are spoken as the session began. `GET /v1/sessions/{run_id}/events` has
    the new lines as they are spoken; manifest, files and mix follow.
    """
    before = await studio.ensemble.open_run(session_id)
    asked = await studio.ensemble.voice(session_id, wanted or VoicingRequest())
    relay_of(request).follow(session_id, before.entries)
    response.headers["Location"] = f"/v1/sessions/{session_id}/events"
    return VoicingStarted(session_id=session_id, engine=asked.engine, lines=asked.lines)


@router.head("/sessions/{run_id}/programme.wav", include_in_schema=False)
@router.get(
    "/sessions/{run_id}/programme.wav",
    summary="Get a session as one audio file",
    response_class=FileResponse,
    responses={**AUDIO, **declared_errors(404, 409, 422, 502, 503, json=False)},
)
async def get_programme(session_id: Session, request: Request, studio: OpenStudio) -> Response:
    """All lines in one mix: levelled, panned, with pauses. It is rendered on the first request."""
    return await programme_sound(session_id, request, studio)
