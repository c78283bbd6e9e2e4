"""The series as one of its books reads it: what it shares, and what earlier books say. Read-only, without a database.

Each book's facts are read from its own files. Nothing of a later book is read for a prompt, a question or a check;
only a thread, which the writer pulls, leads there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.settings import Settings
from dramaturg.workshop.book.file_cache import FileCache, markdown_in
from dramaturg.workshop.graph.entries import SERIES
from dramaturg.workshop.graph.intake import book_places, take_in
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.series.folder import Series, SeriesBook, read_series
from dramaturg.workshop.series.joined import ForeignGraph, joined
from dramaturg.workshop.series.overrides import without_overridden
from dramaturg.workshop.series.pages import SeriesPages, read_series_pages
from dramaturg.workshop.sources import SeriesLinks


@dataclass(frozen=True, slots=True)
class SeriesReading:
    """What one book reads of its series, and what of it could not be read."""

    series: Series | None = None
    others: tuple[ForeignGraph, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Joined:
    own: StoryGraph
    others: tuple[ForeignGraph, ...]
    graph: StoryGraph


class SeriesReader:
    """The series of one book. A book without one reads only itself."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self._project = settings.project
        self._named = settings.workshop.series
        self._now = now
        self._caches: dict[Path, FileCache] = {}
        self._last: _Joined | None = None

    @property
    def project(self) -> Path:
        return self._project

    @property
    def is_in_series(self) -> bool:
        return self._named is not None

    @property
    def links(self) -> SeriesLinks | None:
        """What prompts, works and threads read of the series; None without one."""
        return SeriesLinks(self.earlier, self.every, self.folders) if self.is_in_series else None

    def every(self, own: StoryGraph) -> StoryGraph:
        """A graph of the book with what the series and all its books say, for the writer's eyes."""
        return joined(own, self.read(later=True).others)

    def folders(self) -> dict[str, Path]:
        """The folders of the series and of all other books, by name."""
        series = self.read(later=True).series
        return {SERIES: series.folder, **{one.name: one.folder for one in series.others}} if series else {}

    def series(self) -> Series:
        """The series. Raises NotFound or InvalidConfig if it cannot be read, or there is none."""
        assert self._named is not None
        return read_series(self._project, self._named)

    def earlier(self, own: StoryGraph) -> StoryGraph:
        """A graph of the book with what the series and earlier books say; the same graph without a series."""
        reading = self.read()
        if not reading.others:
            return own
        last = self._last
        if last is None or last.own is not own or last.others != reading.others:
            graph = without_overridden(joined(own, reading.others), self._project)
            last = self._last = _Joined(own, reading.others, graph)
        return last.graph

    def read(self, *, later: bool = False) -> SeriesReading:
        """The series and the books before this one; with `later`, all others too. What cannot be read is a problem."""
        if self._named is None:
            return SeriesReading()
        try:
            series = self.series()
        except AuthorError as error:
            return SeriesReading(problems=(f"The series cannot be read. {error.message}",))
        books = series.others if later else series.earlier
        pages = self._pages(series, later=later)
        found = [ForeignGraph(SERIES, pages.graph, len(series.books) + 1)]
        problems = [*series.problems, *pages.problems]
        for one in books:
            graph, unread = self._book(one)
            back = (series.own.number if series.own else 0) - one.number
            found.append(ForeignGraph(one.name, graph, back))
            problems += [f"{one.name}: {problem}" for problem in unread]
        return SeriesReading(series, tuple(found), tuple(problems))

    def _pages(self, series: Series, *, later: bool) -> SeriesPages:
        told = [one.name for one in series.books if later or one.is_own or one in series.earlier]
        cache, places = self._cache(series.folder), markdown_in(series.folder)
        names = tuple(one.name for one in series.books)
        key = ("pages", tuple(told), names, places.names)
        return cache.made(key, places, lambda: read_series_pages(series.folder, cache, names, told))

    def _book(self, book: SeriesBook) -> tuple[StoryGraph, tuple[str, ...]]:
        cache, places = self._cache(book.folder), book_places(book.folder)

        def read() -> tuple[StoryGraph, tuple[str, ...]]:
            intake = take_in(StoryGraph(), book.folder, cache)
            return StoryGraph().changed(intake.change, 0.0), intake.problems

        return cache.made(("book", tuple(one.names for one in places)), places, read)

    def _cache(self, folder: Path) -> FileCache:
        return self._caches.setdefault(folder, FileCache(self._now))
