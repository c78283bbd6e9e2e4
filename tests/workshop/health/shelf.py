"""Records and books for the tests of the checks, in as few words as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from dramaturg.workshop.graph.intake import take_in
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.book import CheckedBook
from dramaturg.workshop.health.material import checked_book
from dramaturg.workshop.health.report import run_checks
from dramaturg.workshop.health.values import CheckResult, Evidence, HealthReport, SceneRecord, Told

T = TypeVar("T")
BOOKS = Path(__file__).parents[3] / "benchmarks" / "books"


def told(path: str, value: T, line: str = "") -> Told[T]:
    return Told(value, Evidence(file=path, quote=line or f"{value}"))


def scenes(count: int, **fields: Sequence[Any]) -> tuple[SceneRecord, ...]:
    """As many scenes of one length; each field has a value for each scene, or None."""
    made: list[SceneRecord] = []
    for at in range(count):
        path = f"manuscript/ch{at + 1:02}-sc01.md"
        record = SceneRecord(
            path, f"ch{at + 1:02}-sc01", chapter=str(at + 1), position=at, words=100,
            start=at / count, end=(at + 1) / count, opening=f"Scene {at + 1} begins.",
        )  # fmt: skip
        for name, values in fields.items():
            record = replace(record, **{name: _value(path, name, values[at])})
        made.append(record)
    return tuple(made)


def _value(path: str, name: str, value: Any) -> Any:
    if name in ("cast", "pov", "places", "symbols", "objects"):
        return tuple(told(path, one) for one in value or ())
    return value if name in ("kind", "until") or value is None else told(path, value)


def a_book(records: tuple[SceneRecord, ...], **more: Any) -> CheckedBook:
    given = {"protagonist": "Ines", "flaw": "She never turns back.", "theme": "Turning back takes courage."}
    return CheckedBook(records=records, **(given | more))


def read_book(project: Path) -> CheckedBook:
    """A book from its files, as a run reads it."""
    intake = take_in(StoryGraph(), project)
    return checked_book(project, StoryGraph().changed(intake.change, 1.0), problems=intake.problems)


def report_of(project: Path, **more: Any) -> HealthReport:
    return run_checks(read_book(project), at=1.0, **more)


def check_in(report: HealthReport, code: str) -> CheckResult:
    return next(one for one in report.checks if one.check.startswith(code))
