"""B1: how often the protagonist's fatal flaw is challenged, and how long it is left in peace."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dramaturg.kernel.text.shortened import short_line
from dramaturg.workshop.health.beat_progress import ENDS
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, percent, result
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord

NAME, TITLE = "B1_flaw_challenge", "Fatal-flaw challenge"
LONGEST_PEACE = 0.3
"""The share of the book that may pass between two challenges."""
FEWEST_SCENES = 4
LAST_PART = 0.75


def look(book: CheckedBook) -> CheckResult:
    """Stretches in which nothing challenges the flaw; a scene that says nothing counts as one that does not."""
    if not book.flaw:
        return cannot_tell(
            NAME, TITLE, "The story bible has no fatal flaw.",
            "Write it under 'Fatal flaw' in story-bible/protagonist.md.",
        )  # fmt: skip
    said = [one for one in book.records if one.challenge is not None]
    hits = [one for one in said if one.challenge is not None and one.challenge.value]
    who = book.protagonist or "the protagonist"
    measured = f"{len(hits)} of {len(book.records)} scenes challenge the flaw of {who} (“{short_line(book.flaw, 80)}”)"
    if not said:
        return cannot_tell(
            NAME, TITLE, f"{measured}.",
            "No scene says whether it does. Add 'flaw_challenged: yes' or 'no' to front matter, or let a model read "
            "the scenes (--extract).",
        )  # fmt: skip
    silent = len(book.records) - len(said)
    measured += f"; {silent} say nothing of it and count as no." if silent else "."
    flaw = _flaw_of(book)
    if not hits:
        return result(NAME, TITLE, measured, (_never(book, who, said, flaw),))
    return result(NAME, TITLE, measured, tuple(_gaps(book, who, hits, flaw)))


def _gaps(book: CheckedBook, who: str, hits: Sequence[SceneRecord], flaw: tuple[Evidence, ...]) -> list[Finding]:
    """The stretches before, between and after the challenges that are too long."""
    found: list[Finding] = []
    bounds = [None, *hits, None]
    for one, other in pairwise(bounds):
        first = one.position + 1 if one is not None else 0
        last = other.position if other is not None else len(book.records)
        between = book.records[first:last]
        share = (other.start if other is not None else 1.0) - (one.end if one is not None else 0.0)
        if share < LONGEST_PEACE or len(between) < FEWEST_SCENES:
            continue
        since = f"Last challenge: {one.label}." if one is not None else f"First challenge: {hits[0].label}."
        found.append(
            Finding(
                check=NAME,
                severity="warning" if _is_known(between) else "info",
                subject=f"{who}: {between[0].name} to {between[-1].name}",
                text=f"{who}'s fatal flaw (“{short_line(book.flaw, 80)}”) is not challenged in {len(between)} scenes, "
                f"{percent(share)} of the book: {between[0].label} to {between[-1].label}. {since}",
                recommendation="Put an obstacle there that can only be passed by doing what the flaw forbids.",
                evidence=(*flaw, *_places(one, other), between[0].place, between[-1].place),
            )
        )
    ended = any(one.beat is not None and one.beat.value in ENDS for one in book.records)
    if ended and hits[-1].end < LAST_PART and not found:
        found.append(_unmet_at_the_end(book, who, hits[-1], flaw))
    return found


def _is_known(scenes: Sequence[SceneRecord]) -> bool:
    """Whether most of some scenes say whether they challenge the flaw; else their silence proves little."""
    return sum(one.challenge is not None for one in scenes) * 2 > len(scenes)


def _never(book: CheckedBook, who: str, said: Sequence[SceneRecord], flaw: tuple[Evidence, ...]) -> Finding:
    return Finding(
        check=NAME,
        severity="critical" if _is_known(book.records) else "warning",
        subject=who,
        text=f"No scene challenges {who}'s fatal flaw (“{short_line(book.flaw, 80)}”): it costs nothing, "
        "and nothing asks for a change.",
        recommendation="Choose the turning points where the flaw is the obstacle, and let it cost something there.",
        evidence=(*flaw, *(one.challenge.evidence for one in said[:6] if one.challenge is not None)),
    )


def _unmet_at_the_end(book: CheckedBook, who: str, last: SceneRecord, flaw: tuple[Evidence, ...]) -> Finding:
    return Finding(
        check=NAME,
        severity="warning",
        subject=f"{who}: the end",
        text=f"The last quarter of the book does not challenge {who}'s fatal flaw. Last challenge: {last.label}, which "
        f"ends at {percent(last.end)}.",
        recommendation="Let the climax ask for what the flaw forbids.",
        evidence=(*flaw, *_places(last, None)),
    )


def _places(*scenes: SceneRecord | None) -> tuple[Evidence, ...]:
    return tuple(one.challenge.evidence for one in scenes if one is not None and one.challenge is not None)


def _flaw_of(book: CheckedBook) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(file=one.file, quote=one.quote)
        for one in book.graph.current
        if one.predicate == "fatal_flaw" and one.value == book.flaw
    )[:1]


CHECK = HealthCheck(NAME, TITLE, look)
