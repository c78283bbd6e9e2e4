"""For the host: the sessions of players and their directors, what a day allows and has used, the files of episodes."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from dramaturg.characters.source_file import LONGEST_SOURCE
from dramaturg.episodes.hosted import HostedDirector, HostedSession
from dramaturg.episodes.sources import (
    EpisodeSource,
    SourceProblem,
    begin_source,
    check_source,
    read_source,
    write_source,
)
from dramaturg.episodes.spent_day import Spent
from dramaturg.kernel.values import Value
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.episodes import EpisodeSummary

router = api_router(prefix="/v1/host", tags=["host"])
Name = Annotated[str, Path(max_length=80, description="its name", examples=["tea-with-walter"])]


class HostedSessionList(Value):
    """Sessions, newest first."""

    sessions: tuple[HostedSession, ...]


class HostLimits(Value):
    """What players may use in a day, and what all of them have used in the last 24 hours. No limit where it is null."""

    open: tuple[str, ...] | None = Field(description="the episodes that are open to players; `*` for all")
    guests: bool
    seats: int | None
    player_tokens_per_day: int | None
    player_usd_per_day: float | None
    tokens_per_day: int | None
    usd_per_day: float | None
    spent: Spent


class SourceEdit(Value):
    """A new text for an episode's file."""

    text: str = Field(max_length=LONGEST_SOURCE)
    digest: str = Field(max_length=64, description="that of the text which was read")


class SourceText(Value):
    """A text for an episode's file, to be looked at."""

    text: str = Field(max_length=LONGEST_SOURCE)


class SessionModel(Value):
    """The model that is to play a session from now on."""

    model: str = Field(
        max_length=200,
        description="a model of the list, or `rehearsal`; empty for whoever plays where none is named",
    )


class NewEpisode(Value):
    """What a new episode begins with. Everything else is written in its file."""

    name: str = Field(min_length=1, max_length=80, description="the name of its file", examples=["tea-at-midnight"])
    title: str = Field("", max_length=200, description="its name if empty", examples=["Tea at midnight"])
    character: str = Field(min_length=1, max_length=64, description="a card of the project", examples=["walter"])


class EpisodeCheck(Value):
    """An episode as players would see it beforehand, or why it cannot be played."""

    shown: EpisodeSummary | None = None
    problems: tuple[SourceProblem, ...] = ()


@router.get("/sessions", summary="List the sessions of players", responses=declared_errors(422))
async def list_hosted_sessions(
    studio: OpenStudio, limit: Annotated[int, Query(ge=1, le=1000, description="the maximum number of sessions")] = 50
) -> HostedSessionList:
    """Every player's sessions, newest first: how far they are, not what was said."""
    return HostedSessionList(sessions=await studio.episodes.hosted.newest(limit))


@router.get("/sessions/{run_id}", summary="Get a session's director", responses=declared_errors(404, 422))
async def get_hosted_session(run_id: RunId, studio: OpenStudio) -> HostedDirector:
    """Beats, signals, flags, tension and the ledger of clues. The conversation belongs to its player."""
    return await studio.episodes.hosted.director(run_id)


@router.put(
    "/sessions/{run_id}/model",
    summary="Let another model play a session",
    responses=declared_errors(404, 409, 413, 422, 502, 503),
)
async def set_session_model(run_id: RunId, wanted: SessionModel, studio: OpenStudio) -> HostedDirector:
    """From the next message on, this model plays, in a group everybody; what was said stays."""
    await studio.episodes.set_model(run_id, wanted.model.strip())
    return await studio.episodes.hosted.director(run_id)


@router.get("/limits", summary="Get limits and spending", responses=declared_errors(422))
async def get_limits(studio: OpenStudio) -> HostLimits:
    """What `[players]` allows, and what has been used."""
    limits = studio.settings.players
    return HostLimits(
        **{name: getattr(limits, name) for name in HostLimits.model_fields if name != "spent"},
        spent=await studio.episodes.players.spent(),
    )


@router.post("/episodes", status_code=201, summary="Begin an episode", responses=declared_errors(409, 413, 422, 503))
async def begin_episode(new: NewEpisode, studio: OpenStudio) -> EpisodeSource:
    """Writes a new file in `episodes/` with a title and a character. A file that is there is never overwritten."""
    project = studio.settings.project
    return await asyncio.to_thread(begin_source, project, new.name, new.title, new.character)


@router.get("/episodes/{name}", summary="Get an episode's file", responses=declared_errors(404, 422))
async def get_episode_source(name: Name, studio: OpenStudio) -> EpisodeSource:
    """The text of the file, what is wrong with it if anything, and the digest that a change needs."""
    return await asyncio.to_thread(read_source, studio.settings.project, name)


@router.post("/episodes/{name}/check", summary="Check an episode's text", responses=declared_errors(404, 413, 422))
async def check_episode_source(name: Name, source: SourceText, studio: OpenStudio) -> EpisodeCheck:
    """What a text would be if it were saved: each problem with the keys that lead to it. Nothing is written."""
    checked = await asyncio.to_thread(check_source, studio.settings.project, name, source.text)
    shown = EpisodeSummary.of(checked.template, None) if checked.template is not None else None
    return EpisodeCheck(shown=shown, problems=checked.problems)


@router.put("/episodes/{name}", summary="Change an episode's file", responses=declared_errors(404, 409, 413, 422, 503))
async def put_episode_source(name: Name, edit: SourceEdit, studio: OpenStudio) -> EpisodeSource:
    """Replaces the text, if it can be played and the file is still the one that was read. Sessions keep theirs."""
    return await asyncio.to_thread(write_source, studio.settings.project, name, edit.text, edit.digest)
