"""State is a fold over the log: one pure step per type of event, the same mechanism for every kind of run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeAlias, TypeVar

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.values import construct

E = TypeVar("E", bound=Event)
S = TypeVar("S")
Step: TypeAlias = Callable[[E, S, Entry[Event]], S]
"""What an event makes of a state: a new state. `entry` says where in the log the event is, and when it was written."""

_ENTRY = Entry[Any]


class Fold(Generic[S]):
    """The steps of one kind of run. `start` is the state of an empty log; an event without a step changes nothing.

    `each`, if given, is applied after every entry, whether or not it has a step.
    """

    def __init__(self, start: S, each: Callable[[S, Entry[Event]], S] | None = None) -> None:
        self.start = start
        self._each = each
        self._steps: dict[type[Event], Step[Any, S]] = {}

    def on(self, kind: type[E]) -> Callable[[Step[E, S]], Step[E, S]]:
        """Marks the step for events of exactly this type."""

        def keep(step: Step[E, S]) -> Step[E, S]:
            self._steps[kind] = step
            return step

        return keep

    def __call__(self, entries: Iterable[Entry[Event]]) -> S:
        """The state of a whole log."""
        return self.after(self.start, entries)

    def after(self, state: S, entries: Iterable[Entry[Event]]) -> S:
        """The state after some more entries."""
        steps, each = self._steps, self._each
        for entry in entries:
            step = steps.get(type(entry.event))
            if step is not None:
                state = step(entry.event, state, entry)
            if each is not None:
                state = each(state, entry)
        return state

    def ahead(self, state: S, events: Iterable[Event], seq: int = 0) -> S:
        """The state as it will be once these events follow entry `seq` in the log."""
        entries = [
            construct(_ENTRY, {"seq": place, "at": 0.0, "event": event}) for place, event in enumerate(events, seq + 1)
        ]
        return self.after(state, entries)
