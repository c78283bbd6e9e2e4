"""What faces ask of the health of a book: the last report, and its page."""

from __future__ import annotations

from dramaturg.kernel.errors import NotFound
from dramaturg.workshop.health.archive import last_report
from dramaturg.workshop.health.page import report_page
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.sources import BookSources


class BookHealth:
    """The reports of one book. New ones are made by the work `health`."""

    def __init__(self, book: BookSources) -> None:
        self._book = book

    async def last(self) -> HealthReport:
        """The newest report of the whole book. Raises NotFound if there is none."""
        found = await last_report(self._book)
        if found is None:
            raise NotFound("There is no health report yet. Make one: dramaturg foreman health")
        return found.report

    async def page(self) -> str:
        """The same as HTML."""
        return report_page(await self.last())
