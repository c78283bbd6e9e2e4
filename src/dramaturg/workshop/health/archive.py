"""What earlier runs left: the last report, what models read of scenes that have not changed, and how drills ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, ValidationError

from dramaturg.kernel.runs.costs import answers
from dramaturg.workshop.consolidation.store import ConsolidationStore
from dramaturg.workshop.consolidation.values import FactConflict
from dramaturg.workshop.health.checks import CHECKS
from dramaturg.workshop.health.record_reader import has_record
from dramaturg.workshop.health.report import ALL
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.works.state import WORK_FOLD

if TYPE_CHECKING:
    from dramaturg.kernel.runs import Run
    from dramaturg.kernel.store import RunRecord
    from dramaturg.workshop.sources import BookSources

HEALTH, DRILL = "health", "drill"
MOST_RUNS = 20
"""How many earlier runs are looked at."""


@dataclass(frozen=True, slots=True)
class KeptReport:
    """A report and the run that made it."""

    run: str
    report: HealthReport


async def last_report(book: BookSources, *, scope: str = ALL, before: str = "") -> KeptReport | None:
    """The newest report of the whole book or of the same scope; `before` is a run that does not count."""
    async for run in ended_runs(book, HEALTH, before):
        found = _report(run)
        if found is not None and found.scope in (ALL, scope):
            return KeptReport(run.id, found)
    return None


async def newest_run(book: BookSources) -> str:
    """The newest health check that has ended; empty if there is none."""
    return next((one.id for one in await _records(book, HEALTH)), "")


async def read_before(book: BookSources, before: str = "") -> Mapping[str, str]:
    """The answers of models about scenes in earlier runs, by key: a text that has not changed is not asked again."""
    found: dict[str, str] = {}
    async for run in ended_runs(book, HEALTH, before):
        for answered in answers(run.entries):
            if has_record(answered.answer.text):
                found.setdefault(answered.key, answered.answer.text)
    return found


async def known_conflicts(book: BookSources) -> tuple[FactConflict, ...]:
    """The contradictions that were found in what a model read: those that wait, and what the writer said of others."""
    return (await ConsolidationStore(book.resources.database, book.name).ledger()).conflicts


async def drilled(book: BookSources) -> Mapping[str, str]:
    """What each check has caught in the latest drills, in words; empty if there was none."""
    caught, held = Counter({check.name: 0 for check in CHECKS}), 0
    async for run in ended_runs(book, DRILL):
        report = _details(run)
        counts = report.get("caught")
        held += bool(report)
        if isinstance(counts, Mapping):
            caught.update({name: number for name, number in counts.items() if isinstance(number, int)})
    if not held:
        return {}
    times = "one drill" if held == 1 else f"{held} drills"
    return {
        name: f"caught {number} flaw{'s' * (number > 1)} in {times}"
        if number
        else f"has never caught anything in {times}"
        for name, number in caught.items()
    }


async def _records(book: BookSources, kind: str) -> list[RunRecord]:
    records = await book.resources.runs.find(kind=kind, limit=MOST_RUNS)
    return [one for one in records if one.name == book.name and one.status == "ended"]


async def ended_runs(book: BookSources, kind: str, before: str = "") -> AsyncIterator[Run[Any]]:
    """The runs of a kind that have ended, newest first."""
    for record in await _records(book, kind):
        if record.id != before:
            yield await book.resources.runs.open(record.id)


def _report(run: Run[Any]) -> HealthReport | None:
    try:
        return HealthReport.model_validate(_details(run))
    except ValidationError:
        return None  # of a version that told it otherwise


def _details(run: Run[Any]) -> Mapping[str, JsonValue]:
    """The report of a run as it was logged."""
    ended = WORK_FOLD(run.entries).ended
    report = ended.result.get("report") if ended is not None else None
    return report if isinstance(report, Mapping) else {}
