"""The app: settings in, a FastAPI app out. The studio is open as long as the app is up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.routing import APIRoute

from dramaturg import __version__
from dramaturg.ensemble.kiosk import KIND as ENSEMBLE
from dramaturg.kernel.settings import Settings
from dramaturg.server import (
    audio,
    characters,
    ensemble,
    episodes,
    exports,
    foreman,
    house,
    insight,
    messages,
    myself,
    pages,
    results,
    runs,
    scenes,
    sessions,
    shared_pages,
    stage,
)
from dramaturg.server.bearer import BEARER, TokenCheck, token_of
from dramaturg.server.door import LOOPBACK, Doorkeeper
from dramaturg.server.errors import answer_errors, refusals
from dramaturg.server.osc import OscSender
from dramaturg.server.players import Reception
from dramaturg.studio import Studio

DESCRIPTION = """
A studio for stories that language models perform. `POST /v1/scenes` starts a run; its links lead on.

Whatever is not a success has one shape: `{"success": false, "error": {"code", "message", "context"}}`.
Where the server has a token, every request below `/v1` carries it as `Authorization: Bearer …`.
A player of episodes has a token of their own, `X-Player-Token`; what belongs to an episode is spelled with underscores.
"""
TAGS = [
    {
        "name": "scenes",
        "description": "Two to five characters, one situation, one goal: start a scene, read what came.",
    },
    {"name": "runs", "description": "Every performance is a run with a log of events: follow, stop, resume, delete."},
    {"name": "ensemble", "description": "Up to six voices answer, comment and reply, as text and sound."},
    {
        "name": "insight",
        "description": "For the author: why something was said or happened, tested; takes side by side.",
    },
    {
        "name": "characters",
        "description": "For the author: cards in short, memories, moods and bonds; and changing them.",
    },
    {"name": "foreman", "description": "A writer and their editor: from idea to manuscript, in four modes."},
    {
        "name": "episodes",
        "description": "A person talks with a character, under a director nobody sees: what can be played.",
    },
    {
        "name": "sessions",
        "description": "One talk. Its player has a token, sent as `X-Player-Token`; for anybody else it is not there.",
    },
    {"name": "results", "description": "What came of an episode, and what of it is shown to others."},
    {"name": "players", "description": "What is kept of a player; and its end."},
    {"name": "house", "description": "Who can play here, and whether the server is well."},
]


def create_app(settings: Settings, *, hosts: Collection[str] | None = LOOPBACK) -> FastAPI:
    """The whole server for one story project. `hosts` are the names it answers to; None for any."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Studio.open(settings) as studio:
            app.state.studio = studio
            app.state.keyed = asyncio.Lock()
            app.state.reception = Reception(settings)
            app.state.stage = passing = stage.Stage(studio)
            sender = (
                OscSender(settings.ensemble.osc, studio.artifacts.root / audio.ROOT) if settings.ensemble.osc else None
            )
            if sender is not None:
                passing.add(sender)
            for run in await studio.resume_unfinished():
                if run.kind == ENSEMBLE:
                    passing.follow(run.id)
            yield
            await passing.close()
            if sender is not None:
                sender.close()

    app = FastAPI(
        title="dramaturg",
        summary="Stories that language models perform.",
        description=DESCRIPTION.strip(),
        version=__version__,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_tags=TAGS,
        generate_unique_id_function=_operation_id,
        redoc_url=None,
        lifespan=lifespan,
    )
    # The last to be added is asked first.
    app.add_middleware(TokenCheck, token=token_of(settings))
    app.add_middleware(Doorkeeper, hosts=hosts, origins=settings.players.origins)
    if settings.players.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.players.origins,
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Last-Event-ID", "X-Player-Token"],
            expose_headers=["Location", "Retry-After"],
        )
    answer_errors(app, settings)
    told = (scenes, exports, runs, sessions, messages, results, myself, episodes, ensemble, foreman, audio, insight)
    for router in (*(part.router for part in (*told, characters)), house.guarded):
        app.include_router(router, dependencies=[BEARER], responses=refusals(401, json=False))
    for part in (stage, pages, shared_pages, house):
        app.include_router(part.router)
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name
