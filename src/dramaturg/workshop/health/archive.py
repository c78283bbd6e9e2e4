"""What earlier runs left: the last report, what models read of scenes that have not changed, and how drills ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from dramaturg.kernel.runs.costs import answers
from dramaturg.workshop.health.checks import CHECKS
from dramaturg.workshop.health.report import ALL
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.works.state import WORK_FOLD

if TYPE_CHECKING:
    from dramaturg.kernel.runs import Run
    from dramaturg.kernel.store import RunRecord
    from dramaturg.workshop.drill.values import DrillReport
    from dramaturg.workshop.sources import BookSources

HEALTH, DRILL = "health", "drill"
MOST_RUNS = 20
"""How many earlier runs are looked at."""


@dataclass(frozen=True, slots=True)
class KeptReport:
    """A report and the run that made it."""

    run: str
    report: HealthReport


@dataclass(frozen=True, slots=True)
class KeptDrill:
    """A drill and the run that it was."""

    run: str
    report: DrillReport


async def last_report(book: BookSources, *, scope: str = ALL, before: str = "") -> KeptReport | None:
    """The newest report of the whole book or of the same scope; `before` is a run that does not count."""
    async for run in _ended(book, HEALTH, before):
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
    async for run in _ended(book, HEALTH, before):
        for answered in answers(run.entries):
            found.setdefault(answered.key, answered.answer.text)
    return found


async def drills(book: BookSources) -> tuple[KeptDrill, ...]:
    """The latest drills, newest first."""
    from dramaturg.workshop.drill.values import DrillReport

    found: list[KeptDrill] = []
    async for run in _ended(book, DRILL):
        ended = WORK_FOLD(run.entries).ended
        try:
            report = DrillReport.model_validate(ended.result.get("report")) if ended else None
        except ValidationError:
            continue  # of a version that told it otherwise
        if report is not None:
            found.append(KeptDrill(run.id, report))
    return tuple(found)


def drilled(held: tuple[KeptDrill, ...]) -> Mapping[str, str]:
    """What each check has caught in drills, in words; empty if there was none."""
    if not held:
        return {}
    caught = Counter({check.name: 0 for check in CHECKS})
    for one in held:
        caught.update(one.report.caught)
    times = "one drill" if len(held) == 1 else f"{len(held)} drills"
    return {
        name: f"caught {number} flaw{'s' * (number > 1)} in {times}"
        if number
        else f"has never caught anything in {times}"
        for name, number in caught.items()
    }


async def _records(book: BookSources, kind: str) -> list[RunRecord]:
    """The runs of a kind that have ended, newest first."""
    records = await book.resources.runs.find(kind=kind, limit=MOST_RUNS)
    return [one for one in records if one.name == book.name and one.status == "ended"]


async def _ended(book: BookSources, kind: str, before: str = "") -> AsyncIterator[Run[Any]]:
    for record in await _records(book, kind):
        if record.id != before:
            yield await book.resources.runs.open(record.id)


def _report(run: Run[Any]) -> HealthReport | None:
    ended = WORK_FOLD(run.entries).ended
    try:
        return HealthReport.model_validate(ended.result.get("report")) if ended else None
    except ValidationError:
        return None  # of a version that told it otherwise
