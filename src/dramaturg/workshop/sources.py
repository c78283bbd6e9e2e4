"""The sources of a book: its files, its decisions, its notebooks, its graph, and which model does what."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from dramaturg.kernel.models.judge import who_judges
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.settings import ModelUse
from dramaturg.workshop.book.book import NOWHERE, ActiveContext, HealthAlert
from dramaturg.workshop.book.file_cache import FileCache, one_look
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.known_book import KnownBook
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.snapshot import BookSnapshot, take_snapshot
from dramaturg.workshop.graph.entries import numbered_entry, scene_entries, series_entries
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.network import StoryNetwork, has_network
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.notebooks import NotebookShelf
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.store import KnowledgeBase

FindAlerts: TypeAlias = "Callable[[BookSources, StoryGraph], Awaitable[tuple[HealthAlert, ...]]]"
"""Finds what the last health check, and the promises, have to say of a book as it stands."""


@dataclass(frozen=True, slots=True)
class SeriesLinks:
    """What a book reads of its series: a graph with what earlier books say, or with what every book does; the folders.

    Only what the writer sees may be made of every book; prompts and checks are made of the earlier ones.
    """

    earlier: Callable[[StoryGraph], StoryGraph]
    every: Callable[[StoryGraph], StoryGraph]
    folders: Callable[[], Mapping[str, Path]]


class UsedModel(NamedTuple):
    """A model for a purpose, and what a reader of its work should know about the choice."""

    name: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class BookSources:
    """Everything that prompts and long work know of one book."""

    resources: Resources
    knowledge: KnowledgeBase
    notebooks: Callable[[], NotebookShelf]
    graph: BookGraph
    cache: FileCache
    known: KnownBook
    standing: FindAlerts | None = None
    series: SeriesLinks | None = None

    @property
    def project(self) -> Path:
        """The folder of the book."""
        return self.resources.settings.project

    @property
    def name(self) -> str:
        return self.resources.settings.workshop.book

    async def model_for(self, use: Mode | ModelUse, author: str | None = None) -> UsedModel:
        """The model configured for a mode or a purpose. A judge is told apart from the `author` of what it judges."""
        own = self.resources.settings.workshop
        models = {str(name): model for name, model in own.models.items()}
        default = own.model or (await self.resources.choose()).name
        if use != "judge":
            return UsedModel(models.get(use.lower()) or default)
        author = author or models.get("drafting") or default
        director = models.get("judge") or self.resources.settings.models.director
        judge, why = who_judges(director, author, profile_of(author))
        if why:
            return UsedModel(judge, f"{judge} judges {why}.")
        same = "The judge is the author's own model. Name another under [workshop.models] judge."
        return UsedModel(judge, same if judge == author else "")

    async def network(self, preview: StoryNetwork | None = None) -> StoryNetwork:
        """The graph as the files are now (`preview`), with what the series and earlier books say. Nothing is stored."""
        preview = preview or await self.graph.preview()
        if self.series is None:
            return preview
        graph = await asyncio.to_thread(self.series.earlier, preview.graph)
        return preview if graph is preview.graph else StoryNetwork(graph)

    async def snapshot(
        self, state: ForemanState, turn: int, message: str = "", active: ActiveContext = NOWHERE
    ) -> BookSnapshot:
        """The book in its current state, for the prompt of a turn."""
        with one_look():
            return await self._snapshot(state, turn, message, active)

    async def _snapshot(self, state: ForemanState, turn: int, message: str, active: ActiveContext) -> BookSnapshot:
        settings = self.resources.settings
        decisions, preview = await self.knowledge.holding(), await self.graph.preview()
        network = await self.network(preview)
        taken = await asyncio.to_thread(
            take_snapshot,
            settings,
            state.progress(turn),
            partial(self.known.look, decisions),
            self.notebooks(),
            message=message,
            active=active,
            around=_around(network, has_series=self.series is not None),
            cache=self.cache,
        )
        found = await self.standing(self, preview.graph) if self.standing is not None else ()
        alerts = {"alerts": (*taken.book.alerts, *found)}
        taken = replace(taken, book=taken.book.model_copy(update=alerts))
        return taken.told_as(partial(numbered_entry, preview.graph))


def _around(network: StoryNetwork, *, has_series: bool) -> Callable[[str], tuple[KnowledgeEntry, ...]]:
    """What the series says, and the facts around a scene; none of those where the graph's extra is not installed."""
    shared = series_entries(network.graph) if has_series else ()
    near = scene_entries(network) if has_network() else lambda file: ()
    return lambda file: (*shared, *near(file))
