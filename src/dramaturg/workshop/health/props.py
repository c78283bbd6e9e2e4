"""K2: props that vanish: objects that the book puts forward and then never shows again."""

from __future__ import annotations

from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, percent, result
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord

NAME, TITLE = "K2_vanished_prop", "Props that vanish"
FEWEST_SCENES = 5
SOON = 0.6
HELD = ("owns", "carries")


def look(book: CheckedBook) -> CheckResult:
    """Objects that are shown in two scenes, or that somebody has, and that are not seen in the rest of the book."""
    shown: dict[str, list[SceneRecord]] = {}
    for record in book.records:
        for one in record.objects:
            shown.setdefault(one.value, []).append(record)
    held = {
        book.graph.root(one.object).name: one
        for one in book.graph.current
        if one.predicate in HELD and one.object is not None and one.modality == "narrated"
    }
    measured = (
        f"{counted(len(shown), 'object')} over {counted(len(book.records), 'scene')}; "
        f"{len(held)} of them belong to somebody."
    )
    if not shown or len(book.records) < FEWEST_SCENES:
        return cannot_tell(
            NAME, TITLE, measured,
            f"It needs an object and {FEWEST_SCENES} scenes. Add 'objects: [...]' to front matter.",
        )  # fmt: skip
    findings = [
        _finding(name, scenes)
        for name, scenes in sorted(shown.items())
        if (len(scenes) > 1 or name in held) and scenes[-1].end < SOON
    ]
    return result(NAME, TITLE, measured, tuple(findings), tuple(f"{name}: {_course(shown[name])}" for name in shown))


def _course(scenes: list[SceneRecord]) -> str:
    return f"{len(scenes)} scene(s), from {percent(scenes[0].start)} to {percent(scenes[-1].end)}"


def _finding(name: str, scenes: list[SceneRecord]) -> Finding:
    last = scenes[-1]
    evidence: tuple[Evidence, ...] = tuple(
        one.evidence for record in scenes[-4:] for one in record.objects if one.value == name
    )
    return Finding(
        check=NAME,
        severity="warning",
        subject=name,
        text=f"{name} is last seen in {last.label}, which ends at {percent(last.end)} of the book, and never again.",
        recommendation="Say what became of it, or let it matter once more; if it does not matter, show it less.",
        evidence=evidence,
    )


CHECK = HealthCheck(NAME, TITLE, look)
