"""The facts that stand, by position: whom or what they are about, and what they say of it.

Only what is narrated stands. What someone claims, believes, dreams or plans contradicts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dramaturg.workshop.consolidation.timeline import EARLIER
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.predicates import DATES, PRESENCE, declared
from dramaturg.workshop.graph.values import Fact, StoryGraph

PLACES = ("is_at", *PRESENCE)


@dataclass(frozen=True, slots=True)
class Finding:
    """Two facts that cannot both be true, the rule that says so, and what else it rests on."""

    rule: str
    old: Fact
    new: Fact
    said: str
    further: tuple[Fact, ...] = ()


class StandingFacts:
    """The facts of a graph that stand so far. A fact is compared with those in its own position, and with no others."""

    def __init__(self, graph: StoryGraph, facts: Iterable[Fact]) -> None:
        self.graph = graph
        self.positions = dict(graph.positions)
        self._of: dict[tuple[int, str], list[Fact]] = {}
        self._held: dict[tuple[int, str], list[Fact]] = {}
        self._times: dict[str, str] = {}
        self.has_roads = False
        self._said: set[tuple[object, ...]] = set()
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Lets a fact stand. One that says no more than another in the same scene takes no further place."""
        if fact.modality != "narrated" or declared(fact.predicate).evident:
            return
        subject, target = self.graph.roots.get(fact.subject, fact.subject), self.root(fact.object)
        said = (subject, fact.predicate, target, fact.value, fact.time_from, fact.time_to, fact.file)
        if said in self._said:
            return
        self._said.add(said)
        self._of.setdefault((subject, fact.predicate), []).append(fact)
        if target is not None:
            self._held.setdefault((target, fact.predicate), []).append(fact)
        self.has_roads = self.has_roads or fact.predicate == "road_to"
        if fact.predicate == "happens_at":
            self._times.setdefault(fact.file, fact.value or fact.time_from)

    def root(self, entity: int | None) -> int | None:
        return None if entity is None else self.graph.roots.get(entity, entity)

    def of(self, subject: int | None, *predicates: str) -> Iterator[Fact]:
        """The facts with these predicates that have this subject, or this object where the two are alike."""
        if subject is None:
            return
        for name in predicates:
            yield from self._of.get((subject, name), ())
            if declared(name).symmetric:
                yield from self._held.get((subject, name), ())

    def about(self, target: int | None, *predicates: str) -> Iterator[Fact]:
        """The facts with these predicates that have this object."""
        if target is not None:
            for name in predicates:
                yield from self._held.get((target, name), ())

    def partner(self, fact: Fact, one: int | None) -> int | None:
        """The other end of a fact, seen from one of its ends."""
        subject, target = self.root(fact.subject), self.root(fact.object)
        return target if subject == one else subject

    def moment(self, fact: Fact) -> str:
        """When it is true: the date that it states, else its story time."""
        return fact.value if fact.predicate in DATES and fact.value else fact.time_from

    def scene_time(self, fact: Fact) -> str:
        """When the scene happens that tells it."""
        return self._times.get(fact.file, "" if fact.time_from == EARLIER else fact.time_from)

    def told(self, fact: Fact) -> str:
        return told(self.graph, fact)

    def name(self, entity: int | None) -> str:
        found = self.graph.by_id.get(entity) if entity is not None else None
        return found.name if found is not None else ""
