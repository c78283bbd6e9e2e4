"""The ranking as it is meant, written plainly: everything is scored and sorted anew, and nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.kernel.text.bm25 import bm25
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.decisions import FOUNDATIONAL
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.ranked_knowledge import PLACES, RECENCY, RELEVANCE

OF_CORE = re.compile(r"(?:^|_)(?:fatal_flaw|flaw|the_lie|lie|arc|want|need|wound)(?:_|$)")


def plainly_ranked(known: Sequence[KnowledgeEntry], about: str) -> tuple[KnowledgeEntry, ...]:
    near = bm25([content(f"{one.key.replace('_', ' ')} {one.value}") for one in known], content(about))
    ages = sorted(range(len(known)), key=lambda place: known[place].at)
    new = {place: rank / len(known) for rank, place in enumerate(ages, start=1)}
    keys = [(-need(one), -(RELEVANCE * near[place] + RECENCY * new[place])) for place, one in enumerate(known)]
    order = [known[place] for place in sorted(range(len(known) - 1, -1, -1), key=keys.__getitem__)]
    others = [one for one in order if not one.is_core]
    foundational = [one for one in others if one.category in FOUNDATIONAL]
    volatile = [one for one in others if one.category not in FOUNDATIONAL]
    return (*(one for one in order if one.is_core), *corrected(by_turns(foundational, volatile)))


def need(one: KnowledgeEntry) -> int:
    return 2 if one.is_core else int(one.category == "character" and OF_CORE.search(one.key) is not None)


def by_turns(foundational: list[KnowledgeEntry], volatile: list[KnowledgeEntry]) -> list[KnowledgeEntry]:
    order: list[KnowledgeEntry] = []
    foundational, volatile = foundational[::-1], volatile[::-1]
    while foundational or volatile:
        side = foundational if not volatile or (foundational and PLACES[len(order) % 5]) else volatile
        order.append(side.pop())
    return order


def corrected(order: list[KnowledgeEntry]) -> list[KnowledgeEntry]:
    for correction in [one for one in order if one.kind == "correction"]:
        at = next(place for place, one in enumerate(order) if one is correction)
        first = next((place for place in range(at) if is_corrected(order[place], correction)), at)
        order.insert(first, order.pop(at))
    return order


def is_corrected(one: KnowledgeEntry, correction: KnowledgeEntry) -> bool:
    mine, theirs = set(correction.key.split("_")), set(one.key.split("_"))
    return one.kind != "correction" and 2 * len(mine & theirs) > min(len(mine), len(theirs))
