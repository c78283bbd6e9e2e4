"""The front of a book's knowledge graph: read the book, ask, merge and split, export and import."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreUnavailable
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.shortened import shortened
from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.book.manuscript import scene_numbers
from dramaturg.workshop.graph.exchange import from_graphml, from_json, to_graphml, to_json
from dramaturg.workshop.graph.intake import Intake, book_places, take_in
from dramaturg.workshop.graph.network import StoryNetwork
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.graph.values import Entity, StoryGraph, folded
from dramaturg.workshop.graph.wire import (
    EntityFacts,
    EntityView,
    KnowledgeView,
    MeetingList,
    PathView,
    RankList,
    SceneGraph,
    entity_facts,
    entity_view,
    knowledge_view,
    meeting_list,
    path_view,
    rank_list,
    scene_graph,
)

ATTEMPTS = 5
_NOT_KEPT = "The store cannot be written: this is the graph of the files as they are, and it is not saved."


@dataclass(frozen=True, slots=True)
class GraphReading:
    """The graph with everything that the files say now; `kept` is false if the store could not be written."""

    network: StoryNetwork
    intake: Intake
    at: float
    kept: bool = True

    @property
    def graph(self) -> StoryGraph:
        return self.network.graph

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read, and whether the graph could not be stored."""
        return self.intake.problems if self.kept else (*self.intake.problems, _NOT_KEPT)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A graph and the version of the stored one that it is built on."""

    version: tuple[object, ...]
    network: StoryNetwork


class BookGraph:
    """The knowledge graph of one book. The files are read again before every question."""

    def __init__(
        self,
        store: GraphStore,
        project: Path,
        clock: Clock,
        cache: FileCache | None = None,
        join: Callable[[StoryGraph], StoryGraph] = lambda graph: graph,
    ) -> None:
        """`join` adds what the series and earlier books say, for questions."""
        self._join = join
        self._store = store
        self._project = project
        self._clock = clock
        self._cache = cache or FileCache(clock.now)
        self._stored: _Loaded | None = None
        self._seen: _Loaded | None = None

    async def read(self) -> GraphReading:
        """The graph as the files are now. What is new is stored, unless the store cannot be written."""
        for _ in range(ATTEMPTS):
            base = await self._loaded()
            reading = await asyncio.to_thread(_taken_in, base.network, self._project, self._clock.now(), self._cache)
            if not reading.intake.change:
                return reading
            try:
                if await self._store.apply(reading.intake.change, base.network.graph.last, reading.at):
                    return reading
            except StoreUnavailable:
                return replace(reading, kept=False)
        raise StoreUnavailable("The knowledge graph could not be saved: other processes keep changing it. Try again.")

    async def preview(self) -> StoryNetwork:
        """The graph as the files are now, for a prompt: nothing is stored, and nothing is read twice."""
        base = await self._loaded()
        self._seen = await asyncio.to_thread(self._previewed, base)
        return self._seen.network

    def _previewed(self, base: _Loaded) -> _Loaded:
        """The graph that was seen last, if no file has changed since; else as they are now."""
        seen = self._seen if self._seen is not None and self._seen.version == base.version else base

        def read() -> _Loaded:
            return _Loaded(base.version, _taken_in(seen.network, self._project, self._clock.now(), self._cache).network)

        places = book_places(self._project)
        key = ("graph", base.version)
        self._cache.keep_only([key], "graph")
        return self._cache.made(key, places, read)

    async def _loaded(self) -> _Loaded:
        version = await self._store.version()
        if self._stored is None or self._stored.version != version:
            self._stored = _Loaded(version, StoryNetwork(await self._store.load()))
        return self._stored

    async def _asked(self) -> StoryNetwork:
        """The graph that questions are asked of: the book's, with what the series and earlier books say."""
        own = (await self.read()).network
        graph = await asyncio.to_thread(self._join, own.graph)
        return own if graph is own.graph else StoryNetwork(graph)

    # Questions. They are answered in a thread: a book may have many thousand facts.

    async def who(self, name: str) -> EntityFacts:
        """Everything that is known about someone or something."""
        graph = (await self._asked()).graph
        return await asyncio.to_thread(entity_facts, graph, entity_named(graph, name))

    async def characters(self) -> RankList:
        """The characters, the most central first."""
        reading = await self.read()
        return await asyncio.to_thread(lambda: rank_list(reading.graph, reading.network.ranks(), reading.problems))

    async def path(self, start: str, end: str) -> PathView:
        """The shortest way between two, with the facts on it."""
        network = await self._asked()
        ends = [entity_named(network.graph, name).id for name in (start, end)]
        return await asyncio.to_thread(lambda: path_view(network.graph, network.path(*ends)))

    async def knows(self, who: str, at: str = "") -> KnowledgeView:
        """What a character knows at a scene, or at the end of the book."""
        network = await self._asked()
        character = entity_named(network.graph, who)
        file = _file_of(network, at) if at else ""
        return await asyncio.to_thread(
            lambda: knowledge_view(network.graph, character, file, network.knowledge(character.id, file))
        )

    async def scene(self, name: str) -> SceneGraph:
        """What lies around a scene, the nearest first."""
        network = await self._asked()
        scene = _scene_named(network, name)
        return await asyncio.to_thread(lambda: scene_graph(network.graph, scene, network.around(scene.id)))

    async def together(self, *who: str) -> MeetingList:
        """The scenes in which all of these were present."""
        network = await self._asked()
        present = [entity_named(network.graph, name).id for name in who]
        return await asyncio.to_thread(lambda: meeting_list(network.meetings(*present)))

    # Changes.

    async def merge(self, name: str, into: str) -> EntityView:
        """Makes two entities one, under the second's name. Raises InvalidConfig if a fact makes that impossible."""
        graph = (await self.read()).graph
        one, other = entity_named(graph, name), entity_named(graph, into)
        first, second = graph.root(one.id), graph.root(other.id)
        if first.id == second.id:
            raise InvalidConfig(f"'{name}' and '{into}' are one already: {second.name}.")
        if first.kind != second.kind:
            raise InvalidConfig(f"{first.name} is a {first.kind} and {second.name} a {second.kind}; they stay two.")
        for fact in graph.current:
            ends = {graph.roots.get(fact.subject), graph.roots.get(fact.object or 0)}
            if ends == {first.id, second.id} and not declared(fact.predicate).oneself:
                raise InvalidConfig(
                    f"Fact {fact.id} says that one {declared(fact.predicate).label} the other, so that "
                    f"{first.name} and {second.name} cannot be one."
                )
        await self._store.merge(first.id, second.id)
        return entity_view(await self._store.load(), second)

    async def split(self, name: str) -> EntityView:
        """Takes an entity out of the one that it was merged into."""
        graph = (await self.read()).graph
        merged = [one for one in graph.entities if one.merged_into is not None and folded(one.name) == folded(name)]
        if not merged:
            held = ", ".join(one.name for one in graph.entities if one.merged_into is not None) or "none"
            raise NotFound(f"'{name}' is not merged into another (those that are: {held}).", name=name)
        await self._store.merge(merged[0].id, None)
        return entity_view(await self._store.load(), merged[0])

    async def export(self, *, graphml: bool) -> bytes:
        """The whole graph as a file, retired facts included."""
        graph = (await self.read()).graph
        return await asyncio.to_thread(to_graphml if graphml else to_json, graph)

    async def fill(self, data: bytes) -> StoryGraph:
        """Takes over an exported graph. Raises InvalidConfig if it is not one, or if the book has a graph already."""
        graph = await asyncio.to_thread(from_graphml if data.lstrip()[:1] == b"<" else from_json, data)
        await self._store.fill(graph)
        return graph


def _scene_named(network: StoryNetwork, name: str) -> Entity:
    """The scene that a file, a path, `Chapter 4, Scene 2` or a title names."""
    numbers = scene_numbers(name)
    short = f"ch{numbers[0]:02}-sc{numbers[1]:02}" if numbers else name
    found = network.scene_of(name.replace("\\", "/").removeprefix("./")) or network.scene_of(short)
    if found is None:
        held = [one for one in network.graph.names.get(folded(name), ()) if one.kind == "event"]
        found = held[0] if len(held) == 1 else None
    if found is None:
        known = ", ".join(sorted(path for path, place in network.graph.positions.items() if place >= 0)[:8])
        raise NotFound(f"There is no scene '{name}' (there is: {known or 'nothing in manuscript/ yet'}).", name=name)
    return found


def _file_of(network: StoryNetwork, name: str) -> str:
    return f"manuscript/{_scene_named(network, name).name}.md"


def entity_named(graph: StoryGraph, name: str) -> Entity:
    """Who or what is meant by a name, an alias or a number such as `#12`. Raises if none or several may be."""
    number = whole_number(name.strip().removeprefix("#"))
    if name.strip().startswith("#") and number is not None and number in graph.by_id:
        return graph.by_id[number]
    held = graph.names.get(folded(name), ())
    own = [one for one in held if folded(one.name) == folded(name)]
    meant = {graph.roots[one.id]: one for one in own or held}
    if len(meant) == 1:
        return next(iter(meant.values()))
    if meant:
        who = ", ".join(f"#{one.id} {one.name} ({one.kind})" for one in meant.values())
        raise InvalidConfig(f"'{name}' is a name of several: {who}. Give the number.", name=name)
    known = ", ".join(one.name for one in graph.entities if one.kind == "character" and one.merged_into is None)
    shown = shortened(known, 200) or "none yet"
    raise NotFound(f"Nothing in the graph is called '{name}' (characters: {shown}).", name=name)


def _taken_in(network: StoryNetwork, project: Path, at: float, cache: FileCache) -> GraphReading:
    intake = take_in(network.graph, project, cache)
    if intake.change:
        network = StoryNetwork(network.graph.changed(intake.change, at))
    return GraphReading(network, intake, at)
