"""Finds words again: where they stand as quoted, by the words around them, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig, install_extra
from dramaturg.workshop.manuscripts.remarks import Standing

CONTEXT = 60
"""How many characters before and after a place tell it from others."""
LIKELY = 72.0
LEAD = 12.0
"""How alike the words around a place must be, and how much more than around the next best, from 0 to 100."""
MOST_PLACES = 200
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """From where to where the words stand; no place if they are gone or stand there more than once."""

    state: Standing
    start: int = -1
    end: int = -1
    why: str = ""


def locate(text: str, quote: str, before: str, after: str, new: str | None = None) -> FoundPlace:
    """The place of a quotation in a text. With `new`, words that were already put in its place are noticed."""
    exact = _occurrences(text, before + quote + after)
    if len(exact) == 1 and (quote or len(before + after) >= _SHORTEST):
        start = exact[0] + len(before)
        return FoundPlace("ready", start, start + len(quote))
    if quote:
        starts = _occurrences(text, quote)
        places = [(at, at + len(quote)) for at in starts]
    else:
        places = [(at, at) for at in _gaps(text, before, after)]
    found = _best(text, places, before, after)
    if found is not None and found.state == "ready":
        return found
    if new and _stands_already(text, new, before, after):
        return FoundPlace("made", why="these words stand there already")
    if found is not None:
        return found
    return FoundPlace("gone", why="the words are no longer there" if quote else "the words around it have changed")


def _best(text: str, places: list[tuple[int, int]], before: str, after: str) -> FoundPlace | None:
    if not places:
        return None
    scored = sorted(((_likeness(text, start, end, before, after), start, end) for start, end in places), reverse=True)
    score, start, end = scored[0]
    next_best = scored[1][0] if len(scored) > 1 else 0.0
    alone = len(places) == 1 and end - start >= _SHORTEST * 2
    if (score >= LIKELY and score - next_best >= LEAD) or alone:
        return FoundPlace("ready", start, end)
    if len(places) == 1:
        return FoundPlace("ready", start, end) if score >= LIKELY - LEAD else None
    if score < LIKELY - 2 * LEAD:
        return None
    count = f"{len(places)} times" if len(places) < MOST_PLACES else "many times"
    what = "the words stand there" if end > start else "the place fits"
    return FoundPlace("ambiguous", why=f"{what} {count}, and the words around them do not tell which")


def _likeness(text: str, start: int, end: int, before: str, after: str) -> float:
    ratio = _fuzz()
    sides = []
    if before:
        sides.append((ratio(before, text[max(0, start - len(before)) : start]), len(before)))
    if after:
        sides.append((ratio(after, text[end : end + len(after)]), len(after)))
    weight = sum(size for _, size in sides)
    return sum(score * size for score, size in sides) / weight if weight else 0.0


def _gaps(text: str, before: str, after: str) -> list[int]:
    """Places between words that have the words before or after them."""
    for size in (CONTEXT, 30, 15, _SHORTEST):
        found: set[int] = set()
        if len(before) >= size:
            found.update(at + size for at in _occurrences(text, before[-size:]))
        if len(after) >= size:
            found.update(_occurrences(text, after[:size]))
        if found:
            return sorted(found)
    return []


def _stands_already(text: str, new: str, before: str, after: str) -> bool:
    places = [(at, at + len(new)) for at in _occurrences(text, new)]
    found = _best(text, places, before, after)
    return found is not None and found.state == "ready"


def _occurrences(text: str, wanted: str) -> list[int]:
    found: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < MOST_PLACES:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _fuzz() -> Callable[[str, str], float]:
    try:
        from rapidfuzz.fuzz import ratio
    except ImportError as error:
        raise InvalidConfig(f"Finding words again needs {install_extra('workshop')}.") from error
    return ratio
