"""The graph in memory: who matters, how two are connected, what lies around a scene, who knows what, who met whom."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Literal, TypeAlias

from dramaturg.kernel.errors import InvalidSettings, NotFound, install_extra
from dramaturg.workshop.graph.predicates import PRESENCE, declared
from dramaturg.workshop.graph.story_time import compared
from dramaturg.workshop.graph.values import Entity, Fact, StoryGraph

Way: TypeAlias = Literal["witnessed", "heard", "believes", "knows", "dreamed", "holds"]
REACH = 4.0
"""How far from a scene its subgraph goes."""
DAMPING = 0.85
_LINKS_CHARACTERS = ("character", "event")
_HELD: Mapping[str, Way] = {"believed": "believes", "dreamed": "dreamed"}


@dataclass(frozen=True, slots=True)
class Rank:
    """How central a character is; all ranks add up to 1."""

    entity: Entity
    rank: float
    facts: int


@dataclass(frozen=True, slots=True)
class Step:
    """One step from an entity to the next, with the facts that connect them, the closest first."""

    start: Entity
    end: Entity
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class NearFact:
    """A fact and its distance to a scene."""

    fact: Fact
    distance: float


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that a character knows, how they do, and since which file."""

    fact: Fact
    way: Way
    since: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """A scene, when it happens, and who was there."""

    scene: Entity
    time_from: str
    time_to: str
    cast: tuple[Entity, ...]


class StoryNetwork:
    """The facts of a graph that hold, as a network of entities; merged ones are one node."""

    def __init__(self, graph: StoryGraph) -> None:
        self.graph = graph

    # Who and how.

    def ranks(self) -> tuple[Rank, ...]:
        """The characters by PageRank over facts between them and the scenes they share, the most central first."""
        rx, by_id, roots = _rustworkx(), self.graph.by_id, self.graph.roots
        places: dict[int, int] = {}
        weights: dict[tuple[int, int], float] = {}
        counts: dict[int, int] = {}
        for one in self.graph.entities:
            if one.kind in _LINKS_CHARACTERS and roots[one.id] == one.id and not one.withdrawn:
                places[one.id] = len(places)
        for fact in self._linking:
            start, end = roots[fact.subject], roots[fact.object or 0]
            for here in (start, end):
                counts[here] = counts.get(here, 0) + 1
            if start in places and end in places:
                for pair in ((places[start], places[end]), (places[end], places[start])):
                    weights[pair] = weights.get(pair, 0.0) + 1.0 / declared(fact.predicate).distance
        network = rx.PyDiGraph(multigraph=False)
        network.add_nodes_from(list(places))
        network.extend_from_weighted_edge_list([(start, end, weight) for (start, end), weight in weights.items()])
        found = rx.pagerank(network, alpha=DAMPING, weight_fn=float) if places else {}
        characters = [number for number in places if by_id[number].kind == "character"]
        total = sum(found[places[number]] for number in characters) or 1.0
        ranks = [Rank(by_id[one], found[places[one]] / total, counts.get(one, 0)) for one in characters]
        return tuple(sorted(ranks, key=lambda one: (-one.rank, one.entity.id)))

    def path(self, start: int, end: int) -> tuple[Step, ...]:
        """The shortest way between two entities, with the facts on it. Raises NotFound if there is none."""
        network, places = self._network
        first, last = places[self.graph.roots[start]], places[self.graph.roots[end]]
        if first == last:
            return ()
        found = _rustworkx().dijkstra_shortest_paths(network, first, target=last, weight_fn=float)
        if last not in found:
            names = f"{self.graph.root(start).name} and {self.graph.root(end).name}"
            raise NotFound(f"Nothing that is known connects {names}.")
        way = [network[place] for place in found[last]]
        return tuple(
            Step(self.graph.by_id[here], self.graph.by_id[there], self._between(here, there))
            for here, there in itertools.pairwise(way)
        )

    def around(self, scene: int, reach: float = REACH) -> tuple[NearFact, ...]:
        """The subgraph of a scene: the facts of everything within reach, the nearest first, then the newest."""
        network, places = self._network
        here = places[self.graph.roots[scene]]
        lengths = _rustworkx().dijkstra_shortest_path_lengths(network, here, float)
        away = {network[place]: length for place, length in lengths.items() if length <= reach}
        away[network[here]] = 0.0
        near = [
            NearFact(fact, length)
            for entity in away
            for fact in self._facts_of.get(entity, ())
            if (length := self._length(fact, away)) is not None
        ]
        positions = self.graph.positions
        return tuple(sorted(near, key=lambda one: (one.distance, -positions.get(one.fact.file, -1), -one.fact.id)))

    # Knowledge and meetings.

    def knowledge(self, who: int, at: str = "") -> tuple[KnownFact, ...]:
        """What a character knows at a scene (at the end of the book without one), in the order they learned it.

        They know what is narrated where they were present, what they believe, dream, claim or plan, and what is said
        of them to know; of what others claim in their presence, they have heard the claim. A scene counts if it is
        earlier in story time or, where nobody can tell, in reading order.
        """
        me, roots = self.graph.roots[who], self.graph.roots
        order, present = self.graph.positions, self._presence.get(me, frozenset())
        later = {file for file in order if not self._is_before(file, at)}
        found = [
            KnownFact(fact, way, fact.file)
            for fact in self.graph.current
            if fact.file not in later
            and not (declared(fact.predicate).evident or declared(fact.predicate).craft)
            and (way := self._way(fact, me, roots, fact.file in present)) is not None
        ]
        return tuple(sorted(found, key=lambda one: (order.get(one.since, -1), one.fact.start, one.fact.id)))

    def meetings(self, *who: int) -> tuple[Meeting, ...]:
        """The scenes in which all of these were present, in reading order."""
        wanted = {self.graph.roots[one] for one in who}
        cast: dict[int, dict[int, Fact]] = {}
        for fact in self.graph.current:
            if fact.predicate in PRESENCE and fact.object is not None and fact.modality == "narrated":
                cast.setdefault(self.graph.roots[fact.object], {}).setdefault(self.graph.roots[fact.subject], fact)
        order, by_id = self.graph.positions, self.graph.by_id
        held = [(scene, there) for scene, there in cast.items() if wanted <= there.keys() and len(there) > 1]
        held.sort(key=lambda one: (min(order.get(fact.file, -1) for fact in one[1].values()), one[0]))
        return tuple(
            Meeting(by_id[scene], first.time_from, first.time_to, tuple(by_id[one] for one in sorted(there)))
            for scene, there in held
            for first in [next(iter(there.values()))]
        )

    def scene_of(self, file: str) -> Entity | None:
        """The scene that a file of the manuscript is."""
        name = file.removeprefix("manuscript/").removesuffix(".md")
        held = self.graph.names.get(name.casefold(), ())
        return next((one for one in held if one.kind == "event"), None)

    # How it is built.

    @property
    def _linking(self) -> Iterable[Fact]:
        """The facts that connect two entities."""
        roots = self.graph.roots
        return (one for one in self.graph.current if one.object is not None and roots[one.subject] != roots[one.object])

    @cached_property
    def _network(self) -> tuple[Any, Mapping[int, int]]:
        """The entities and the shortest distance between each two that a fact connects."""
        rx, roots = _rustworkx(), self.graph.roots
        network = rx.PyGraph(multigraph=False)
        nodes = [one.id for one in self.graph.entities if roots[one.id] == one.id]
        network.add_nodes_from(nodes)
        places = {number: place for place, number in enumerate(nodes)}
        shortest: dict[tuple[int, int], float] = {}
        for fact in self._linking:
            pair = _pair(places[roots[fact.subject]], places[roots[fact.object or 0]])
            distance = declared(fact.predicate).distance
            if distance < shortest.get(pair, distance + 1):
                shortest[pair] = distance
        network.extend_from_weighted_edge_list([(*pair, distance) for pair, distance in shortest.items()])
        return network, places

    @cached_property
    def _facts_of(self) -> Mapping[int, tuple[Fact, ...]]:
        """The facts of which each entity is the subject."""
        found: dict[int, list[Fact]] = {}
        for fact in self.graph.current:
            found.setdefault(self.graph.roots[fact.subject], []).append(fact)
        return {entity: tuple(facts) for entity, facts in found.items()}

    def _between(self, one: int, other: int) -> tuple[Fact, ...]:
        """The facts that connect two entities, the closest first."""
        roots = self.graph.roots
        both = ((one, other), (other, one))
        facts = [
            fact
            for start, end in both
            for fact in self._facts_of.get(start, ())
            if fact.object is not None and roots[fact.object] == end
        ]
        return tuple(sorted(facts, key=lambda fact: (declared(fact.predicate).distance, fact.id)))

    def _length(self, fact: Fact, away: Mapping[int, float]) -> float | None:
        """The distance of a fact: that of its farther end."""
        start = away.get(self.graph.roots[fact.subject])
        end = start if fact.object is None else away.get(self.graph.roots[fact.object])
        return None if start is None or end is None else max(start, end)

    @cached_property
    def _presence(self) -> Mapping[int, frozenset[str]]:
        """The files in which each character is present."""
        found: dict[int, set[str]] = {}
        for fact in self.graph.current:
            if fact.predicate in PRESENCE and fact.modality == "narrated":
                found.setdefault(self.graph.roots[fact.subject], set()).add(fact.file)
        return {who: frozenset(files) for who, files in found.items()}

    @cached_property
    def _times(self) -> Mapping[str, str]:
        """When each scene happens, by file."""
        return {fact.file: fact.time_from for fact in self.graph.current if fact.predicate == "happens_at"}

    def _is_before(self, file: str, at: str) -> bool:
        """Whether a file is at or before another: by story time, else in reading order."""
        if not at or file == at:
            return True
        order = compared(self._times.get(file, ""), self._times.get(at, ""))
        if order:
            return order < 0
        positions = self.graph.positions
        return positions.get(file, -1) <= positions.get(at, len(positions))

    def _way(self, fact: Fact, me: int, roots: Mapping[int, int], present: bool) -> Way | None:
        if fact.holder is not None and roots[fact.holder] == me:
            return _HELD.get(fact.modality, "holds")
        if fact.predicate == "knows":
            return "knows" if roots[fact.subject] == me and fact.modality == "narrated" else None
        if present and fact.modality in ("narrated", "claimed"):
            return "witnessed" if fact.modality == "narrated" else "heard"
        return None


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def has_network() -> bool:
    """Whether the extra that the network needs is installed."""
    try:
        _rustworkx()
    except InvalidSettings:
        return False
    return True


def _rustworkx() -> ModuleType:
    try:
        import rustworkx
    except ImportError as error:
        raise InvalidSettings(f"The knowledge graph needs rustworkx: {install_extra('workshop')}.") from error
    return rustworkx
