"""A health check as a long work: read the book, ask a model what front matter leaves open, run the checks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from pydantic import Field

from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.graph.intake import take_in
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.archive import drilled, known_conflicts, last_report, read_before
from dramaturg.workshop.health.book import CheckedBook
from dramaturg.workshop.health.extraction import extracted_records, is_open, open_cells
from dramaturg.workshop.health.material import checked_book
from dramaturg.workshop.health.record_reader import has_record
from dramaturg.workshop.health.records import ExtractedRecord
from dramaturg.workshop.health.report import ALL, in_scope, run_checks
from dramaturg.workshop.health.report_text import report_text
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.health.waivers import read_waivers
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import LongWork, WorkPlan, WorkRequest, WorkResult

NO_RECORD = "the model's answer has nothing that can be read. It is asked again the next time."
_UNREAD = "what front matter does not say (let a model read the scenes: --extract)"


class HealthRequest(WorkRequest):
    """What to check, and whether a model reads the scenes whose front matter leaves something open."""

    scope: str = Field(ALL, max_length=200, description="a check such as A3, a chapter, a scene, or all")
    extract: bool = False


class HealthResult(WorkResult):
    """The report of a health check."""

    report: HealthReport


class HealthWork(LongWork[HealthRequest, HealthResult]):
    """The checks of a book."""

    name = "health"
    noun = "a health check"
    request = HealthRequest
    result = HealthResult

    async def plan(self, book: BookSources, request: HealthRequest) -> WorkPlan:
        clean = await read_book(book)
        in_scope(request.scope, clean.records)
        cells = open_cells(clean, await read_before(book)) if request.extract else ()
        silent = () if request.extract or not any(map(is_open, clean.records)) else (_UNREAD,)
        return WorkPlan(cells=cells, blind_spots=silent)

    async def play(self, context: WorkContext[HealthRequest]) -> HealthResult:
        book, request = context.book, context.request
        clean = await read_book(book)
        known = await read_before(book, context.id)
        cells = open_cells(clean, known) if request.extract else ()
        found = await context.ask(cells) if cells else None
        said = {**known, **{key: one.text for key, one in found.answers.items()}} if found is not None else known
        missed = [f"{key}: no model read it. {one.error}" for key, one in (found.failed if found else {}).items()]
        answers = found.answers if found else {}
        missed += [f"{key}: {NO_RECORD}" for key, one in answers.items() if not has_record(one.text)]
        extracted = extracted_records(clean, said)
        checked = await read_book(book, extracted, missed) if extracted or missed else clean
        last = await last_report(book, scope=request.scope, before=context.id)
        waivers, unread = await asyncio.to_thread(read_waivers, book.project)
        report = await asyncio.to_thread(
            run_checks,
            checked,
            at=book.resources.clock.now(),
            scope=request.scope,
            waivers=waivers,
            last=last.report if last else None,
            last_run=last.run if last else "",
            drilled=await drilled(book),
        )
        refused = (await asyncio.to_thread(take_in, StoryGraph(), book.project, book.cache)).problems
        told = tuple(dict.fromkeys((*report.problems, *refused, *unread)))
        report = report.model_copy(update={"problems": told})
        return HealthResult(said=in_short(report), report=report)

    def show(self, result: HealthResult) -> str:
        return report_text(result.report)


async def read_book(
    book: BookSources, extracted: Mapping[str, ExtractedRecord] | None = None, problems: Sequence[str] = ()
) -> CheckedBook:
    """The book as the checks see it, from its files and its graph."""
    graph: StoryGraph = (await book.graph.preview()).graph
    title = book.resources.settings.workshop.title
    conflicts = await known_conflicts(book)
    return await asyncio.to_thread(checked_book, book.project, graph, extracted, problems, title, book.cache, conflicts)


def in_short(report: HealthReport) -> str:
    """A report in a sentence or two."""
    severe = [one for one in report.findings if one.is_alarm]
    silent = sum(one.status == "cannot_tell" for one in report.checks)
    told = f"{len(severe)} thing{'s' * (len(severe) != 1)} to look at" if severe else "nothing alarming"
    notes = len(report.findings) - len(severe)
    parts = [
        told,
        f"{notes} note{'s' * (notes != 1)}" if notes else "",
        f"{counted(silent, 'check')} cannot tell" if silent else "",
    ]
    return f"Health check of {report.scenes} scenes: {', '.join(filter(None, parts))}."


WORK = HealthWork()
