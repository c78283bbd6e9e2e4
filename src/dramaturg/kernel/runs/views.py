"""State is a fold over the log; the public sees a part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TypeVar

from dramaturg.kernel.runs.events import Entry, Event

E = TypeVar("E", bound=Event)
S = TypeVar("S")


def fold(entries: Iterable[Entry[E]], step: Callable[[S, Entry[E]], S], start: S) -> S:
    """The state after all the entries: `step` from one to the next, beginning with `start`."""
    return reduce(step, entries, start)


def public(entries: Iterable[Entry[E]]) -> tuple[Entry[E], ...]:
    """The entries that anybody may see."""
    return tuple(entry for entry in entries if entry.event.audience == "public")
