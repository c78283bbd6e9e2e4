"""Sessions over HTTP: the ensemble's and those of episodes, under one kind of id. What a session is decides here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from dramaturg.ensemble.kiosk import KIND as ENSEMBLE
from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.ensemble.wire import SessionEvent
from dramaturg.episodes.events import Persona
from dramaturg.episodes.parlour import EPISODE, no_session
from dramaturg.episodes.views import SessionView
from dramaturg.episodes.wire import Mark, StreamEvent
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import Value
from dramaturg.server import ensemble, talk
from dramaturg.server.deps import OpenStudio, RunId
from dramaturg.server.errors import refusals
from dramaturg.server.players import AnyGuest, KnownGuest, OwnSession, QueryToken, new_player, owned
from dramaturg.server.talk import Turn

router = APIRouter(prefix="/v1", tags=["sessions"])
LAST_EVENT = 120
EITHER: dict[int | str, dict[str, Any]] = {
    200: {
        "model": SessionEvent | StreamEvent,
        "description": "`id` is the place in the stream, `event` the name, `data` one JSON object in one line.",
        "content": {EventSourceResponse.media_type: {"itemSchema": talk.EVENT}},
    }
}


class NewSession(Value):
    """What is to be played, and who plays."""

    template: str = Field(min_length=1, max_length=80, description="the episode", examples=["tea-with-walter"])
    series: str | None = Field(None, max_length=80, description="the series it is played in, where it is in several")
    name: str = Field("", max_length=80, description="how the character may call the player")
    about: str = Field("", max_length=2000, description="what the character knows of them")


class OpenedSession(Value):
    """A session that has begun, and the token of the one it belongs to. It is not shown again."""

    session: SessionView
    player_token: str = Field(description="send it as `X-Player-Token` from now on")


@router.post(
    "/sessions",
    status_code=201,
    summary="Begin an episode",
    responses={
        201: {"description": "The session; `Location` is where it stands."},
        **refusals(404, 413, 422, 429, 502, 503),
    },
)
async def open_session(wanted: NewSession, who: KnownGuest, response: Response, studio: OpenStudio) -> OpenedSession:
    """Begin an episode of this project. Who brings no token is a new player and is given one.

    `GET /v1/sessions/{run_id}/events` has the curtain and the character's first words.
    """
    if who.player is None and who.had_token:
        raise InvalidConfig("This X-Player-Token is not one of this server's. Leave it out to begin as a new player.")
    player = who.player or new_player()
    before = await studio.episodes.player(player)
    persona = Persona(
        id=player,
        name=wanted.name or (before.name if before else ""),
        about=wanted.about or (before.about if before else ""),
    )
    view = await studio.episodes.open(wanted.template, persona, series=wanted.series)
    response.headers["Location"] = f"/v1/sessions/{view.id}"
    return OpenedSession(session=view, player_token=who.reception.tokens.mint(player))


@router.get(
    "/sessions/{run_id}",
    summary="A session as it stands",
    responses={
        200: {"description": "An ensemble's manifest, or an episode as its player sees it."},
        **refusals(404, 422, 429),
    },
)
async def get_session(run_id: RunId, who: AnyGuest, studio: OpenStudio) -> SessionManifest | SessionView:
    """Of the ensemble: its manifest, the content of `session.json`. Of an episode: the talk, for its player alone."""
    if await _kind(run_id, studio) == ENSEMBLE:
        return studio.manifest(await studio.open_session(run_id))
    return await studio.episodes.view(await owned(run_id, who.admitted().player, studio))


async def listening(
    run_id: RunId,
    who: AnyGuest,
    studio: OpenStudio,
    last_event_id: Annotated[
        str | None, Header(max_length=LAST_EVENT, description="as browsers send it when they connect again")
    ] = None,
    known: Annotated[
        str | None,
        Query(alias="lastEventId", max_length=LAST_EVENT, description="the same, for clients that cannot set headers"),
    ] = None,
    player_token: QueryToken = None,
) -> ensemble.Listener | Turn:
    """Settled before the stream begins, so that what is wrong is said with a status."""
    given = last_event_id or known or ""
    if await _kind(run_id, studio) == ENSEMBLE:
        return await ensemble.listener(run_id, studio, given)
    player = who.admitted().player or (who.reception.tokens.read(player_token) if player_token else None)
    session = await owned(run_id, player, studio)
    after = Mark.read(given) if given else Mark()
    await studio.episodes.sit(session)
    return Turn(session, after, followed=True)


@router.get(
    "/sessions/{run_id}/events",
    summary="Follow a session",
    response_class=EventSourceResponse,
    responses={**EITHER, **ensemble.OVER, **refusals(404, 409, 422, 429, json=False)},
)
async def follow_session(
    listening: Annotated[ensemble.Listener | Turn, Depends(listening)], studio: OpenStudio
) -> AsyncIterator[ServerSentEvent]:
    """Of the ensemble: the events of `POST /v1/chat`, until the session is over. Of an episode: all that its player was
    shown, then whatever comes, for as long as they listen.

    Who was cut off connects again with `Last-Event-ID` and misses nothing, in the middle of an answer too. A comment is
    sent every 15 seconds in which nothing happens.
    """
    stream = talk.sent(listening, studio) if isinstance(listening, Turn) else ensemble.sent(listening, studio)
    async for event in stream:
        yield event


@router.delete(
    "/sessions/{run_id}", status_code=204, summary="Delete a session", responses=refusals(404, 409, 422, 429)
)
async def delete_session(session: OwnSession, studio: OpenStudio) -> None:
    """Remove a session of an episode: its log, its messages, its results and shares, and what was kept of it."""
    await studio.episodes.delete(session)


async def _kind(run_id: str, studio: OpenStudio) -> str:
    try:
        kind = (await studio.runs.get(run_id)).kind
    except NotFound:
        raise no_session(run_id) from None
    if kind not in (ENSEMBLE, EPISODE):
        raise no_session(run_id)
    return kind
