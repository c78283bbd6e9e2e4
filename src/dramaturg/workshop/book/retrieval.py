"""The ranking of what is known for a prompt: the foundations of the book first, then what is relevant and what is new.

The index is kept between turns. Entries come and go, and only those, and the ones that share a word with what was just
said, are looked at.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.ranked_knowledge import Group, Place, RankedKnowledge, Shelf, Slot
from dramaturg.workshop.book.word_index import WordIndex
from dramaturg.workshop.meaning import Meaning


class KnowledgeIndex:
    """Entries by place, by age, by group, by word, and by what they correct."""

    def __init__(self) -> None:
        self._words: WordIndex[Place] = WordIndex()
        self._keys: dict[tuple[bool, str], dict[Place, Slot]] = {}
        """Corrections and others, by the words of their keys."""
        self.shelf = Shelf()

    def change(self, gone: Iterable[Place], new: Mapping[Place, KnowledgeEntry]) -> None:
        """Removes entries and takes in others; one that changed is both."""
        old = self.shelf
        lost = [old.slots[place] for place in gone]
        found = [Slot.of(place, entry) for place, entry in new.items()]
        corrected, corrects = dict(old.corrected), dict(old.corrects)
        for slot in lost:
            self._words.remove(slot.place)
            for name in _names_of(slot):
                del self._keys[name][slot.place]
            _unlink(slot.place, corrected, corrects)
            _unlink(slot.place, corrects, corrected)
        for slot in found:
            self._words.add(slot.place, _words_of(slot.entry.key, slot.entry.value))
            self._link(slot, corrected, corrects)
        slots, groups = dict(old.slots), dict(old.groups)
        for slot in lost:
            del slots[slot.place]
        slots |= {slot.place: slot for slot in found}
        for group in {group for slot in (*lost, *found) for group in slot.groups}:
            groups[group] = _changed(old.groups.get(group, ()), _of(group, lost), _of(group, found))
        ages = _changed(old.ages, lost, found)
        ranks = {slot.place: rank for rank, slot in enumerate(ages, start=1)}
        self.shelf = Shelf(slots, ages, ranks, groups, corrected, corrects)

    def _link(
        self, slot: Slot, corrected: dict[Place, tuple[Slot, ...]], corrects: dict[Place, tuple[Slot, ...]]
    ) -> None:
        """Finds what a new entry corrects, or which corrections are about it."""
        is_correction = slot.entry.kind == "correction"
        alike: dict[Place, Slot] = {}
        for name in _names_of(slot):
            alike |= self._keys.get((not is_correction, name[1]), {})
            self._keys.setdefault(name, {})[slot.place] = slot
        for other in alike.values():
            correction, wrong = (slot, other) if is_correction else (other, slot)
            if corrects_same(correction.entry.key, wrong.entry.key):
                corrected[wrong.place] = (*corrected.get(wrong.place, ()), correction)
                corrects[correction.place] = (*corrects.get(correction.place, ()), wrong)

    def ranked(
        self, about: str, meaning: Meaning | None = None, around: Sequence[KnowledgeEntry] = ()
    ) -> RankedKnowledge:
        """Everything known, most relevant first, for the moment that these words describe, and then what is `around`.

        Nothing is dropped here: a caller with less room takes the first ones and lists the others.
        """
        relevance = self._words.scores(content(about))
        return RankedKnowledge(
            self.shelf, relevance if meaning is None else self._by_meaning(about, relevance, meaning), around
        )

    def _by_meaning(self, about: str, by_words: Mapping[Place, float], meaning: Meaning) -> dict[Place, float]:
        """The mean of how much the words and how much the meaning has to do with a text. It looks at every entry."""
        places = sorted(self.shelf.slots)
        entries = [self.shelf.slots[place].entry for place in places]
        near = meaning.nearness(about, meaning.vectors([_text_of(one.key, one.value) for one in entries]))
        best = max(near, default=0.0) or 1.0
        found = {place: (by_words.get(place, 0.0) + one / best) / 2 for place, one in zip(places, near, strict=True)}
        return {place: one for place, one in found.items() if one}


def ranked(known: Sequence[KnowledgeEntry], about: str, meaning: Meaning | None = None) -> RankedKnowledge:
    """Entries that nobody keeps an index of, most relevant first."""
    index = KnowledgeIndex()
    index.change((), {(0, number): one for number, one in enumerate(known)})
    return index.ranked(about, meaning)


def _text_of(key: str, value: str) -> str:
    """An entry as it is compared with what was said."""
    return f"{key.replace('_', ' ')} {value}"


@lru_cache(maxsize=8192)
def _words_of(key: str, value: str) -> tuple[str, ...]:
    return content(_text_of(key, value))


def corrects_same(correction: str, key: str) -> bool:
    """Whether the key of a correction is about the same thing as another: most words of the shorter are in both."""
    mine, theirs = _key_words(correction), _key_words(key)
    return 2 * len(mine & theirs) > min(len(mine), len(theirs))


@lru_cache(maxsize=8192)
def _key_words(key: str) -> frozenset[str]:
    return frozenset(key.split("_"))


def _names_of(slot: Slot) -> list[tuple[bool, str]]:
    """The names under which corrections and others are found; the protagonist's core is never moved."""
    if slot.entry.is_core:
        return []
    return [(slot.entry.kind == "correction", word) for word in _key_words(slot.entry.key)]


def _unlink(place: Place, mine: dict[Place, tuple[Slot, ...]], theirs: dict[Place, tuple[Slot, ...]]) -> None:
    for other in mine.pop(place, ()):
        theirs[other.place] = tuple(one for one in theirs[other.place] if one.place != place)


def _of(group: Group, slots: Sequence[Slot]) -> list[Slot]:
    return [slot for slot in slots if group in slot.groups]


def _changed(held: Sequence[Slot], lost: Iterable[Slot], found: Iterable[Slot]) -> list[Slot]:
    """A list of slots, oldest first, without some and with others."""
    slots = list(held)
    for slot in lost:
        del slots[bisect_left(slots, slot[:2])]
    for slot in found:
        insort(slots, slot, key=lambda one: one[:2])
    return slots
