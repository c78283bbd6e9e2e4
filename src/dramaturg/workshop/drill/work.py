"""A fire drill as a long work. It asks no model: flaws are planted from facts, and checks are rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from pydantic import Field

from dramaturg.workshop.drill.drill import run_drill
from dramaturg.workshop.drill.values import DrillReport
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import LongWork, WorkPlan, WorkRequest, WorkResult

_UNREAD = "prose that no front matter records: no model reads the copies"


class DrillRequest(WorkRequest):
    """The seed that chooses the flaws, and whether they are planted in prose alone."""

    seed: int = Field(1, ge=0, le=2**31)
    prose_only: bool = False


class DrillResult(WorkResult):
    """The report of a drill."""

    report: DrillReport


class DrillWork(LongWork[DrillRequest, DrillResult]):
    """Known flaws in a copy of the book."""

    name = "drill"
    noun = "a fire drill"
    request = DrillRequest
    result = DrillResult

    async def plan(self, book: BookSources, request: DrillRequest) -> WorkPlan:
        return WorkPlan(blind_spots=(_UNREAD,))

    async def play(self, context: WorkContext[DrillRequest]) -> DrillResult:
        book, asked = context.book, context.request
        report = await asyncio.to_thread(
            run_drill,
            book.project,
            seed=asked.seed,
            at=book.resources.clock.now(),
            title=book.resources.settings.workshop.title,
            recorded=not asked.prose_only,
        )
        return DrillResult(said=in_short(report), report=report)

    def show(self, result: DrillResult) -> str:
        return "\n".join(_lines(result.report)) + "\n"


def in_short(report: DrillReport) -> str:
    """A drill in a sentence."""
    caught, planted = report.recall
    if not planted:
        return "Fire drill: the book has no fact that a flaw could be planted against."
    alarms = len(report.false_alarms)
    return (
        f"Fire drill, seed {report.seed}: {caught} of {planted} planted flaws caught, "
        f"{alarms} alarm{'s' * (alarms != 1)} about the clean copy."
    )


def _lines(report: DrillReport) -> Iterator[str]:
    yield in_short(report)
    for one in report.outcomes:
        yield ""
        yield f"{'caught' if one.caught_by else 'MISSED'}: {one.flaw.kind.replace('_', ' ')}. {one.flaw.text}"
        yield f"    against: {one.flaw.fact} [{one.flaw.evidence.file}: “{' '.join(one.flaw.evidence.quote.split())}”]"
        yield f"    by {', '.join(one.caught_by)}: {one.said}" if one.caught_by else f"    {one.missed}"
    for kind in report.not_planted:
        yield f"not planted: {kind.kind.replace('_', ' ')}. {kind.reason}"
    for name, found in (("about the clean copy", report.false_alarms), ("that fit no flaw", report.unexplained)):
        for finding in found:
            yield f"alarm {name}: {finding.check}: {finding.text}"
    yield f"Caught nothing: {', '.join(report.silent) or 'none'}. The book itself was not touched."


WORK = DrillWork()
