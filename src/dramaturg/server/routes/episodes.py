"""Episodes and series that can be played, as players may see them beforehand."""

from __future__ import annotations

import asyncio
from operator import not_
from typing import Annotated

from fastapi import Depends, Path, Request
from pydantic import Field

from dramaturg.authored import UnreadableFile
from dramaturg.episodes.series import Series, series_with
from dramaturg.episodes.suggestion import Repertoire
from dramaturg.episodes.template import CompletionMode, EpisodeTemplate, ProgressDisplay, SceneCard
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import Value
from dramaturg.server.http.bearer import is_author
from dramaturg.server.http.callers import limit_address
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1", tags=["episodes"], dependencies=[Depends(limit_address)])


async def playable(request: Request, studio: OpenStudio) -> Repertoire:
    """Every episode for the author; for players, those that the host has opened, and the series with any of them."""
    found = await asyncio.to_thread(studio.episodes.repertoire)
    if is_author(request.scope):
        return found
    is_open = studio.settings.players.is_open
    series = (
        one.model_copy(update={"episodes": tuple(name for name in one.episodes if is_open(name))})
        for one in found.series
    )
    return found.model_copy(
        update={
            "templates": tuple(one for one in found.templates if is_open(one.name)),
            "series": tuple(one for one in series if one.episodes),
            "unreadable_templates": (),
            "unreadable_series": (),
        }
    )


Playable = Annotated[Repertoire, Depends(playable)]
Name = Annotated[str, Path(max_length=80, description="its name", examples=["tea-with-walter"])]


class EpisodeSummary(Value):
    """An episode as a player may see it beforehand, without what its director watches for."""

    name: str
    title: str
    description: str = ""
    character: str = Field(description="the name of the character's card")
    characters: tuple[str, ...] = Field((), description="all of them, in a group", exclude_if=not_)
    scene_card: SceneCard | None = None
    player_role: str = ""
    objective: str = ""
    completion_mode: CompletionMode
    turn_budget: int | None = Field(None, description="how many turns it should take, if players are shown that")
    evaluation: str | None = None
    progress: ProgressDisplay
    themes: tuple[str, ...] = ()
    directors_cut: bool = False
    series: str | None = Field(None, description="the series it belongs to")
    number: int | None = Field(None, description="its place in the series, from 1")

    @classmethod
    def of(cls, template: EpisodeTemplate, series: Series | None) -> EpisodeSummary:
        return cls(
            name=template.name,
            title=template.shown_title,
            description=template.description,
            character=template.character,
            characters=template.characters,
            scene_card=template.scene_card,
            player_role=template.player.role,
            objective=template.player.objective,
            completion_mode=template.completion_mode,
            turn_budget=template.turns if template.progress != "hidden" else None,
            evaluation=template.evaluation,
            progress=template.progress,
            themes=template.themes,
            directors_cut=template.directors_cut,
            series=series.name if series else None,
            number=series.number_of(template.name) if series else None,
        )


class EpisodeList(Value):
    """Sorted by name."""

    episodes: tuple[EpisodeSummary, ...]
    unreadable: tuple[UnreadableFile, ...] = Field(
        (), description="for the author: files in `episodes/` that cannot be played, and why", exclude_if=not_
    )


class SeriesSummary(Value):
    """Episodes in a fixed order."""

    name: str
    title: str
    description: str = ""
    episodes: tuple[str, ...] = Field(description="names of episodes, in order")
    themes: tuple[str, ...] = ()

    @classmethod
    def of(cls, series: Series) -> SeriesSummary:
        return cls(
            name=series.name,
            title=series.shown_title,
            description=series.description,
            episodes=series.episodes,
            themes=series.themes,
        )


class SeriesList(Value):
    """Sorted by name."""

    series: tuple[SeriesSummary, ...]


@router.get("/episodes", summary="List the episodes", responses=declared_errors(422, 429))
async def list_episodes(found: Playable) -> EpisodeList:
    """The episodes of this project, as players may see them."""
    return EpisodeList(
        episodes=tuple(EpisodeSummary.of(one, series_with(one.name, found.series)) for one in found.templates),
        unreadable=found.unreadable_templates,
    )


@router.get("/episodes/{name}", summary="Get an episode", responses=declared_errors(404, 422, 429))
async def get_episode(name: Name, found: Playable) -> EpisodeSummary:
    """One episode, as players may see it."""
    template = found.template(name)
    if template is None:
        _check_readable(name, found)
        raise NotFound(f"There is no episode '{name}'.", name=name)
    return EpisodeSummary.of(template, series_with(name, found.series))


@router.get("/series", summary="List the series", responses=declared_errors(422, 429))
async def list_series(known: Playable) -> SeriesList:
    """The series of this project, with their themes and episodes."""
    return SeriesList(series=tuple(SeriesSummary.of(one) for one in known.series))


@router.get("/series/{name}", summary="Get a series", responses=declared_errors(404, 422, 429))
async def get_series(name: Name, known: Playable) -> SeriesSummary:
    """One series, with its themes and episodes."""
    found = next((one for one in known.series if one.name == name), None)
    if found is None:
        _check_readable(name, known)
        raise NotFound(f"There is no series '{name}'.", name=name)
    return SeriesSummary.of(found)


def _check_readable(name: str, repertoire: Repertoire) -> None:
    """Raises InvalidConfig if there is a file of that name that cannot be read."""
    problem = next((one.problem for one in repertoire.unreadable if one.name == name), None)
    if problem is not None:
        raise InvalidConfig(problem, name=name)
