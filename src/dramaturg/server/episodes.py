"""What can be played: episodes and series, as players may see them before they begin."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field

from dramaturg.episodes.series import Series, series_with
from dramaturg.episodes.suggestion import Repertoire
from dramaturg.episodes.template import CompletionMode, EpisodeTemplate, Progress, SceneCard
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import Value
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals
from dramaturg.server.players import received
from dramaturg.studio import Studio

router = APIRouter(prefix="/v1", tags=["episodes"], dependencies=[Depends(received)])
Name = Annotated[str, Path(max_length=80, description="its name", examples=["tea-with-walter"])]


class EpisodeOffer(Value):
    """An episode, as a player may see it before it begins. What its director watches for is not told."""

    name: str
    title: str
    description: str = ""
    character: str = Field(description="the name of the character's card")
    scene_card: SceneCard | None = None
    player_role: str = ""
    objective: str = ""
    completion_mode: CompletionMode
    turn_budget: int | None = Field(None, description="how many turns it should take, where that is shown")
    evaluation: str | None = None
    progress: Progress
    themes: tuple[str, ...] = ()
    directors_cut: bool = False
    series: str | None = Field(None, description="the series it belongs to")
    number: int | None = Field(None, description="its place in the series, from 1")

    @classmethod
    def of(cls, template: EpisodeTemplate, series: Series | None) -> EpisodeOffer:
        return cls(
            name=template.name,
            title=template.shown_title,
            description=template.description,
            character=template.character,
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
    """By name."""

    episodes: tuple[EpisodeOffer, ...]


class SeriesOffer(Value):
    """Episodes in an order."""

    name: str
    title: str
    description: str = ""
    episodes: tuple[str, ...] = Field(description="names of episodes, in order")
    themes: tuple[str, ...] = ()

    @classmethod
    def of(cls, series: Series) -> SeriesOffer:
        return cls(
            name=series.name,
            title=series.shown_title,
            description=series.description,
            episodes=series.episodes,
            themes=series.themes,
        )


class SeriesList(Value):
    """By name."""

    series: tuple[SeriesOffer, ...]


@router.get("/episodes", summary="The episodes of this project", responses=refusals(422, 429))
async def list_episodes(studio: OpenStudio) -> EpisodeList:
    """What can be played, as players may see it."""
    found = await _repertoire(studio)
    return EpisodeList(
        episodes=tuple(EpisodeOffer.of(one, series_with(one.name, found.series)) for one in found.templates)
    )


@router.get("/episodes/{name}", summary="An episode", responses=refusals(404, 422, 429))
async def get_episode(name: Name, studio: OpenStudio) -> EpisodeOffer:
    """The same for one of them."""
    found = await _repertoire(studio)
    template = found.template(name)
    if template is None:
        _check_readable(name, found)
        raise NotFound(f"There is no episode '{name}' here.", name=name)
    return EpisodeOffer.of(template, series_with(name, found.series))


@router.get("/series", summary="The series of this project", responses=refusals(422, 429))
async def list_series(studio: OpenStudio) -> SeriesList:
    """Episodes in an order, and what they are about."""
    return SeriesList(series=tuple(SeriesOffer.of(one) for one in (await _repertoire(studio)).series))


@router.get("/series/{name}", summary="A series", responses=refusals(404, 422, 429))
async def get_series(name: Name, studio: OpenStudio) -> SeriesOffer:
    """The same for one of them."""
    known = await _repertoire(studio)
    found = next((one for one in known.series if one.name == name), None)
    if found is None:
        _check_readable(name, known)
        raise NotFound(f"There is no series '{name}' here.", name=name)
    return SeriesOffer.of(found)


def _check_readable(name: str, repertoire: Repertoire) -> None:
    """Raises InvalidConfig if there is a file of that name that cannot be read."""
    problem = next((one.problem for one in repertoire.unreadable if one.name == name), None)
    if problem is not None:
        raise InvalidConfig(problem, name=name)


async def _repertoire(studio: Studio) -> Repertoire:
    return await asyncio.to_thread(studio.episodes.repertoire)
