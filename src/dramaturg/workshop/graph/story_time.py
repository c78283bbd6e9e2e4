"""Story time, as writers put it: dates, invented calendars, or only a number in an order.

Two times can be compared if they are written in the same form, with the largest unit first: `1923-05-04` and
`1924-01`; `Third Age 3019-03-25`; `Cycle 4, day 12`. Anything else is kept as written and has no order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

_NUMBER = re.compile(r"\d{1,18}")
_PLAIN = re.compile(r"-?\d{1,18}(?:[-/. :T]\d{1,18}){0,5}")
_BEFORE_CHRIST = re.compile(r"\b(?:b\.?c\.?e?|v\.? ?chr)\b")


@dataclass(frozen=True, slots=True)
class StoryPoint:
    """A time: its calendar (the text without its numbers) and its numbers, largest unit first."""

    calendar: str
    numbers: tuple[int, ...]


@lru_cache(maxsize=8192)
def story_point(text: str) -> StoryPoint | None:
    """The point in time that a text names; None if it has no number to order it by."""
    said = " ".join(text.casefold().split())
    numbers = tuple(int(found) for found in _NUMBER.findall(said))
    if not numbers:
        return None
    backwards = said.startswith("-") or _BEFORE_CHRIST.search(said) is not None
    calendar = "" if _PLAIN.fullmatch(said) else _form(said)
    return StoryPoint(calendar, (-numbers[0], *numbers[1:]) if backwards else numbers)


def _form(said: str) -> str:
    """The calendar: words in order, with numbers left out, so that a day more or less makes no other calendar."""
    return " ".join(re.findall(r"[^\W\d_]+", said))


def compared(one: str, other: str) -> int | None:
    """-1 if the first time is earlier, 1 if it is later, 0 if one lies within the other; None if nobody can tell."""
    first, second = story_point(one), story_point(other)
    if first is None or second is None or first.calendar != second.calendar:
        return None
    shared = min(len(first.numbers), len(second.numbers))
    here, there = first.numbers[:shared], second.numbers[:shared]
    return (here > there) - (here < there)


def overlap(one: tuple[str, str], other: tuple[str, str]) -> bool | None:
    """Whether two spans of story time meet; an empty end is open. None if nobody can tell."""
    for start, end in ((one[0], other[1]), (other[0], one[1])):
        if start and end:
            order = compared(start, end)
            if order is None:
                return None
            if order > 0:
                return False
    return True


def circle_in(after: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Names that come after one another in a circle, the first one again at the end; empty if there is none."""
    done: set[str] = set()
    for begin in after:
        way: list[str] = []
        on_way: set[str] = set()
        stack = [(begin, iter(after.get(begin, ())))] if begin not in done else []
        if stack:
            way.append(begin)
            on_way.add(begin)
        while stack:
            here, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                way.pop()
                on_way.discard(here)
                done.add(here)
            elif following in on_way:
                return (*way[way.index(following) :], following)
            elif following not in done:
                stack.append((following, iter(after.get(following, ()))))
                way.append(following)
                on_way.add(following)
    return ()
