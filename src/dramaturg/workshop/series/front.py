"""The front of a series: what a book shares with the others, and where it differs from them."""

from __future__ import annotations

import asyncio
from functools import cmp_to_key

from dramaturg.kernel.errors import NotFound
from dramaturg.workshop.graph.entries import SERIES
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.story_time import compared, story_point
from dramaturg.workshop.graph.values import StoryGraph, book_of
from dramaturg.workshop.graph.wire import fact_view
from dramaturg.workshop.series.joined import joined
from dramaturg.workshop.series.overrides import Difference, differences
from dramaturg.workshop.series.reader import SeriesReader, SeriesReading
from dramaturg.workshop.series.wire import DifferenceView, SeriesBookView, SeriesCheck, SeriesView, TimelineRow

_NONE = 'This book belongs to no series. Name its folder in dramaturg.toml: [workshop] series = "../series"'


class BookSeries:
    """The series of one book."""

    def __init__(self, reader: SeriesReader, graph: BookGraph) -> None:
        self._reader = reader
        self._graph = graph

    async def show(self) -> SeriesView:
        """The books, what the pages of the series say, and its timeline so far. Raises NotFound or InvalidConfig."""
        reading = await self._read()
        own = (await self._graph.read()).graph
        graph = joined(own, reading.others)
        series = await asyncio.to_thread(self._reader.series)
        counts: dict[str, int] = {}
        for fact in graph.current:
            name = book_of(fact.file) or (series.own.name if series.own else "")
            counts[name] = counts.get(name, 0) + 1
        books = tuple(
            SeriesBookView(
                number=one.number,
                name=one.name,
                title=one.title,
                is_own=one.is_own,
                is_there=one.is_there,
                facts=counts.get(one.name, 0),
            )
            for one in series.books
        )
        shared = tuple(fact_view(graph, one) for one in graph.current if book_of(one.file) == SERIES)
        rows = timeline(graph, series.own.name if series.own else "")
        return SeriesView(title=series.title, books=books, shared=shared, timeline=rows, problems=reading.problems)

    async def check(self) -> SeriesCheck:
        """Where this book contradicts the series or an earlier book, and what it overrides. Raises as `show` does."""
        reading = await self._read()
        own = (await self._graph.read()).graph
        graph = joined(own, reading.others)
        found = await asyncio.to_thread(differences, graph, self._reader.project)
        shown = [(one, difference_view(graph, one)) for one in found]
        return SeriesCheck(
            contradictions=tuple(view for one, view in shown if not one.because),
            overrides=tuple(view for one, view in shown if one.because),
            problems=reading.problems,
        )

    async def _read(self) -> SeriesReading:
        if not self._reader.is_in_series:
            raise NotFound(_NONE)
        await asyncio.to_thread(self._reader.series)  # raises what is wrong with it
        return await asyncio.to_thread(self._reader.read)


def difference_view(graph: StoryGraph, one: Difference) -> DifferenceView:
    return DifferenceView(
        said=one.said, rule=one.rule, old=fact_view(graph, one.old), new=fact_view(graph, one.new), because=one.because
    )


def _earlier(one: TimelineRow, other: TimelineRow) -> int:
    return compared(one.time, other.time) or 0


def timeline(graph: StoryGraph, own: str) -> tuple[TimelineRow, ...]:
    """What happens when, the earliest first; times that cannot be compared keep their order."""
    rows = [
        TimelineRow(
            time=fact.value or fact.time_from,
            what=graph.root(fact.subject).name.removeprefix(f"{book_of(fact.file)}:"),
            book=book_of(fact.file) or own,
        )
        for fact in graph.current
        if fact.predicate == "happens_at"
    ]
    dated = [one for one in rows if story_point(one.time) is not None]
    ordered = sorted(dated, key=cmp_to_key(_earlier))
    return (*ordered, *(one for one in rows if one not in dated))
