"""What faces ask of the health of a book: the last report, its page, and the last drill."""

from __future__ import annotations

from dramaturg.kernel.errors import NotFound
from dramaturg.workshop.drill.values import DrillReport
from dramaturg.workshop.health.archive import KeptDrill, KeptReport, drills, last_report
from dramaturg.workshop.health.page import report_page
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.sources import BookSources


class BookHealth:
    """The reports of one book. New ones are made by the works `health` and `drill`."""

    def __init__(self, book: BookSources) -> None:
        self._book = book

    async def last(self) -> HealthReport:
        """The newest report of the whole book. Raises NotFound if there is none."""
        return (await self._last()).report

    async def page(self) -> str:
        """The same as HTML."""
        return report_page(await self.last())

    async def last_drill(self) -> DrillReport:
        """The newest drill. Raises NotFound if there is none."""
        held: tuple[KeptDrill, ...] = await drills(self._book)
        if not held:
            raise NotFound("There was no fire drill yet. Start one: dramaturg foreman drill")
        return held[0].report

    async def _last(self) -> KeptReport:
        found = await last_report(self._book)
        if found is None:
            raise NotFound("There is no health report yet. Make one: dramaturg foreman health")
        return found
