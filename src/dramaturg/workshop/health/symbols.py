"""C1: whether symbols return over the whole book, and meet its turning points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.health.beat_progress import TURNING_POINTS
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, percent, result
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord, Severity

NAME, TITLE = "C1_symbolic_layering", "Symbolic layering"
FEWEST_SCENES = 5
SOON = 0.6
"""A symbol that is never seen after this share of the book was forgotten."""
LATE = 0.8


def look(book: CheckedBook) -> CheckResult:
    """Symbols that are declared and never shown, shown once, forgotten, or introduced only at the end."""
    shown: dict[str, list[SceneRecord]] = {}
    for record in book.records:
        for one in record.symbols:
            shown.setdefault(one.value, []).append(record)
    declared = {
        one.name: one for one in book.graph.entities if one.kind == "symbol" and book.graph.roots[one.id] == one.id
    }
    names = sorted({*shown, *declared})
    measured = f"{counted(len(names), 'symbol')} over {counted(len(book.records), 'scene')}"
    if not names or len(book.records) < FEWEST_SCENES:
        return cannot_tell(
            NAME, TITLE, f"{measured}.",
            f"It needs a symbol and {FEWEST_SCENES} scenes. Add 'symbols: [...]' to front matter, a page of the story "
            "bible with 'kind: symbol', or let a model read the scenes (--extract).",
        )  # fmt: skip
    details = tuple(f"{name}: {_course(shown.get(name, ()))}" for name in names)
    findings = [
        found
        for name in names
        if (found := _judged(name, shown.get(name, ()), declared[name].source if name in declared else "")) is not None
    ]
    return result(NAME, TITLE, f"{measured}, by share of the book.", tuple(findings), details)


def _judged(name: str, scenes: Sequence[SceneRecord], source: str) -> Finding | None:
    if not scenes:
        return _finding(
            name, "warning", f"{name} is declared a symbol and stands in no scene.",
            "Show it where the story turns, or take it out of the story bible.", (Evidence(file=source),),
        )  # fmt: skip
    first, last = scenes[0], scenes[-1]
    evidence = tuple(one.evidence for record in scenes[:6] for one in record.symbols if one.value == name)
    if len(scenes) == 1:
        return _finding(
            name, "info", f"{name} is seen once, in {first.label}; what is seen once is an object.",
            "Let it return where something has changed, or do not count on it.", evidence,
        )  # fmt: skip
    if last.end < SOON:
        return _finding(
            name, "warning",
            f"{name} is seen in {len(scenes)} scenes and never after {last.label}, which ends at {percent(last.end)}.",
            "Bring it back near the end, changed: what it means there is what the reader takes along.", evidence,
        )  # fmt: skip
    if first.start > LATE:
        return _finding(
            name, "info", f"{name} appears only at {percent(first.start)} of the book, in {first.label}.",
            "Plant it early, where it means nothing yet.", evidence,
        )  # fmt: skip
    return None


def _finding(name: str, severity: Severity, text: str, do: str, evidence: tuple[Evidence, ...]) -> Finding:
    return Finding(check=NAME, severity=severity, subject=name, text=text, recommendation=do, evidence=evidence)


def _course(scenes: Sequence[SceneRecord]) -> str:
    """Where a symbol is seen, by thirds of the book, and at which turning points."""
    if not scenes:
        return "never shown"
    thirds: Mapping[int, int] = {part: sum(int(min(one.start * 3, 2)) == part for one in scenes) for part in range(3)}
    turns = [one.beat.value for one in scenes if one.beat is not None and one.beat.value in TURNING_POINTS]
    challenged = sum(one.challenge is not None and one.challenge.value for one in scenes)
    meets = f"; at {', '.join(turns)}" if turns else "; at no turning point"
    return (
        f"{thirds[0]}, {thirds[1]} and {thirds[2]} scenes by thirds{meets}; {challenged} where the flaw is challenged"
    )


CHECK = HealthCheck(NAME, TITLE, look)
