"""The ranking of decisions for a prompt: the foundations of the book first, then what is relevant and what is new.

Ranked here and not in the database, so that SQLite and Postgres give the same prompt (ADR 0021).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dramaturg.kernel.text.bm25 import bm25
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.decisions import FOUNDATIONAL, Decision

RELEVANCE, RECENCY = 0.7, 0.3
# Three of every five places are for the foundations, so that neither side can crowd out the other.
PLACES = (True, True, False, True, False)
_CORE = re.compile(r"(?:^|_)(?:fatal_flaw|flaw|the_lie|lie|arc|want|need|wound)(?:_|$)")


def ranked(decisions: Sequence[Decision], about: str) -> tuple[Decision, ...]:
    """All decisions, most relevant first, for the moment that these words describe.

    Foundational ones have three places of five, those of the protagonist's core before the others; the rest go by
    relevance and recency. A correction comes before what it corrects. Nothing is dropped here: a caller with less
    room takes the first ones and lists the others.
    """
    near, new = relevance(decisions, about), _recency(decisions)
    score = {one.id: RELEVANCE * near[one.id] + RECENCY * new[one.id] for one in decisions}
    by_need = sorted(decisions, key=lambda one: (-_core(one), -score[one.id], -one.id))
    foundational = [one for one in by_need if one.category in FOUNDATIONAL]
    volatile = [one for one in by_need if one.category not in FOUNDATIONAL]
    return tuple(_corrected(list(_by_turns(foundational, volatile))))


def relevance(decisions: Sequence[Decision], about: str) -> Mapping[int, float]:
    """The BM25 score of each decision for a text, scaled so that the best is 1."""
    texts = [content(f"{one.key.replace('_', ' ')} {one.value}") for one in decisions]
    return dict(zip((one.id for one in decisions), bm25(texts, content(about)), strict=True))


def corrects(correction: Decision, other: Decision) -> bool:
    """Whether a correction is about the same thing: most words of the shorter key are in both."""
    if correction.kind != "correction" or other.kind == "correction":
        return False
    mine, theirs = set(correction.key.split("_")), set(other.key.split("_"))
    return 2 * len(mine & theirs) > min(len(mine), len(theirs))


def _core(one: Decision) -> bool:
    return one.category == "character" and _CORE.search(one.key) is not None


def _recency(decisions: Sequence[Decision]) -> Mapping[int, float]:
    order = sorted(decisions, key=lambda one: (one.decided_at, one.id))
    return {one.id: (place + 1) / len(order) for place, one in enumerate(order)}


def _by_turns(foundational: Sequence[Decision], volatile: Sequence[Decision]) -> Iterator[Decision]:
    first, second = iter(foundational), iter(volatile)
    for place in range(len(foundational) + len(volatile)):
        order = (first, second) if PLACES[place % len(PLACES)] else (second, first)
        found = next(order[0], None) or next(order[1], None)
        if found is not None:
            yield found


def _corrected(order: list[Decision]) -> Iterable[Decision]:
    """Moves each correction before the first decision that it corrects."""
    for correction in [one for one in order if one.kind == "correction"]:
        at = order.index(correction)
        first = next((place for place, one in enumerate(order) if corrects(correction, one)), at)
        if first < at:
            order.insert(first, order.pop(at))
    return order
