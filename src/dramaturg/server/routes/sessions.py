"""Sessions, of an ensemble or of an episode: both have a run id, and both are found here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.sse import EventSourceResponse
from pydantic import Field

from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.episodes.events import Persona
from dramaturg.episodes.views import SessionView, no_session
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import CountedCaller, OwnSession, QueryToken, UncountedCaller, owned_session
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.player_tokens import new_player
from dramaturg.server.http.sse import COMPLETE, EventStream, LastEventId, LastEventIdInQuery
from dramaturg.server.http.streams import SESSION_STREAM, ensemble_stream, session_stream

router = APIRouter(prefix="/v1", tags=["sessions"])


class NewSession(Value):
    """Which episode to play, and who plays it."""

    template: str = Field(min_length=1, max_length=80, description="the episode", examples=["tea-with-walter"])
    series: str | None = Field(None, max_length=80, description="the series to play it in, if it belongs to several")
    name: str = Field("", max_length=80, description="what the character may call the player")
    about: str = Field("", max_length=2000, description="what the character knows about them")


class SessionWithToken(Value):
    """A new session, and its player's token, which is not shown again."""

    session: SessionView
    player_token: str = Field(description="send it as `X-Player-Token` from now on")


@router.post(
    "/sessions",
    status_code=201,
    summary="Start an episode",
    responses={
        201: {"description": "The session; `Location` is its address."},
        **declared_errors(404, 413, 422, 429, 502, 503),
    },
)
async def open_session(
    wanted: NewSession, caller: CountedCaller, response: Response, studio: OpenStudio
) -> SessionWithToken:
    """Start an episode of this project. A caller without a token becomes a new player and is given one.

    `GET /v1/sessions/{run_id}/events` has the opening and the character's first words.
    """
    if caller.player is None and caller.had_token:
        raise InvalidConfig("This X-Player-Token is not valid here. Leave it out to start as a new player.")
    player = caller.player or new_player()
    before = await studio.episodes.players.get(player)
    persona = Persona(
        id=player,
        name=wanted.name or (before.name if before else ""),
        about=wanted.about or (before.about if before else ""),
    )
    view = await studio.episodes.open(wanted.template, persona, series=wanted.series)
    response.headers["Location"] = f"/v1/sessions/{view.id}"
    return SessionWithToken(session=view, player_token=caller.access.tokens.mint(player))


@router.get(
    "/sessions/{run_id}",
    summary="Get a session",
    responses={
        200: {"description": "The manifest of an ensemble's session, or an episode as its player sees it."},
        **declared_errors(404, 422, 429),
    },
)
async def get_session(run_id: RunId, caller: UncountedCaller, studio: OpenStudio) -> SessionManifest | SessionView:
    """Of an ensemble: the content of `session.json`. Of an episode: the conversation, for its player only."""
    if await _is_ensemble(run_id, studio):
        return studio.ensemble.manifest(await studio.ensemble.open_run(run_id))
    return await studio.episodes.view(await owned_session(run_id, caller.counted().player, studio))


async def session_events(
    run_id: RunId,
    caller: UncountedCaller,
    studio: OpenStudio,
    last_event_id: LastEventId = None,
    in_query: LastEventIdInQuery = None,
    player_token: QueryToken = None,
) -> EventStream:
    last = last_event_id or in_query or ""
    if await _is_ensemble(run_id, studio):
        return await ensemble_stream(studio, run_id, last)
    player = caller.counted().player or (caller.access.tokens.read(player_token) if player_token else None)
    return await session_stream(studio, await owned_session(run_id, player, studio), last)


@router.get(
    "/sessions/{run_id}/events",
    summary="Follow a session",
    response_class=EventSourceResponse,
    responses={**SESSION_STREAM, **COMPLETE, **declared_errors(404, 409, 422, 429, json=False)},
)
async def follow_session(events: Annotated[EventStream, Depends(session_events)]) -> EventStream:
    """Of an ensemble: the events of `POST /v1/chat`, until the session ends. Of an episode: everything its player has
    been shown, then new events for as long as the client listens.

    A client that loses its connection resumes with `Last-Event-ID` and misses nothing, even in the middle of an answer.
    A comment is sent after every 15 idle seconds.
    """
    async for event in events:
        yield event


@router.delete(
    "/sessions/{run_id}", status_code=204, summary="Delete a session", responses=declared_errors(404, 409, 422, 429)
)
async def delete_session(session: OwnSession, studio: OpenStudio) -> None:
    """Delete a session of an episode: its log, messages, results and shares, and everything remembered from it."""
    await studio.episodes.delete(session)


async def _is_ensemble(run_id: str, studio: OpenStudio) -> bool:
    """Whether a session is an ensemble's; otherwise it is an episode's. Raises NotFound for any other run."""
    try:
        kind = studio.runs.kind_of(await studio.runs.get(run_id))
    except NotFound:
        raise no_session(run_id) from None
    if kind not in (studio.ensemble.kind, studio.episodes.kind):
        raise no_session(run_id)
    return kind is studio.ensemble.kind
