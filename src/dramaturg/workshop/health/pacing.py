"""A1: stretches of scenes with about the same tension, measured by the spread of the book itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import pstdev

from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, percent, result
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord

NAME, TITLE = "A1_pacing_plateau", "Pacing plateau"
FEWEST = 6
ENOUGH = 0.6
WITHIN = 0.5
"""How much of the book's standard deviation the tension of a plateau may vary by."""


def look(book: CheckedBook) -> CheckResult:
    """Plateaus: runs of scenes whose tension varies by less than half of the book's standard deviation.

    The longer the book, the longer a run must be to count, since short ones come by chance.
    """
    known = [one for one in book.records if one.tension is not None]
    levels = [one.tension.value for one in known if one.tension is not None]
    extracted = sum(one.tension is not None and one.tension.evidence.origin == "extracted" for one in known)
    measured = f"Tension of {len(known)} of {len(book.records)} scenes" + (f", {extracted} extracted" * bool(extracted))
    if len(known) < FEWEST or len(known) < ENOUGH * len(book.records):
        return cannot_tell(
            NAME, TITLE, f"{measured}.",
            f"It needs the tension of at least {FEWEST} scenes and of six in ten. "
            "Add 'tension: 1 to 10' to their front matter, or let a model read the scenes (--extract).",
        )  # fmt: skip
    spread, shortest = pstdev(levels), max(4, round(math.log2(len(known))))
    measured += f", from {min(levels):g} to {max(levels):g}, standard deviation {spread:.1f}"
    measured += f"; a plateau is {shortest} scenes or more within {WITHIN * spread:.1f}."
    findings = tuple(_finding(known[begin:end], spread) for begin, end in plateaus(levels, WITHIN * spread, shortest))
    return result(NAME, TITLE, measured, findings)


def plateaus(levels: Sequence[float], within: float, shortest: int) -> Iterator[tuple[int, int]]:
    """The longest runs that vary by no more than `within`, from left to right and without overlap."""
    begin = 0
    while begin < len(levels):
        low = high = levels[begin]
        end = begin + 1
        while end < len(levels) and max(high, levels[end]) - min(low, levels[end]) <= within:
            low, high, end = min(low, levels[end]), max(high, levels[end]), end + 1
        if end - begin >= shortest:
            yield begin, end
            begin = end
        else:
            begin += 1


def _finding(flat: Sequence[SceneRecord], spread: float) -> Finding:
    levels = [one.tension.value for one in flat if one.tension is not None]
    low, high = min(levels), max(levels)
    around = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    share = flat[-1].end - flat[0].start
    return Finding(
        check=NAME,
        severity="warning",
        subject=f"{flat[0].name} to {flat[-1].name}",
        text=f"The tension stays at {around} for {len(flat)} scenes, {percent(share)} of the book: "
        f"{flat[0].label} to {flat[-1].label}. Elsewhere it varies by {spread:.1f}.",
        recommendation="Let one of these scenes fall or rise: a cost, a rest, or news that changes what they want. "
        "Two that do the same work may be one.",
        evidence=tuple(_evidence(one) for one in flat),
    )


def _evidence(record: SceneRecord) -> Evidence:
    return record.tension.evidence if record.tension is not None else record.place


CHECK = HealthCheck(NAME, TITLE, look)
