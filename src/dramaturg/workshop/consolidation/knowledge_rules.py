"""The rule for what someone knows though nobody told them.

A thing is a secret once someone is said to know it. From then on it spreads where people meet: whoever is in a scene
with one who knows it may have been told. Whoever is said to know it outside of that circle has it from nowhere. Where
it is not recorded who was in which scene, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dramaturg.kernel.text.words import content
from dramaturg.workshop.consolidation.comparison import same_content
from dramaturg.workshop.consolidation.standing import Finding, StandingFacts
from dramaturg.workshop.consolidation.timeline import EARLIER
from dramaturg.workshop.graph.predicates import PRESENCE
from dramaturg.workshop.graph.story_time import compared, story_point
from dramaturg.workshop.graph.values import Fact, StoryGraph


class Secrets:
    """Who could know what, by who was in which scene."""

    def __init__(self, graph: StoryGraph) -> None:
        self._graph = graph
        self._casts: dict[str, set[int]] = {}
        self._told: dict[str, list[Fact]] = {}
        for fact in graph.current:
            if fact.predicate in PRESENCE and fact.modality == "narrated":
                self._casts.setdefault(fact.file, set()).add(graph.roots[fact.subject])
            elif fact.modality == "claimed" and fact.holder is not None:
                self._casts.setdefault(fact.file, set()).add(graph.roots[fact.holder])  # by letter, by telephone
            if fact.predicate == "knows" and fact.object is None and fact.modality in ("narrated", "claimed"):
                for word in set(content(fact.value)):
                    self._told.setdefault(word, []).append(fact)
        self._order = self._in_story_order(graph.positions)

    def sources(self, new: Fact) -> list[Fact]:
        """The facts of earlier scenes that tell the same thing."""
        here = self._place(new.file)
        near = {old.id: old for word in content(new.value) for old in self._told.get(word, ())}
        return [old for old in near.values() if old.id != new.id and self._place(old.file) < here and _same(old, new)]

    def may_know(self, who: int, old: Fact, until: str) -> bool | None:
        """Whether someone can have learned it between two scenes; None if their whereabouts are not recorded."""
        first, last = self._place(old.file), self._place(until)
        knowing = {self._graph.roots[old.subject], *self._casts.get(old.file, ())}
        if old.holder is not None:
            knowing.add(self._graph.roots[old.holder])
        if not self._casts.get(old.file) or who not in self._casts.get(until, ()):
            return None
        for file in self._order[first : last + 1]:
            cast = self._casts.get(file, set())
            if not cast:
                return None  # anybody may have met anybody there
            if cast & knowing:
                knowing |= cast
        return who in knowing

    def _place(self, file: str) -> int:
        return self._places.get(file, -1)

    def _in_story_order(self, positions: Mapping[str, int]) -> list[str]:
        """The scenes in the order of the story where every one is dated, else in reading order."""
        files = sorted((file for file, place in positions.items() if place >= 0), key=lambda file: positions[file])
        times = {f.file: f.time_from for f in self._graph.current if f.predicate == "happens_at"}
        dated = [times.get(file, "") for file in files]
        if files and all(dated) and all(compared(dated[0], one) is not None for one in dated):
            files.sort(key=lambda file: _sortable(times[file]))
        self._places = {file: place for place, file in enumerate(files)}
        return files


def knowledge(new: Fact, standing: StandingFacts, secrets: Secrets) -> Iterator[Finding]:
    """Someone who knows what nobody told them."""
    if new.predicate != "knows" or new.object is not None or new.time_from == EARLIER:
        return
    who = standing.graph.roots[new.subject]
    for old in secrets.sources(new):
        if standing.graph.roots[old.subject] == who:
            return
        if secrets.may_know(who, old, new.file) is False:
            name = standing.name(who)
            said = f"{standing.told(new)}; but {name} has met nobody who knew it since {standing.told(old)}."
            yield Finding("knowledge", old, new, said)
            return


def _same(old: Fact, new: Fact) -> bool:
    """Whether two facts tell one thing. To know a person, a place or a thing is no secret: only texts are compared."""
    return old.object is None and new.object is None and same_content(old.value, new.value)


def _sortable(time: str) -> tuple[int, ...]:
    point = story_point(time)
    return point.numbers if point is not None else ()
