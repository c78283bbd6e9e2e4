"""The report: every check run on a book, what the writer waived, and what changed since the last one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.book import HealthAlert
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.manuscript import scene_numbers
from dramaturg.workshop.health.book import CheckedBook, HealthCheck
from dramaturg.workshop.health.checks import BY_NAME, CHECKS
from dramaturg.workshop.health.values import (
    CheckResult,
    Comparison,
    Finding,
    HealthReport,
    ScenePoint,
    SceneRecord,
    Waived,
    Waiver,
)
from dramaturg.workshop.health.waivers import split_waived

ALL = "all"
UNTRIED = "never tried in a fire drill"


def run_checks(
    book: CheckedBook,
    *,
    at: float,
    scope: str = ALL,
    waivers: Sequence[Waiver] = (),
    last: HealthReport | None = None,
    last_run: str = "",
    drilled: Mapping[str, str] | None = None,
) -> HealthReport:
    """A report of a book. `drilled` says what each check has caught in fire drills."""
    checks, files = in_scope(scope, book.records)
    results: list[CheckResult] = []
    waived: list[Waived] = []
    for check in checks:
        found = check.look(book)
        standing, covered = split_waived(_within(found.findings, files), waivers)
        status = found.status if found.status == "cannot_tell" else "found" if standing else "clear"
        told = {"findings": standing, "status": status, "in_drills": (drilled or {}).get(check.name, UNTRIED)}
        results.append(found.model_copy(update=told))
        waived += covered
    return HealthReport(
        title=book.title,
        at=at,
        scope=scope,
        scenes=len(book.records),
        words=book.words,
        checks=tuple(results),
        waived=tuple(waived),
        waivers=tuple(waivers),
        comparison=compared(results, waived, last, last_run),
        points=tuple(map(_point, book.records)),
        sources=dict(_sources(book.records)),
        refused=book.refused,
        problems=book.problems,
        digest=book.digest,
    )


def in_scope(scope: str, records: Sequence[SceneRecord]) -> tuple[tuple[HealthCheck, ...], frozenset[str] | None]:
    """The checks that are asked for, and the files, if only some: `A3`, `chapter 4`, `ch04-sc02`, `all`."""
    wanted = key_name(scope)
    if wanted in ("", ALL, "book", "whole_book"):
        return CHECKS, None
    if wanted in BY_NAME:
        return (BY_NAME[wanted],), None
    files = [one.path for one in records if wanted in _called(one)]
    numbers = scene_numbers(scope)
    if not files and numbers is not None:
        files = [one.path for one in records if scene_numbers(one.name) == numbers]
    if files:
        return CHECKS, frozenset(files)
    known = ", ".join(one.code for one in CHECKS)
    raise InvalidConfig(f"'{scope}' is no check ({known}), chapter or scene of this book.", scope=scope)


def _called(record: SceneRecord) -> set[str]:
    chapter = record.chapter.removeprefix("ch").lstrip("0") if record.chapter else ""
    names = (record.name, record.path, record.title, record.chapter, chapter and f"chapter {chapter}")
    return {key_name(name) for name in names if name} - {""}


def _within(findings: Sequence[Finding], files: frozenset[str] | None) -> tuple[Finding, ...]:
    return tuple(one for one in findings if files is None or files & set(one.files))


def compared(
    results: Sequence[CheckResult], waived: Sequence[Waived], last: HealthReport | None, run: str
) -> Comparison:
    """What is new, what still stands and what was mended since the last report of the same scope or a wider one."""
    now = {one.key for check in results for one in check.findings}
    hidden = {one.finding.key for one in waived}
    looked = {check.check for check in results if check.status != "cannot_tell"}
    if last is None:
        return Comparison(new=tuple(sorted(now)))
    before = {one.key: one for one in last.findings}
    mended = tuple(one for key, one in before.items() if key not in now and key not in hidden and one.check in looked)
    return Comparison(
        run=run,
        at=last.at,
        new=tuple(sorted(now - before.keys())),
        standing=tuple(sorted(now & before.keys())),
        mended=mended,
    )


def health_alerts(findings: Iterable[Finding]) -> tuple[HealthAlert, ...]:
    """The findings as a prompt tells them: severity, check, what was found, and what to do."""
    return tuple(
        HealthAlert(severity=one.severity, check=one.check, text=f"{one.text} Recommendation: {one.recommendation}")
        for one in findings
    )


def _point(record: SceneRecord) -> ScenePoint:
    fields = {
        "tension": record.tension,
        "beat": record.beat,
        "challenge": record.challenge,
        "resonance": record.resonance,
        "time": record.time,
        **{f"cast {one.value}": one for one in record.cast},
    }
    extracted = {
        name.partition(" ")[0] for name, told in fields.items() if told and told.evidence.origin == "extracted"
    }
    return ScenePoint(
        path=record.path,
        name=record.name,
        title=record.title,
        chapter=record.chapter,
        start=round(record.start, 4),
        end=round(record.end, 4),
        kind=record.kind,
        tension=record.tension.value if record.tension else None,
        beat=record.beat.value if record.beat else "",
        cast=tuple(one.value for one in record.cast if one.evidence.origin != "prose"),
        named=tuple(one.value for one in record.cast if one.evidence.origin == "prose"),
        challenge=record.challenge.value if record.challenge else None,
        symbols=tuple(one.value for one in record.symbols),
        resonance=record.resonance.value if record.resonance else None,
        extracted=tuple(sorted(extracted)),
    )


def _sources(records: Sequence[SceneRecord]) -> Counter[str]:
    """How many values of the records come from front matter, from a model, and from names in the prose."""
    found: Counter[str] = Counter()
    for one in records:
        single = (one.tension, one.beat, one.time, one.challenge, one.resonance)
        many = (*one.cast, *one.places, *one.symbols, *one.objects)
        found.update(told.evidence.origin for told in (*single, *many) if told is not None)
    return found
