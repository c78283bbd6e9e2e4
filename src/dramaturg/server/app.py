"""The app: settings in, a FastAPI app out. The studio is open for as long as the app runs."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import cache, partial
from threading import Lock
from typing import Any, ClassVar
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from dramaturg import __version__
from dramaturg.cluster.worker import join_queue, leave_to_workers
from dramaturg.kernel.settings import Settings
from dramaturg.local_models.ollama import Ollama
from dramaturg.local_models.pulls import Pulls
from dramaturg.server.completions.errors import CompatibleErrors
from dramaturg.server.http.bearer import TokenCheck, token_of
from dramaturg.server.http.callers import PlayerAccess
from dramaturg.server.http.departures import Departures
from dramaturg.server.http.errors import install_error_handlers
from dramaturg.server.http.file_responses import ROOT
from dramaturg.server.http.key_locks import KeyLocks
from dramaturg.server.http.logins import Logins
from dramaturg.server.http.origin_guard import LOOPBACK, OriginGuard
from dramaturg.server.http.player_tokens import secret_of
from dramaturg.server.http.router import operation_id
from dramaturg.server.http.seat_tokens import SeatTokens
from dramaturg.server.http.security_headers import SecurityHeaders
from dramaturg.server.pages import api as api_page
from dramaturg.server.pages import players as players_page
from dramaturg.server.pages import shared_results
from dramaturg.server.pages import studio as studio_page
from dramaturg.server.push import websocket
from dramaturg.server.push.osc import OscSender
from dramaturg.server.push.websocket import EventRelay
from dramaturg.server.reaper import Reaper
from dramaturg.server.routes import (
    acts,
    audio,
    book_health,
    book_pages,
    book_series,
    book_works,
    card_files,
    cards,
    characters,
    completions,
    compose,
    concerns,
    conflicts,
    costs,
    directions,
    drafts,
    ensemble,
    episodes,
    exports,
    graph,
    health,
    host,
    insight,
    lines,
    listening,
    local_models,
    login,
    lorebooks,
    manuscripts,
    messages,
    model_choice,
    models,
    narrative_voice,
    patches,
    plans,
    players_me,
    programmes,
    rehearsals,
    results,
    runs,
    scenes,
    seated,
    seats,
    session_audio,
    sessions,
    speech,
    spoken,
    thread,
    tokens,
    workshop,
)
from dramaturg.server.shutdown import ShutdownResponses
from dramaturg.server.watchdog import watched_loop
from dramaturg.studio import Studio
from dramaturg.voices.jobs import SpeechJobs
from dramaturg.workshop.works.table import WORKS

DESCRIPTION = """
A studio for stories that language models perform. `POST /v1/scenes` starts a run; follow the links in its response.

Every error has the same body: `{"success": false, "error": {"code", "message", "context"}}`.
If the server has a token, the author sends it with every request below `/v1` as `Authorization: Bearer …`.
A player of episodes has a token of their own, sent as `X-Player-Token`; it opens that player's sessions, results and
data in the episodes that the host has opened, and nothing else. The JSON keys of episodes are snake_case.
A person who plays a part of a scene has the token of that seat, sent as `X-Seat-Token`.
"""
TAGS = [
    {
        "name": "scenes",
        "description": "Two to five characters, one situation, one goal: start a scene and read its result.",
    },
    {"name": "compose", "description": "For the author: scenes as their files have them, secrets included."},
    {"name": "acts", "description": "Several scenes in order, each chosen by how the last one ended."},
    {"name": "runs", "description": "Every performance is a run with an event log: follow, stop, resume, delete."},
    {
        "name": "seats",
        "description": "A person plays a part: the author gives them a seat, and its token, sent as `X-Seat-Token`, "
        "opens that seat and nothing else.",
    },
    {"name": "ensemble", "description": "Up to six voices answer, comment and reply, as text and audio."},
    {
        "name": "insight",
        "description": "For the author: why something was said or happened, tests of causes, takes compared.",
    },
    {
        "name": "lines",
        "description": "For the author: other takes of a line, edits and strikes, in place or played on in a fork.",
    },
    {
        "name": "characters",
        "description": "For the author: cards in brief, memories, moods and bonds, and how to change them.",
    },
    {
        "name": "workshop",
        "description": "A writer and their editor, the Foreman: from idea to manuscript in four modes.",
    },
    {
        "name": "episodes",
        "description": "A person talks with a character under a hidden director: the episodes that can be played.",
    },
    {
        "name": "sessions",
        "description": "One conversation. Its player sends their token as `X-Player-Token`; anyone else gets a 404.",
    },
    {"name": "results", "description": "The results of an episode, and what is shared of them."},
    {"name": "players", "description": "The data kept about a player, and its deletion."},
    {"name": "tokens", "description": "For the host: the tokens of players, to invite, list and revoke."},
    {
        "name": "host",
        "description": "For the host: sessions and their directors, limits, the files of episodes, rehearsals.",
    },
    {"name": "concerns", "description": "For the host: messages of players that spoke of self-harm or abuse."},
    {"name": "login", "description": "The author's login in a browser, with the server's token."},
    {
        "name": "compatible",
        "description": "OpenAI's protocol, for chat programs: their conversations are runs here. See docs/doors.md.",
    },
    {"name": "models", "description": "The models that can play here."},
    {"name": "health", "description": "Whether the server is up."},
]
AUTHORS = (
    scenes,
    compose,
    acts,
    directions,
    seats,
    exports,
    runs,
    costs,
    ensemble,
    workshop,
    graph,
    conflicts,
    drafts,
    patches,
    plans,
    thread,
    book_series,
    book_works,
    book_health,
    book_pages,
    narrative_voice,
    audio,
    insight,
    lines,
    listening,
    programmes,
    manuscripts,
    characters,
    cards,
    card_files,
    lorebooks,
    speech,
    spoken,
    tokens,
    concerns,
    host,
    rehearsals,
    model_choice,
    local_models,
)
"""The routes that need the server's token."""
PLAYERS = (sessions, messages, session_audio, results, players_me, episodes, completions, models)
"""The routes that need the server's token or, for the episodes that a host has opened, that of a player."""
BEARERS = (completions, models)
"""The routes where a player's token may come as the bearer token: programs of OpenAI's protocol have no other place."""
SEATED = (seated,)
"""The routes that need the token of a seat, whoever calls."""
ENTRANCE = (login,)
"""The routes that need no token: they are where a browser brings it."""

FOREIGN_HEADERS = [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "X-Player-Token",
    "X-Seat-Token",
    "X-Waiting-Ticket",
]
"""The headers that pages of other origins may send."""


class StudioApp(FastAPI):
    """An app whose every response has the security headers, even one for a fault of the app itself."""

    _described: ClassVar[dict[int, dict[str, Any]]] = {}
    """The description by the number of routes: it takes seconds, and all apps of a process have the same routes."""
    _describing: ClassVar[Lock] = Lock()

    def setup(self) -> None:
        """The route of the description: in a thread, since nobody else would be answered while it is made."""

        def openapi(_: Request) -> Response:
            return JSONResponse(self.openapi())

        self.add_route(str(self.openapi_url), openapi, include_in_schema=False)

    def openapi(self) -> dict[str, Any]:
        with self._describing:
            if len(self.routes) not in self._described:
                self._described[len(self.routes)] = super().openapi()
            return self._described[len(self.routes)]

    def build_middleware_stack(self) -> ASGIApp:
        return SecurityHeaders(Departures(CompatibleErrors(super().build_middleware_stack())))


@contextmanager
def _consolidating(studio: Studio) -> Iterator[None]:
    """Consolidates the book regularly, if its settings say so."""
    if not studio.settings.workshop.consolidate_minutes:
        yield
        return
    task = asyncio.create_task(studio.workshop.consolidation.regularly(), name="consolidation")
    try:
        yield
    finally:
        task.cancel()


def create_app(
    settings: Settings,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    players_only: bool = False,
    works: Mapping[str, str] = WORKS,
) -> FastAPI:
    """The server for one story project. `hosts` are the names it answers to; None for any.

    With `players_only` nobody is the author: without a token of the server's, only what is open to players is served.
    """
    given = token_of(settings)
    token = given or (secrets.token_urlsafe(32) if players_only else None)
    logins = Logins(given, settings.players.public_url, players_only=players_only)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Studio.open(settings, works=works, queued=True) as studio, _relay(studio) as relay:
            app.state.studio = studio
            app.state.logins = logins
            app.state.event_relay = relay
            app.state.speech_jobs = jobs = SpeechJobs()
            app.state.model_pulls = pulls = Pulls(Ollama(settings, studio.resources.clock))
            app.state.key_locks = KeyLocks(studio.limits)
            app.state.player_access = access = PlayerAccess(settings, studio.limits)
            app.state.seat_tokens = SeatTokens(secret_of(settings))
            if settings.players.limits_spending:
                studio.episodes.players.listen(access.spending.spend)
                studio.episodes.players.admit_by(partial(access.held_back, studio=studio))
            if settings.queue.enabled:
                join_queue(studio.engine) if settings.queue.play else leave_to_workers(studio.engine)
            await (reaper := Reaper(studio, relay)).begin()
            app.state.reaper = reaping = asyncio.create_task(reaper.go_on(), name="reaper")
            try:
                with watched_loop(), _consolidating(studio):
                    yield
            finally:
                reaping.cancel()
                await jobs.close()
                await pulls.close()

    app = StudioApp(
        title="dramaturg",
        summary="Stories that language models perform.",
        description=DESCRIPTION.strip(),
        version=__version__,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_tags=TAGS,
        generate_unique_id_function=operation_id,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.shutting_down = False
    # The middleware added last sees a request first.
    app.add_middleware(TokenCheck, token=token, logins=logins, players=_open_routes(settings), bearers=_bearer_routes())
    _guard_origins(app, settings, hosts, _origins(settings, everybody_is_author=token is None))
    install_error_handlers(app, settings)
    studio_page.install_lost_page(app)
    app.router.routes.extend(_routes())
    return app


def _guard_origins(app: FastAPI, settings: Settings, hosts: Collection[str] | None, origins: Collection[str]) -> None:
    """Lets pages of other origins do what the settings allow them, and nothing else."""
    app.add_middleware(
        OriginGuard,
        hosts=hosts,
        origins=origins,
        uploads={**cards.UPLOADS, **card_files.UPLOADS, **spoken.UPLOADS},
    )
    app.add_middleware(ShutdownResponses)  # inside of CORS, so that pages of other origins can read what it answers
    if settings.players.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.players.origins,
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=FOREIGN_HEADERS,
            expose_headers=["Location", "Retry-After"],
        )


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The routes of every server. What FastAPI works out about them is shared by all servers of a process."""
    parts = (*AUTHORS, *PLAYERS, *SEATED, *ENTRANCE)
    pages = (websocket, studio_page, players_page, api_page, shared_results, health)
    return tuple(route for part in (*parts, *pages) for route in part.router.routes)


def _open_routes(settings: Settings) -> list[BaseRoute]:
    """The routes that need no token of the server's: where it is brought, seats, and what is open to players."""
    parts = (*ENTRANCE, *SEATED, *(PLAYERS if settings.players.open else ()))
    return [route for part in parts for route in part.router.routes]


def _bearer_routes() -> list[BaseRoute]:
    return [route for part in BEARERS for route in part.router.routes]


@asynccontextmanager
async def _relay(studio: Studio) -> AsyncIterator[EventRelay]:
    """The relay of this server's events, with an OSC sender for each address that the settings name."""
    relay = EventRelay(studio)
    # Each has a thread of its own, so that one stage that is gone does not disturb the others.
    with ExitStack() as senders:
        for address in studio.settings.ensemble.osc_addresses:
            sender = OscSender(address, studio.artifacts.root / ROOT)
            senders.callback(sender.close)
            relay.add(sender)
        try:
            yield relay
        finally:
            await relay.close()


def _origins(settings: Settings, *, everybody_is_author: bool) -> tuple[str, ...]:
    """Origins whose pages may call this server, besides its own host: those named, and its public address.

    Where everybody is the author, the address is only for previews: nobody was asked whether its pages may call.
    """
    public = urlsplit("" if everybody_is_author else settings.players.public_url or "")
    return (*settings.players.origins, *((f"{public.scheme}://{public.netloc}",) if public.netloc else ()))
