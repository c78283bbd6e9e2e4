"""What a prompt is told of the graph: the facts around the scene at hand, the nearest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.book.decisions import Category, key_name
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.graph.bible_facts import SOURCE as BIBLE
from dramaturg.workshop.graph.network import StoryNetwork
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.values import EntityKind, Fact, StoryGraph, book_of

SERIES = "series"
"""What the pages of a series are called where another book would be named."""
MOST = 200
"""How many facts are handed on; what lies beyond is too far away to be missed."""
_CATEGORIES: Mapping[EntityKind, Category] = {
    "character": "character",
    "location": "world",
    "object": "world",
    "rule": "world",
    "event": "structure",
    "theme": "structure",
    "symbol": "structure",
}


def scene_entries(network: StoryNetwork) -> Callable[[str], tuple[KnowledgeEntry, ...]]:
    """The entries for a file of the manuscript, nearest first; what its prose or the bible says anyway is left out."""

    return partial(_around, network)


@lru_cache(maxsize=2)
def _around(network: StoryNetwork, file: str) -> tuple[KnowledgeEntry, ...]:
    scene = network.scene_of(file) if file else None
    if scene is None:
        return ()
    near = [one for one in network.around(scene.id) if _is_news(one.fact)]
    return tuple(fact_entry(network.graph, one.fact, one.distance) for one in near[:MOST])


def _is_news(fact: Fact) -> bool:
    """Whether a prompt would not have it anyway: from the prose, the story bible, or the pages of the series."""
    book = book_of(fact.file)
    return book != SERIES and (bool(book) or fact.source != BIBLE) and not declared(fact.predicate).evident


def told(graph: StoryGraph, fact: Fact) -> str:
    """A fact as a sentence: who, what, how it is known, and of which book of the series it is."""
    subject = graph.root(fact.subject).name
    target = graph.root(fact.object).name if fact.object is not None else fact.value
    holder = f" by {graph.root(fact.holder).name}" if fact.holder is not None else ""
    notes = [] if fact.modality == "narrated" else [f"{fact.modality}{holder}"]
    notes += [f"{fact.time_from} to {fact.time_to}" if fact.time_to else fact.time_from] if fact.time_from else []
    book = book_of(fact.file)
    notes += [f"from {book if book != SERIES else 'the series'}"] if book else []
    rest = f" ({'; '.join(notes)})" if notes else ""
    return one_line(f"{subject} {declared(fact.predicate).label} {target}{rest}")


def series_entries(graph: StoryGraph) -> tuple[KnowledgeEntry, ...]:
    """What the pages of the series say, which every book of it is told."""
    return tuple(fact_entry(graph, one) for one in graph.current if book_of(one.file) == SERIES)


def fact_entry(graph: StoryGraph, fact: Fact, distance: float | None = None) -> KnowledgeEntry:
    """A fact as a prompt tells it."""
    subject, book = graph.root(fact.subject), book_of(fact.file)
    return KnowledgeEntry(
        category=_CATEGORIES[subject.kind],
        key=key_name(f"{subject.name} {fact.predicate}"),
        value=told(graph, fact),
        source=fact.file,
        distance=distance,
        fact=None if book else fact.id,
        book=book,
    )


def numbered_entry(graph: StoryGraph, one: KnowledgeEntry) -> KnowledgeEntry:
    """An entry with the number of the fact that says the same as a field of the story bible, or as a decision."""
    if one.fact is not None:
        return one
    found = graph.by_decision.get(f"decision {one.decision}") if one.decision is not None else None
    found = found if found is not None else graph.by_words.get((one.source, one.value))
    return one if found is None else _with_fact(one, found)


@lru_cache(maxsize=8192)
def _with_fact(one: KnowledgeEntry, fact: int) -> KnowledgeEntry:
    return one.model_copy(update={"fact": fact})
