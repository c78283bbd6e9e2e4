"""The ranking of what is known for a prompt: the foundations of the book first, then what is relevant and what is new.

Ranked here and not in the database, so that SQLite and Postgres give the same prompt (ADR 0021).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from dramaturg.kernel.text.bm25 import bm25
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.decisions import FOUNDATIONAL
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.meaning import Meaning

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
        (-need, -(RELEVANCE * relevant + RECENCY * recent))
        for need, relevant, recent in zip(_needs(known), near, new, strict=True)
    ]
    # of equals, the last one first
    order = [known[place] for place in sorted(range(len(known) - 1, -1, -1), key=keys.__getitem__)]
    first = [one for one in order if one.is_core]
    foundational = [one for one in order if not one.is_core and one.category in FOUNDATIONAL]
    volatile = [one for one in order if not one.is_core and one.category not in FOUNDATIONAL]
    return (*first, *_corrected(_by_turns(foundational, volatile)))


def relevance(known: Sequence[KnowledgeEntry], about: str, meaning: Meaning | None = None) -> list[float]:
    """The BM25 score of each entry for a text, scaled so that the best is 1; with `meaning`, the mean of both."""
    by_words = bm25([_words_of(one.key, one.value) for one in known], content(about))
    if meaning is None:
        return by_words
    texts = [_text_of(one.key, one.value) for one in known]
    near = meaning.nearness(about, meaning.vectors(texts))
    best = max(near, default=0.0) or 1.0
    return [(one + other / best) / 2 for one, other in zip(by_words, near, strict=True)]


def _text_of(key: str, value: str) -> str:
    """An entry as it is compared with what was said."""
    return f"{key.replace('_', ' ')} {value}"


@lru_cache(maxsize=8192)
def _words_of(key: str, value: str) -> tuple[str, ...]:
    return content(_text_of(key, value))


def corrects(correction: KnowledgeEntry, other: KnowledgeEntry) -> bool:
    """Whether a correction is about the same thing: most words of the shorter key are in both."""
    if correction.kind != "correction" or other.kind == "correction":
        return False
    mine, theirs = _key_words(correction.key), _key_words(other.key)
    return 2 * len(mine & theirs) > min(len(mine), len(theirs))


@lru_cache(maxsize=8192)
def _key_words(key: str) -> frozenset[str]:
    return frozenset(key.split("_"))


def _needs(known: Sequence[KnowledgeEntry]) -> list[int]:
    """For each entry 2 if it is of the protagonist's core, 1 if of that of another character, else 0."""
    return [2 if one.is_core else int(one.category == "character" and _is_of_core(one.key)) for one in known]


@lru_cache(maxsize=8192)
def _is_of_core(key: str) -> bool:
    return _CORE.search(key) is not None


def _recency(known: Sequence[KnowledgeEntry]) -> list[float]:
    times = [one.at for one in known]
    share, many = [0.0] * len(times), len(times)
    for rank, place in enumerate(sorted(range(many), key=times.__getitem__), start=1):
        share[place] = rank / many
    return share


def _by_turns(foundational: Sequence[KnowledgeEntry], volatile: Sequence[KnowledgeEntry]) -> list[KnowledgeEntry]:
    """Both in their own order, by the pattern of the places; once one is used up, the rest of the other."""
    order = [*foundational, *volatile]
    one, many, other, more = 0, len(foundational), 0, len(volatile)
    for place in range(many + more):
        if other == more or (one < many and PLACES[place % 5]):
            order[place] = foundational[one]
            one += 1
        else:
            order[place] = volatile[other]
            other += 1
    return order


def _corrected(order: list[KnowledgeEntry]) -> Iterable[KnowledgeEntry]:
    """Moves each correction before the first decision that it corrects."""
    for correction in [one for one in order if one.kind == "correction"]:
        at = next(place for place, one in enumerate(order) if one is correction)
        first = next((place for place in range(at) if corrects(correction, order[place])), at)
        if first < at:
            order.insert(first, order.pop(at))
    return order
