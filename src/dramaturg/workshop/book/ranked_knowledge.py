"""What is known about a book in an order: given as it is, or ranked and worked out only as far as somebody reads.

Ranked here and not in the database, so that SQLite and Postgres give the same prompt (ADR 0021).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import merge
from itertools import chain, islice
from typing import NamedTuple, TypeAlias, overload

from dramaturg.workshop.book.decisions import FOUNDATIONAL, DecisionKind
from dramaturg.workshop.book.knowledge import KnowledgeEntry

RELEVANCE, RECENCY = 0.7, 0.3
# Of every five places, three are for the foundations, so that neither side can crowd out the other.
PLACES = (True, True, False, True, False)
_OTHERS_BEFORE = {True: (0, 0, 1), False: (2, 3)}
"""How many of the other side stand before each of its own among the five."""
_CORE = re.compile(r"(?:^|_)(?:fatal_flaw|flaw|the_lie|lie|arc|want|need|wound)(?:_|$)")

Place: TypeAlias = tuple[int, int]
"""Where an entry comes from, and its number there."""
Group: TypeAlias = tuple[bool, int, DecisionKind | None]
"""Foundational or not; how much it is needed; and of which kind, or of any."""
CORE: Group = (True, 2, None)
"""The protagonist's flaw and lie."""


class Slot(NamedTuple):
    """An entry in its place; of two slots the older one is less, and of two as old the one in the earlier place."""

    at: float
    place: Place
    entry: KnowledgeEntry
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, place: Place, entry: KnowledgeEntry) -> Slot:
        return cls(entry.at, place, entry, groups_of(entry))


Scored: TypeAlias = tuple[float, Place, Slot]


class Knowledge(Sequence[KnowledgeEntry]):
    """Entries in the order in which a prompt should tell them."""

    def __init__(self, entries: Iterable[KnowledgeEntry] = ()) -> None:
        self._entries = tuple(entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[KnowledgeEntry]:
        return iter(self._entries)

    @overload
    def __getitem__(self, place: int) -> KnowledgeEntry: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[KnowledgeEntry, ...]: ...

    def __getitem__(self, place: int | slice) -> KnowledgeEntry | tuple[KnowledgeEntry, ...]:
        stop = place.stop if isinstance(place, slice) else place + 1
        return tuple(islice(self, stop) if stop is not None and stop > 0 else self)[place]

    def core(self, most: int) -> list[KnowledgeEntry]:
        """The first entries of the protagonist's core."""
        return list(islice((one for one in self if one.is_core), most))

    def first(self, most: int, *kinds: DecisionKind) -> list[KnowledgeEntry]:
        """The first entries of some kinds, without the protagonist's core and the facts around the scene at hand."""
        found = (one for one in self if one.kind in kinds and not one.is_core and one.distance is None)
        return list(islice(found, most))

    def near(self, most: int) -> list[KnowledgeEntry]:
        """The first facts around the scene at hand."""
        return list(islice((one for one in self if one.distance is not None), most))


@dataclass(frozen=True, slots=True)
class Shelf:
    """The slots of a book: by place, and oldest first, all of them and by group.

    Nothing of it is ever changed, only replaced, so that a ranking outlives the changes after it.
    """

    slots: Mapping[Place, Slot] = field(default_factory=dict)
    ages: Sequence[Slot] = ()
    ranks: Mapping[Place, int] = field(default_factory=dict)
    """Where each stands by age; the oldest has 1."""
    groups: Mapping[Group, Sequence[Slot]] = field(default_factory=dict)
    corrected: Mapping[Place, tuple[Slot, ...]] = field(default_factory=dict)
    """The corrections of an entry, by its place."""
    corrects: Mapping[Place, tuple[Slot, ...]] = field(default_factory=dict)
    """What a correction corrects, by its place."""


def groups_of(entry: KnowledgeEntry) -> tuple[Group, ...]:
    """The groups that an entry belongs to."""
    if entry.is_core:
        return (CORE,)
    side, need = entry.category in FOUNDATIONAL, int(entry.category == "character" and _is_of_core(entry.key))
    return ((side, need, None), (side, need, entry.kind))


@lru_cache(maxsize=8192)
def _is_of_core(key: str) -> bool:
    """Whether a key names something of a character's core."""
    return _CORE.search(key) is not None


class RankedKnowledge(Knowledge):
    """The slots of a shelf by relevance and recency, and after them the facts around the scene at hand.

    The protagonist's flaw and lie come first. Foundational entries have three places of five, those of a character's
    core before the others; a correction comes before what it corrects. Of equals, the last one comes first.

    To read the first entries takes no longer for a long book than for a short one.
    """

    def __init__(
        self,
        shelf: Shelf,
        relevance: Mapping[Place, float],
        around: Sequence[KnowledgeEntry] = (),
    ) -> None:
        """`relevance` has the entries that are relevant at all."""
        self._shelf, self._relevance, self._around = shelf, relevance, tuple(around)
        self._told_as: Callable[[KnowledgeEntry], KnowledgeEntry] = lambda entry: entry
        slots, ranks, many = shelf.slots, shelf.ranks, len(shelf.ages)
        self._relevant: list[Scored] = sorted(
            [
                (RELEVANCE * near + RECENCY * (ranks[place] / many), place, slots[place])
                for place, near in relevance.items()
            ]
        )
        self._of_group: dict[Group, list[Scored]] = defaultdict(list)
        for one in self._relevant:
            for group in one[2].groups:
                self._of_group[group].append(one)
        self._by_age: dict[Group, list[Slot]] = {}

    def told_as(self, change: Callable[[KnowledgeEntry], KnowledgeEntry]) -> RankedKnowledge:
        """The same order, with every entry changed when it is read."""
        changed = copy(self)
        changed._told_as = change
        return changed

    def __len__(self) -> int:
        return len(self._shelf.ages) + len(self._around)

    def __iter__(self) -> Iterator[KnowledgeEntry]:
        return map(self._told_as, chain((slot.entry for slot in self._order()), self._around))

    def core(self, most: int) -> list[KnowledgeEntry]:
        return [self._told_as(slot.entry) for *_, slot in islice(self._scored(CORE), most)]

    def near(self, most: int) -> list[KnowledgeEntry]:
        return [self._told_as(one) for one in self._around[:most]]

    def first(self, most: int, *kinds: DecisionKind) -> list[KnowledgeEntry]:
        moving = [kind for kind in kinds if kind == "correction"]
        found = [
            (self._turn(slot), 1, 0, slot)
            for side in (True, False)
            for slot in islice(self._side(side, *(kind for kind in kinds if kind not in moving)), most)
        ]
        found += [self._moved(slot) for side in (True, False) for slot in self._side(side, *moving)]
        return [self._told_as(slot.entry) for *_, slot in sorted(found, key=lambda one: one[:3])[:most]]

    def _moved(self, correction: Slot) -> tuple[int, int, int, Slot]:
        """Where a correction comes: before the first entry that it corrects, after others that do."""
        turn = self._turn(correction)
        return min([turn, *map(self._turn, self._shelf.corrects.get(correction.place, ()))]), 0, turn, correction

    def _order(self) -> Iterator[Slot]:
        """Every slot, each correction moved before the first entry that it corrects."""
        yield from (slot for *_, slot in self._scored(CORE))
        told: set[Place] = set()
        for slot in self._by_turns():
            waiting = [one for one in self._shelf.corrected.get(slot.place, ()) if one.place not in told]
            for one in (*sorted(waiting, key=self._turn), slot):
                if one.place not in told:
                    yield one
                if one.entry.kind == "correction":
                    told.add(one.place)

    def _by_turns(self) -> Iterator[Slot]:
        return (slot for _, slot in merge(self._with_turns(True), self._with_turns(False)))

    def _with_turns(self, side: bool) -> Iterator[tuple[int, Slot]]:
        return ((self._nth_turn(side, number), slot) for number, slot in enumerate(self._side(side, None)))

    def _side(self, side: bool, *kinds: DecisionKind | None) -> Iterator[Slot]:
        """The foundational slots or the others, of some kinds or of any, best first."""
        for need in (1, 0):
            scored = [self._scored((side, need, kind)) for kind in kinds]
            yield from (slot for *_, slot in merge(*scored, reverse=True))

    def _scored(self, group: Group) -> Iterator[Scored]:
        """The slots of a group with their scores, best first."""
        slots = reversed(self._shelf.groups.get(group, ()))
        rest = ((self._score(slot), slot.place, slot) for slot in slots if slot.place not in self._relevance)
        return merge(reversed(self._of_group.get(group, ())), rest, reverse=True)

    def _relevant_by_age(self, group: Group) -> list[Slot]:
        """The relevant slots of a group, oldest first."""
        if group not in self._by_age:
            self._by_age[group] = sorted([one[2] for one in self._of_group.get(group, ())])
        return self._by_age[group]

    def _score(self, slot: Slot) -> float:
        return RELEVANCE * self._relevance.get(slot.place, 0.0) + self._recency(self._shelf.ranks[slot.place])

    def _recency(self, rank: int) -> float:
        return RECENCY * (rank / len(self._shelf.ages))

    def _turn(self, slot: Slot) -> int:
        """The place of a slot when both sides have taken turns."""
        side, need, _ = slot.groups[0]
        before = len(self._shelf.groups.get((side, 1, None), ())) if need == 0 else 0
        return self._nth_turn(side, before + self._better((side, need, None), slot))

    def _better(self, group: Group, slot: Slot) -> int:
        """How many slots of its group come before a slot: relevant ones, and others that are newer."""
        score, ages = self._score(slot), self._shelf.ages
        relevant, by_age = self._of_group.get(group, ()), self._relevant_by_age(group)
        before = len(relevant) - bisect_right(relevant, (score, slot.place), key=lambda one: one[:2])
        rank = self._rank_of(score)
        if rank and self._recency(rank) == score and ages[rank - 1].place > slot.place:
            rank -= 1
        if rank == len(ages):
            return before
        newer, slots = ages[rank], self._shelf.groups[group]
        others = len(slots) - bisect_left(slots, newer[:2])
        return before + others - (len(by_age) - bisect_left(by_age, newer[:2]))

    def _rank_of(self, score: float) -> int:
        """The rank of the newest slot that would have no more than a score if it were not relevant."""
        many = len(self._shelf.ages)
        rank = min(many, int(score / RECENCY * many))  # but for the rounding
        while rank < many and self._recency(rank + 1) <= score:
            rank += 1
        while rank and self._recency(rank) > score:
            rank -= 1
        return rank

    def _nth_turn(self, side: bool, number: int) -> int:
        """The place of the nth slot of a side; once one side is used up, the rest of the other follows."""
        own, others = _OTHERS_BEFORE[side], _OTHERS_BEFORE[not side]
        groups, rounds = self._shelf.groups, number // len(own)
        held = sum(len(groups.get((not side, need, None), ())) for need in (1, 0))
        return number + min(held, rounds * len(others) + own[number % len(own)])
