"""Sessions, of an ensemble or of an episode: both have a run id, and both are found here."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import Header, Request, Response
from fastapi.sse import EventSourceResponse
from pydantic import Field, model_validator

from dramaturg.characters import load_card
from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.episodes.card_talk import card_talk
from dramaturg.episodes.events import Persona
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.episodes.views import SessionView
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import (
    Caller,
    CountedCaller,
    OwnSession,
    QueryToken,
    UncountedCaller,
    owned_session,
)
from dramaturg.server.http.deps import IdempotencyKey, OpenStudio, RunId
from dramaturg.server.http.errors import PlayerTokenError, declared_errors
from dramaturg.server.http.key_locks import key_locks_of
from dramaturg.server.http.player_tokens import new_player
from dramaturg.server.http.router import api_router
from dramaturg.server.http.sse import COMPLETE, EventStream, LastEventId, LastEventIdInQuery, streamed
from dramaturg.server.http.streams import SESSION_STREAM, ensemble_stream, session_stream
from dramaturg.studio import Studio

router = api_router(prefix="/v1", tags=["sessions"])
LONGEST_NAME = 64
SHORTEST_GUEST_KEY = 16
GUEST_KEY_SECONDS = 600
USED_KEY = "This Idempotency-Key was used for another session. Use a new key."
WaitingTicket = Annotated[
    str | None, Header(max_length=40, description="the ticket of an earlier 503, which keeps the place in the queue")
]


class NewSession(Value):
    """Which episode to play, or which character to talk with, and who plays it."""

    template: str | None = Field(
        None, min_length=1, max_length=80, description="the episode", examples=["tea-with-walter"]
    )
    character: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST_NAME,
        description="in place of an episode, for the author: a card of the project, for a talk that nobody has to end",
        examples=["alice"],
    )
    series: str | None = Field(None, max_length=80, description="the series to play it in, if it belongs to several")
    name: str = Field("", max_length=80, description="what the character may call the player")
    about: str = Field("", max_length=2000, description="what the character knows about them")
    voice: bool | None = Field(
        None, description="whether the character's messages are spoken; as the episode and the host say, if not set"
    )

    @model_validator(mode="after")
    def _check_one(self) -> NewSession:
        if (self.template is None) == (self.character is None):
            raise ValueError("name an episode with 'template', or a character with 'character'")
        return self


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
        **declared_errors(404, 409, 413, 422, 429, 502, 503),
    },
)
async def open_session(
    wanted: NewSession,
    caller: CountedCaller,
    request: Request,
    response: Response,
    studio: OpenStudio,
    idempotency_key: IdempotencyKey = None,
    x_waiting_ticket: WaitingTicket = None,
) -> SessionWithToken:
    """Start an episode of this project, or as its author a talk with one of its characters. A caller without a token
    becomes a new player and is given one.

    `GET /v1/sessions/{run_id}/events` has the opening and the character's first words. If every seat is taken, the
    response is 503 with the place in the queue.
    """
    _check_admitted(wanted, caller, studio)
    await caller.access.check_spending(caller.player, caller.address, studio)
    player = _who_plays(caller, idempotency_key)
    with caller.access.room.seat(player, x_waiting_ticket or ""):
        if idempotency_key is None:
            view = await _open(studio, wanted, player)
        else:
            async with key_locks_of(request).locked(id_for("session", idempotency_key)):
                view = await _open_once(studio, wanted, caller, player, idempotency_key)
    caller.access.spending.play(view.id, caller.address)
    token, _ = await caller.access.issue(player, studio)
    response.headers["Location"] = f"/v1/sessions/{view.id}"
    return SessionWithToken(session=view, player_token=token)


def _check_admitted(wanted: NewSession, caller: Caller, studio: OpenStudio) -> None:
    """Raises what is to be said to somebody who may not start this episode."""
    if caller.player is None and not caller.is_author and not caller.limits.guests:
        raise PlayerTokenError("required")
    if wanted.character is not None and not caller.is_author:
        raise NotFound(f"There is no character '{wanted.character}' to talk with.", character=wanted.character)
    if wanted.template is not None and not caller.may_play(wanted.template):
        raise NotFound(f"There is no episode '{wanted.template}'.", name=wanted.template)
    if wanted.voice:
        caller.check_voice()
    if wanted.series is not None and not caller.is_author:
        series = {one.name: one for one in studio.episodes.repertoire().series}
        if wanted.series not in series or wanted.template not in series[wanted.series].episodes:
            raise NotFound(f"There is no series '{wanted.series}' with this episode.", name=wanted.series)


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
    if await _is_ensemble(run_id, caller, studio):
        return studio.ensemble.manifest(await studio.ensemble.open_run(run_id))
    await caller.counted()
    return await studio.episodes.view(await owned_session(run_id, caller, studio))


async def session_events(
    run_id: RunId,
    caller: UncountedCaller,
    studio: OpenStudio,
    last_event_id: LastEventId = None,
    in_query: LastEventIdInQuery = None,
    player_token: QueryToken = None,
) -> EventStream:
    last = last_event_id or in_query or ""
    if await _is_ensemble(run_id, caller, studio):
        return await ensemble_stream(studio, run_id, last)
    await caller.counted()
    if caller.player is None and player_token:
        caller = replace(caller, claim=await caller.access.player_claim(player_token, studio))
    claim, access = caller.claim, caller.access

    async def may_listen() -> bool:
        return claim is None or await access.stands(claim, studio)

    return await session_stream(studio, await owned_session(run_id, caller, studio), last, may_listen)


@router.get(
    "/sessions/{run_id}/events",
    summary="Follow a session",
    response_class=EventSourceResponse,
    responses={**SESSION_STREAM, **COMPLETE, **declared_errors(404, 409, 422, 429, json=False)},
)
async def follow_session(events: Annotated[EventStream, streamed(session_events)]) -> EventStream:
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


async def _is_ensemble(run_id: str, caller: Caller, studio: Studio) -> bool:
    """Whether a session is an ensemble's, which is the author's. Nothing is looked up for anybody else, so that a
    request is counted before it costs anything."""
    record = await studio.runs.known(run_id) if caller.is_author else None
    if record is None or not studio.runs.can_play(record):
        return False
    return studio.runs.kind_of(record) is studio.ensemble.kind


def _who_plays(caller: Caller, key: str | None) -> str:
    """The player of a new session. The id of a guest is derived from their key, if they send one."""
    if caller.player is not None:
        return caller.player
    if key is None:
        return new_player()
    if len(key) < SHORTEST_GUEST_KEY:
        raise InvalidConfig(
            f"The Idempotency-Key of a guest must be hard to guess: {SHORTEST_GUEST_KEY} characters or more, such as a "
            "random UUID."
        )
    return caller.access.tokens.guest(key)


async def _open(studio: Studio, wanted: NewSession, player: str, session_id: str | None = None) -> SessionView:
    before = await studio.episodes.players.get(player)
    persona = Persona(
        id=player,
        name=wanted.name or (before.name if before else ""),
        about=wanted.about or (before.about if before else ""),
    )
    return await studio.episodes.open(
        await _episode(studio, wanted), persona, series=wanted.series, session_id=session_id, voice=wanted.voice
    )


async def _episode(studio: Studio, wanted: NewSession) -> str | EpisodeTemplate:
    """The name of the episode, or the talk with a card. Raises CharacterLoadError."""
    if wanted.character is None:
        return wanted.template or ""
    return card_talk(await asyncio.to_thread(load_card, studio.settings.project, wanted.character))


async def _open_once(studio: Studio, wanted: NewSession, caller: Caller, player: str, key: str) -> SessionView:
    """The session that was started with this key, or a new one. The ids of the session and of a new player are derived
    from the key, so this holds after a restart. Raises AlreadyUsed if the key was used for something else."""
    session_id = id_for(studio.episodes.kind.name, f"{player}\0{key}")
    record = await studio.episodes.recorded(session_id)
    if record is None:
        if caller.player is None and await _has_left(studio, player):
            raise AlreadyUsed(USED_KEY)
        return await _open(studio, wanted, player, session_id)
    view = await studio.episodes.view(session_id)
    given = (wanted.series or record.series, wanted.name or view.player.name, wanted.about or view.player.about)
    episode = await _episode(studio, wanted)
    name = episode if isinstance(episode, str) else episode.name
    same = name == record.template and given == (record.series, view.player.name, view.player.about)
    same = same and wanted.voice in (None, view.voice)
    # A guest's key is as good as a token, so it is good for as long as a request may be repeated, and no longer.
    is_new = caller.player is not None or studio.resources.clock.now() - record.created_at < GUEST_KEY_SECONDS
    if not same or not is_new or await _has_left(studio, player):
        raise AlreadyUsed(USED_KEY)
    return view


async def _has_left(studio: Studio, player: str) -> bool:
    if await studio.episodes.players.is_deleted(player):
        return True
    return any(one.revoked for one in await studio.episodes.players.tokens(player))
