"""What faces ask of the health of a book: the last report, its page, and what the writer waives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.book.files import PlannedChange, ProjectFiles, plain_lines, rewritten
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.health.archive import last_report
from dramaturg.workshop.health.checks import check_named
from dramaturg.workshop.health.page import report_page
from dramaturg.workshop.health.places import check_place
from dramaturg.workshop.health.values import HealthReport, Waiver
from dramaturg.workshop.health.waivers import (
    EVERYWHERE,
    FILE,
    MOST_BYTES,
    WaiverEntry,
    read_waivers,
    with_waiver,
    without_waiver,
)
from dramaturg.workshop.own_changes import change_files
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.turn_context import Alone


class WaiverList(WireValue):
    """What the writer waives, in the order of the file, and what of the file cannot be read."""

    waivers: tuple[Waiver, ...]
    problems: tuple[str, ...] = ()


class BookHealth:
    """The reports of one book. New ones are made by the work `health`. `alone` holds the book's log for a change."""

    def __init__(self, book: BookSources, alone: Alone) -> None:
        self._book, self._alone = book, alone

    async def last(self) -> HealthReport:
        """The newest report of the whole book. Raises NotFound if there is none."""
        found = await last_report(self._book)
        if found is None:
            raise NotFound("There is no health report yet. Make one: dramaturg foreman health")
        return found.report

    async def page(self) -> str:
        """The same as HTML."""
        return report_page(await self.last())

    def waivers(self) -> WaiverList:
        """What is waived now."""
        waivers, problems = read_waivers(self._book.project)
        return WaiverList(waivers=waivers, problems=problems)

    async def waive(self, check: str, place: str, reason: str) -> Outcome:
        """Says that what a check finds at a place is meant so. Raises InvalidConfig for an unknown check or place."""
        wanted = _waiver(check, place, reason)
        await self._check_place(wanted.place)
        code, where = (
            check_named(check).code,
            "in the whole book" if wanted.place == EVERYWHERE else f"at {wanted.place}",
        )
        said = f"Waived {code} {where}: {wanted.reason}"
        return await self._change("waive_check", said, lambda text: with_waiver(text, wanted))

    async def withdraw(self, check: str, place: str) -> Outcome:
        """Takes a waiver away. Raises NotFound if there is none of this check at this place."""
        code, place = check_named(check).code, place.strip()

        def changed(text: str) -> str:
            new = without_waiver(text, check, place)
            if new is None:
                known = ", ".join(f"{check_named(one.check).code} {one.place}" for one in self.waivers().waivers[:8])
                raise NotFound(
                    f"There is no waiver of {code} at '{place}' (there are: {known or 'none'}).", check=check
                )
            return new

        return await self._change("withdraw_waiver", f"No longer waived: {code} at {place}.", changed)

    async def _check_place(self, place: str) -> None:
        report = await last_report(self._book)
        findings = [*report.report.findings, *(one.finding for one in report.report.waived)] if report else []
        graph = (await self._book.graph.read()).graph
        await asyncio.to_thread(check_place, place, self._book.project, graph, findings)

    async def _change(self, action: str, said: str, change: Callable[[str], str]) -> Outcome:
        async with self._alone() as performance:
            files = ProjectFiles(self._book.project)
            before = files.exact(FILE, MOST_BYTES)
            new = change(plain_lines(before or ""))
            planned = PlannedChange(path=FILE, before=before, text=rewritten(before, new))
            return (await change_files(performance, files, [planned], action, said)).outcome


def _waiver(check: str, place: str, reason: str) -> Waiver:
    given = {"check": check.strip(), "place": place.strip() or EVERYWHERE, "reason": " ".join(reason.split())}
    try:
        entry = WaiverEntry.model_validate(given)
    except ValidationError as error:
        raise InvalidConfig(f"{first_problem(error, given)}.") from error
    return Waiver(check=check_named(entry.check).name, place=entry.place, reason=entry.reason)
