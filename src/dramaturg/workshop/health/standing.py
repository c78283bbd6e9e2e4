"""The findings of the last report that still stand, as alerts for the Foreman; what is mended goes by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dramaturg.workshop.book.book import HealthAlert
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.consolidation.values import FactConflict
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.archive import KeptReport, known_conflicts, last_report, newest_run, read_before
from dramaturg.workshop.health.contradictions import SETTLE
from dramaturg.workshop.health.extraction import extracted_records
from dramaturg.workshop.health.material import checked_book
from dramaturg.workshop.health.report import health_alerts, run_checks
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.health.waivers import read_waivers, split_waived

if TYPE_CHECKING:
    from dramaturg.workshop.sources import BookSources


class StandingFindings:
    """The findings of the last report, checked again when the book has changed; new ones wait for the next report."""

    def __init__(self) -> None:
        self._run = ""
        self._kept: KeptReport | None = None
        self._seen: tuple[str, str] = ("", "")
        self._standing: frozenset[str] = frozenset()

    async def alerts(self, book: BookSources, graph: StoryGraph) -> tuple[HealthAlert, ...]:
        """The alerts of a book as its files are now. `graph` is the one of these files."""
        newest = await newest_run(book)
        if newest != self._run:
            self._kept, self._run = await last_report(book), newest
        kept = self._kept
        if kept is None or not kept.report.findings:
            return ()
        seen = (kept.run, fingerprint(graph))
        if seen != self._seen:
            known, conflicts = await read_before(book), await known_conflicts(book)
            self._standing = await asyncio.to_thread(_still_there, book, graph, kept, known, conflicts)
            self._seen = seen
        waivers, _ = await asyncio.to_thread(read_waivers, book.project)
        found = [one for one in kept.report.findings if one.key in self._standing]
        if any(one.recommendation == SETTLE for one in found):  # settled without a change to any file
            waiting = {one.said for one in await known_conflicts(book) if one.is_open}
            found = [one for one in found if one.recommendation != SETTLE or one.text in waiting]
        standing, _ = split_waived(found, waivers)
        return health_alerts(standing)


def fingerprint(graph: StoryGraph) -> str:
    """A value that is another when a file of the book is."""
    return digest_of("\n".join(f"{one.path} {one.digest}" for one in graph.sources))


def _still_there(
    book: BookSources,
    graph: StoryGraph,
    kept: KeptReport,
    known: Mapping[str, str],
    conflicts: tuple[FactConflict, ...],
) -> frozenset[str]:
    clean = checked_book(book.project, graph, cache=book.cache, conflicts=conflicts)
    if clean.digest == kept.report.digest:
        return frozenset(one.key for one in kept.report.findings)
    extracted = extracted_records(clean, known)
    if extracted:
        clean = checked_book(book.project, graph, extracted, cache=book.cache, conflicts=conflicts)
    now: HealthReport = run_checks(clean, at=0.0)
    return frozenset(one.key for one in now.findings)
