"""The ensemble: ask it, list its sessions, fetch their files, reset a kiosk. `routes/sessions.py` follows a session."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse
from pydantic import BeforeValidator, Field

from dramaturg.ensemble.artifacts import manifest_path
from dramaturg.ensemble.listing import EnsembleListing
from dramaturg.ensemble.request import DEFAULT_KIOSK, ChatRequest, request_from
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import RunSummary
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.file_responses import AUDIO, RANGES, ROOT, file_response
from dramaturg.server.http.sse import EventStream
from dramaturg.server.http.streams import ENSEMBLE_STREAM, ensemble_stream
from dramaturg.server.push.websocket import relay_of
from dramaturg.voices.listen import ListenRequest

router = APIRouter(prefix="/v1", tags=["ensemble"])


def _checked(raw: object) -> object:
    """Validates a request with the ensemble's own rules and messages."""
    if isinstance(raw, bytes):
        raise InvalidConfig("The request is not JSON. Send it with the header 'Content-Type: application/json'.")
    return request_from(raw)


class ResetRequest(WireValue):
    """The kiosk whose conversation is cleared."""

    kiosk: str = Field(DEFAULT_KIOSK, min_length=1, max_length=64, description="the kiosk's name")


class SessionList(WireValue):
    """Sessions of the ensemble, newest first."""

    sessions: tuple[RunSummary, ...]


async def new_session(
    chat: Annotated[ChatRequest, BeforeValidator(_checked)], request: Request, response: Response, studio: OpenStudio
) -> EventStream:
    run = await studio.ensemble.ask(chat)
    relay_of(request).follow(run.id)
    response.headers["Location"] = f"/v1/sessions/{run.id}"
    return await ensemble_stream(studio, run.id)


async def one_session(run_id: RunId, studio: OpenStudio) -> str:
    """The id of a session of the ensemble. Raises NotFound for any other run."""
    return (await studio.runs.get_as(studio.ensemble.kind, run_id)).id


Session = Annotated[str, Depends(one_session)]


@router.post(
    "/chat",
    summary="Ask the ensemble",
    response_class=EventSourceResponse,
    responses={**ENSEMBLE_STREAM, **declared_errors(409, 413, 422, 502, 503, json=False)},
)
async def ask_ensemble(events: Annotated[EventStream, Depends(new_session)]) -> EventStream:
    """One message, three turns: every slot responds, comments on another, and replies to the comments on it.

    The events of the session as Server-Sent Events, to its end. Disconnecting does not cancel the session: the client
    resumes with `GET /v1/sessions/{run_id}/events` and misses nothing.
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
async def reset_kiosk(studio: OpenStudio, reset: ResetRequest | None = None) -> None:
    """Clear the conversation of a kiosk. Its sessions are kept."""
    await studio.ensemble.reset(reset.kiosk if reset else DEFAULT_KIOSK)


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
    return file_response(studio.artifacts, manifest_path(session_id), request)


@router.get(
    "/sessions/{run_id}/programme.wav",
    summary="Get a session as one audio file",
    response_class=FileResponse,
    responses={**AUDIO, **declared_errors(404, 422, 502, 503, json=False)},
)
async def get_programme(session_id: Session, request: Request, studio: OpenStudio) -> Response:
    """All lines in one mix: levelled, panned, with pauses. It is rendered on the first request."""
    export = await studio.listen(session_id, ListenRequest())
    return file_response(studio.artifacts, export.wav.relative_to(studio.artifacts.root / ROOT).as_posix(), request)
