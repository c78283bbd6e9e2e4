"""Conflicts and batches for clients: both facts with their words, and what was said about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.consolidation.values import Batch, Counts, FactConflict, Resolution, Rule
from dramaturg.workshop.graph.values import Fact, StoryGraph
from dramaturg.workshop.graph.wire import FactView, fact_view


class ConflictView(WireValue):
    """Two facts that cannot both be true. The old one stands until the writer says otherwise."""

    id: int
    rule: Rule
    said: str = Field(description="the contradiction as a sentence")
    old: FactView
    new: FactView
    further: tuple[FactView, ...] = Field((), description="what else it rests on")
    found_at: float
    resolution: Resolution = Field("", description="empty while it waits for the writer")
    reason: str = ""
    note: str = ""
    resolved_at: float | None = None


class ConflictList(WireValue):
    """The conflicts of a book, oldest first, and how many of all wait for the writer."""

    conflicts: tuple[ConflictView, ...]
    waiting: int


class BatchView(WireValue):
    """One merge into the graph."""

    id: int
    run: str
    merged_at: float
    undone_at: float | None = None
    texts: tuple[str, ...] = ()
    counts: Counts


class BatchList(WireValue):
    """The merges into the graph, oldest first, and what is not in it yet."""

    batches: tuple[BatchView, ...]
    waiting_texts: tuple[str, ...] = Field((), description="scenes and messages that were not read yet")
    waiting_decisions: int = 0


def conflict_view(graph: StoryGraph, facts: Mapping[int, Fact], one: FactConflict) -> ConflictView | None:
    """A conflict with its facts; None if the graph does not have them."""
    if one.old not in facts or one.new not in facts:
        return None
    return ConflictView(
        id=one.id,
        rule=one.rule,
        said=one.said,
        old=fact_view(graph, facts[one.old]),
        new=fact_view(graph, facts[one.new]),
        further=tuple(fact_view(graph, facts[number]) for number in one.further if number in facts),
        found_at=one.found_at,
        resolution=one.resolution,
        reason=one.reason,
        note=one.note,
        resolved_at=one.resolved_at,
    )


def conflict_list(graph: StoryGraph, shown: Iterable[FactConflict], all_: Iterable[FactConflict]) -> ConflictList:
    facts = {fact.id: fact for fact in graph.facts}
    views = tuple(view for one in shown if (view := conflict_view(graph, facts, one)) is not None)
    return ConflictList(conflicts=views, waiting=sum(one.is_open for one in all_))


def batch_view(one: Batch) -> BatchView:
    return BatchView(
        id=one.id,
        run=one.run,
        merged_at=one.merged_at,
        undone_at=one.undone_at,
        texts=tuple(text.path for text in one.texts),
        counts=one.counts,
    )
