"""A2: whether the turning points of the book stand where those of finished books do, and in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from dramaturg.workshop.book.bible import BEATS
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, percent, result
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord

NAME, TITLE = "A2_beat_progress", "Beat progress"


@dataclass(frozen=True, slots=True)
class Band:
    """Where a turning point stands in finished books, as shares of the whole."""

    beat: str
    turn: str
    low: float
    high: float


BANDS: tuple[Band, ...] = (
    Band("Catalyst", "opportunity", 0.04, 0.29),
    Band("Break into two", "change of plans", 0.18, 0.50),
    Band("Midpoint", "point of no return", 0.39, 0.67),
    Band("All is lost", "major setback", 0.63, 0.85),
    Band("Finale", "climax", 0.83, 0.97),
)
TURNING_POINTS = frozenset(band.beat for band in BANDS)
ENDS = ("Finale", "Final image")
_ORDER: Mapping[str, int] = {beat.name: beat.number for beat in BEATS}
_SPREAD = frozenset({"Set-up", "B story", "Fun and games", "Bad guys close in", "Theme stated"})
"""Beats that run beside others, so that their order says nothing."""


def look(book: CheckedBook) -> CheckResult:
    """Turning points outside their band, missing ones, and beats in another order than the sheet's."""
    held: dict[str, list[SceneRecord]] = {}
    for one in book.records:
        if one.beat is not None and one.beat.value in _ORDER:
            held.setdefault(one.beat.value, []).append(one)
    measured = f"{len(held)} of {len(BEATS)} beats have a scene"
    if not any(band.beat in held for band in BANDS):
        return cannot_tell(
            NAME, TITLE, f"{measured}.",
            "No scene says that it is a turning point. Add 'beat: Midpoint' and the like to its front matter, "
            "or let a model read the scenes (--extract).",
        )  # fmt: skip
    findings = _out_of_order(held)
    scale = _scale(book, held)
    if scale is None:
        order = f"; {len(findings)} out of order" if findings else "; their order is that of the sheet"
        missing = (
            "The book has no end yet, so that nobody knows at which share of it a scene stands. Give the length you "
            "plan: 'target_words: 90000' in the front matter of story-bible/beat-sheet.md."
        )
        if findings:
            return result(NAME, TITLE, f"{measured}{order}. {missing}", tuple(findings))
        return cannot_tell(NAME, TITLE, f"{measured}{order}.", missing)
    findings += [found for band in BANDS if (found := _outside(band, held, scale)) is not None]
    told = ", ".join(
        f"{band.turn} ({band.beat}) {_place(held[band.beat], scale)}, band {percent(band.low)} to {percent(band.high)}"
        for band in BANDS
        if band.beat in held
    )
    return result(NAME, TITLE, f"{measured}: {told}.", tuple(findings))


def _scale(book: CheckedBook, held: Mapping[str, list[SceneRecord]]) -> float | None:
    """How much of the finished book there is: the whole, if it has an end; None if nobody can tell."""
    if any(beat in held for beat in ENDS):
        return 1.0
    return min(1.0, book.words / book.target_words) if book.target_words else None


def _outside(band: Band, held: Mapping[str, list[SceneRecord]], scale: float) -> Finding | None:
    scenes = held.get(band.beat)
    if scenes is None:
        return _absent(band, scale)
    start, end = scenes[0].start * scale, scenes[-1].end * scale
    if end >= band.low and start <= band.high:
        return None
    early = end < band.low
    return Finding(
        check=NAME,
        severity="warning",
        subject=band.beat,
        text=f"The {band.turn} ({band.beat}) stands at {_place(scenes, scale)} of the book; in finished books it is "
        f"between {percent(band.low)} and {percent(band.high)}.",
        recommendation=(
            f"Move {scenes[0].label} back, or shorten what follows it." if early
            else f"Bring {scenes[0].label} forward, or cut before it."
        ),
        evidence=tuple(_evidence(one) for one in scenes),
    )  # fmt: skip


def _absent(band: Band, scale: float) -> Finding | None:
    """A turning point that has no scene although the book is past its band."""
    if scale < band.low:
        return None
    past = scale >= band.high
    return Finding(
        check=NAME,
        severity="warning" if past else "info",
        subject=band.beat,
        text=f"No scene is the {band.turn} ({band.beat}); "
        + (f"{percent(scale)} of the book are written" if scale < 1 else "the book has its end")
        + f", and in finished books it stands between {percent(band.low)} and {percent(band.high)}.",
        recommendation=f"Write the scene, or add 'beat: {band.beat}' to the front matter of the one that is it.",
        evidence=(Evidence(file="story-bible/beat-sheet.md"),),
    )


def _out_of_order(held: Mapping[str, list[SceneRecord]]) -> list[Finding]:
    """Pairs of neighbouring beats whose scenes are read the other way round."""
    firsts = sorted(
        (scenes[0] for beat, scenes in held.items() if beat not in _SPREAD and scenes[0].kind == "scene"),
        key=lambda one: _ORDER[one.beat.value] if one.beat else 0,
    )
    found: list[Finding] = []
    for one, other in pairwise(firsts):
        if one.beat is None or other.beat is None or one.position <= other.position:
            continue
        found.append(
            Finding(
                check=NAME,
                severity="warning",
                subject=f"{one.beat.value} and {other.beat.value}",
                text=f"{other.beat.value} ({other.label}) is read before {one.beat.value} ({one.label}); "
                "on the beat sheet it comes after it.",
                recommendation="Change the order of the scenes, or their beats if these are meant otherwise.",
                evidence=(_evidence(other), _evidence(one)),
            )
        )
    return found


def _place(scenes: list[SceneRecord], scale: float) -> str:
    start, end = scenes[0].start * scale, scenes[-1].end * scale
    return f"{percent(start)} to {percent(end)}"


def _evidence(record: SceneRecord) -> Evidence:
    return record.beat.evidence if record.beat is not None else record.place


CHECK = HealthCheck(NAME, TITLE, look)
