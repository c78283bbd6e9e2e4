"""Everything known about a book, kept from one turn to the next: only what has changed is looked at again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from threading import Lock
from typing import TypeAlias

from dramaturg.workshop.book.bible import BiblePage
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.decisions import FINISHED, Decision, DecisionMark
from dramaturg.workshop.book.knowledge import (
    BibleField,
    Disagreement,
    KnowledgeEntry,
    decided_entry,
    difference,
    field_entries,
    lead_of,
    may_name_the_lead,
    written_fields,
)
from dramaturg.workshop.book.known_change import (
    BIBLE,
    DECISION,
    NEAR,
    SERIES,
    KnownChange,
    digest_of,
    name_of,
    place_of,
)
from dramaturg.workshop.book.ranked_knowledge import Place, RankedKnowledge, Shelf
from dramaturg.workshop.book.retrieval import KnowledgeIndex
from dramaturg.workshop.meaning import Meaning


@dataclass(frozen=True, slots=True)
class Moment:
    """What a book is looked at for: the words of the moment, what the graph says around it, and how texts compare."""

    about: str = ""
    found: tuple[KnowledgeEntry, ...] = ()
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class KnownNow:
    """What is known about a book, ranked for a moment, and where its sources disagree.

    `decided` is the number of decisions that hold. The log names each entry; `few` are the names of those that are no
    decisions.
    """

    ranked: RankedKnowledge
    disagreements: tuple[Disagreement, ...]
    decided: int
    is_finished: bool
    names: frozenset[str]
    few: tuple[str, ...]
    shelf: Shelf
    around: tuple[KnowledgeEntry, ...]

    def told_as(self, change: Callable[[KnowledgeEntry], KnowledgeEntry]) -> KnownNow:
        """The same, with every entry changed when it is read."""
        return replace(self, ranked=self.ranked.told_as(change))

    def change(self, since: frozenset[str], told: Iterable[KnowledgeEntry], active: ActiveContext) -> KnownChange:
        """For the log: what has come and gone since these names were known, and what a prompt tells of it."""
        told = tuple(told)
        digests = {digest_of(one) for one in told}
        said = [name for name in self.few if name.partition(":")[2] in digests]
        said += [name_of((DECISION, one.decision), one) for one in told if one.decision is not None]
        learned = self.names - since
        is_anything_gone = len(since) + len(learned) != len(self.names)
        return KnownChange(
            learned={name: self._entry(place_of(name)) for name in sorted(learned)},
            forgotten=tuple(sorted(since - self.names)) if is_anything_gone else (),
            told=tuple(said),
            untold=len(self.names) - len(said),
            active=active,
        )

    def _entry(self, place: Place) -> KnowledgeEntry:
        return self.around[place[1]] if place[0] == NEAR else self.shelf.slots[place].entry


Look: TypeAlias = Callable[[tuple[BiblePage, ...], str, Moment], KnownNow]
"""Looks at what is known about a book with these pages and this protagonist, for a moment."""


class KnownBook:
    """The entries of one book and their index. It may be looked at from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._index = KnowledgeIndex()
        self._decisions: Mapping[DecisionMark, Decision] = {}
        self._leads: dict[DecisionMark, Decision] = {}
        """The decisions that may say who the protagonist is."""
        self._placed: dict[DecisionMark, tuple[BibleField, Decision, KnowledgeEntry]] = {}
        """The decisions about a field of the story bible, which gives way to no decision."""
        self._finished: set[DecisionMark] = set()
        self._lead = ""
        self._read: tuple[tuple[BiblePage, ...], str] = ((), "")
        self._written: Mapping[BibleField, str] = {}
        self._listed: dict[int, tuple[KnowledgeEntry, ...]] = {BIBLE: (), SERIES: (), NEAR: ()}
        self._names: frozenset[str] = frozenset()
        self._few: dict[int, tuple[str, ...]] = {}

    def look(
        self,
        decisions: Mapping[DecisionMark, Decision],
        pages: tuple[BiblePage, ...],
        protagonist: str,
        moment: Moment,
    ) -> KnownNow:
        """What is known now. Decisions about a filled field give way to it."""
        with self._lock:
            gone: set[Place] = set()
            new: dict[Place, KnowledgeEntry] = {}
            self._read_pages(pages, protagonist, gone, new)
            self._relist(SERIES, tuple(one for one in moment.found if one.distance is None), gone, new)
            self._take(decisions, protagonist, gone, new)
            self._change(gone, new)
            self._relist(NEAR, tuple(one for one in moment.found if one.distance is not None), set(), {})
            around = self._listed[NEAR]
            return KnownNow(
                ranked=self._index.ranked(moment.about, moment.meaning, around),
                disagreements=tuple(self._differing()),
                decided=len(decisions),
                is_finished=bool(self._finished),
                names=self._names.union(self._few[NEAR]),
                few=tuple(name for names in self._few.values() for name in names),
                shelf=self._index.shelf,
                around=around,
            )

    def _read_pages(
        self, pages: tuple[BiblePage, ...], protagonist: str, gone: set[Place], new: dict[Place, KnowledgeEntry]
    ) -> None:
        if self._read == (pages, protagonist):
            return
        self._read, self._written = (pages, protagonist), written_fields(pages)
        self._relist(BIBLE, tuple(field_entries(pages, protagonist)), gone, new)

    def _relist(
        self, source: int, entries: tuple[KnowledgeEntry, ...], gone: set[Place], new: dict[Place, KnowledgeEntry]
    ) -> None:
        """Replaces the entries of a source that has few, by their numbers."""
        before = self._listed[source]
        if entries == before and source in self._few:
            return
        self._listed[source] = entries
        self._few[source] = tuple(name_of((source, number), one) for number, one in enumerate(entries))
        for number, (old, now) in enumerate(zip_longest(before, entries)):
            if old != now:
                gone |= {(source, number)} if old is not None else set()
                new |= {(source, number): now} if now is not None else {}

    def _take(
        self,
        decisions: Mapping[DecisionMark, Decision],
        protagonist: str,
        gone: set[Place],
        new: dict[Place, KnowledgeEntry],
    ) -> None:
        """Takes in the decisions that are new, and lets go of those that hold no more."""
        lost, found = set(self._decisions).difference(decisions), set(decisions).difference(self._decisions)
        self._finished = (self._finished - lost) | {mark for mark in found if decisions[mark].key == FINISHED}
        self._leads = {mark: one for mark, one in self._leads.items() if mark not in lost}
        self._leads |= {mark: decisions[mark] for mark in found if may_name_the_lead(decisions[mark])}
        lead = protagonist or lead_of([self._leads[mark] for mark in sorted(self._leads)])
        if lead != self._lead:  # which fields decisions are about depends on it
            lost, found, self._lead = set(self._decisions), set(decisions), lead
        self._decisions = decisions
        there = self._index.shelf.slots
        gone |= {place for mark in lost if (place := (DECISION, mark[0])) in there}
        for mark in lost:
            self._placed.pop(mark, None)
        for mark in found:
            field, entry = decided_entry(decisions[mark], lead)
            if field is None:
                new[DECISION, mark[0]] = entry
            else:
                self._placed[mark] = (field, decisions[mark], entry)
        for (number, _), (field, _, entry) in self._placed.items():
            place, gives_way = (DECISION, number), field in self._written
            if place in there and place not in gone:
                gone |= {place} if gives_way else set()
            elif not gives_way:
                new[place] = entry

    def _change(self, gone: set[Place], new: Mapping[Place, KnowledgeEntry]) -> None:
        if not gone and not new:
            return
        there = self._index.shelf.slots
        old = {name_of(place, there[place].entry) for place in gone}
        self._index.change(gone, new)
        kept = self._names - old if old else self._names
        self._names = kept.union(name_of(place, one) for place, one in new.items())

    def _differing(self) -> Iterable[Disagreement]:
        for mark in sorted(self._placed):
            field, decision, _ = self._placed[mark]
            if field in self._written and (found := difference(decision, field, self._written[field])) is not None:
                yield found
