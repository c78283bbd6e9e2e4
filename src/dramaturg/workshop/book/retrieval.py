"""The ranking of what is known for a prompt: the foundations of the book first, then what is relevant and what is new.

Ranked here and not in the database, so that SQLite and Postgres give the same prompt (ADR 0021).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from dramaturg.kernel.text.bm25 import bm25
from dramaturg.kernel.text.meaning import Meaning
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.decisions import FOUNDATIONAL, Decision
from dramaturg.workshop.book.knowledge import KnowledgeEntry

RELEVANCE, RECENCY = 0.7, 0.3
# Three of every five places are for the foundations, so that neither side can crowd out the other.
PLACES = (True, True, False, True, False)
_CORE = re.compile(r"(?:^|_)(?:fatal_flaw|flaw|the_lie|lie|arc|want|need|wound)(?:_|$)")


def ranked(known: Sequence[KnowledgeEntry], about: str, meaning: Meaning | None = None) -> tuple[KnowledgeEntry, ...]:
    """Everything known, most relevant first, for the moment that these words describe.

    The protagonist's flaw and lie come first. Foundational entries have three places of five, those of a character's
    core before the others; the rest go by relevance and recency. A correction comes before what it corrects. Nothing
    is dropped here: a caller with less room takes the first ones and lists the others.
    """
    near, new = relevance(known, about, meaning), _recency(known)
    keys = [
        (-_need(one), -(RELEVANCE * relevant + RECENCY * recent))
        for one, relevant, recent in zip(known, near, new, strict=True)
    ]
    first: list[KnowledgeEntry] = []
    foundational: list[KnowledgeEntry] = []
    volatile: list[KnowledgeEntry] = []
    for place in sorted(range(len(known) - 1, -1, -1), key=keys.__getitem__):  # of equals, the last one first
        one = known[place]
        (first if one.is_core else foundational if one.category in FOUNDATIONAL else volatile).append(one)
    return (*first, *_corrected(list(_by_turns(foundational, volatile))))


def relevance(known: Sequence[KnowledgeEntry], about: str, meaning: Meaning | None = None) -> list[float]:
    """The BM25 score of each entry for a text, scaled so that the best is 1; with `meaning`, the mean of both."""
    texts = [text_of(one) for one in known]
    by_words = bm25([content(text) for text in texts], content(about))
    if meaning is None:
        return by_words
    near = meaning.nearness(about, meaning.vectors(texts))
    best = max(near, default=0.0) or 1.0
    return [(one + other / best) / 2 for one, other in zip(by_words, near, strict=True)]


def text_of(one: KnowledgeEntry | Decision) -> str:
    """An entry as it is compared with what was said."""
    return f"{one.key.replace('_', ' ')} {one.value}"


def corrects(correction: KnowledgeEntry, other: KnowledgeEntry) -> bool:
    """Whether a correction is about the same thing: most words of the shorter key are in both."""
    if correction.kind != "correction" or other.kind == "correction":
        return False
    mine, theirs = _key_words(correction.key), _key_words(other.key)
    return 2 * len(mine & theirs) > min(len(mine), len(theirs))


@lru_cache(maxsize=8192)
def _key_words(key: str) -> frozenset[str]:
    return frozenset(key.split("_"))


def _need(one: KnowledgeEntry) -> int:
    """2 for the protagonist's core, 1 for that of another character."""
    return 2 if one.is_core else int(one.category == "character" and _CORE.search(one.key) is not None)


def _recency(known: Sequence[KnowledgeEntry]) -> list[float]:
    times = [one.at for one in known]
    share = [0.0] * len(times)
    for rank, place in enumerate(sorted(range(len(times)), key=times.__getitem__), start=1):
        share[place] = rank / len(times)
    return share


def _by_turns(foundational: Sequence[KnowledgeEntry], volatile: Sequence[KnowledgeEntry]) -> Iterator[KnowledgeEntry]:
    first, second = iter(foundational), iter(volatile)
    for place in range(len(foundational) + len(volatile)):
        order = (first, second) if PLACES[place % len(PLACES)] else (second, first)
        found = next(order[0], None) or next(order[1], None)
        if found is not None:
            yield found


def _corrected(order: list[KnowledgeEntry]) -> Iterable[KnowledgeEntry]:
    """Moves each correction before the first decision that it corrects."""
    for correction in [one for one in order if one.kind == "correction"]:
        at = next(place for place, one in enumerate(order) if one is correction)
        first = next((place for place in range(at) if corrects(correction, order[place])), at)
        if first < at:
            order.insert(first, order.pop(at))
    return order
