"""A replay of a run from its log: the same entries, with the original pauses between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dramaturg.kernel.runs.events import Entry, Event, RunForked
from dramaturg.scenes.events import BeatClosed, CueGiven, LineSpoken, ResponseGiven, SceneOpened
from dramaturg.scenes.state import scene_state

LONGEST_PAUSE = 4.0
"""Seconds; viewers of a replay need not wait for a slow provider again."""


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """An event to show after a pause. `speaks` where it is an entry of the transcript."""

    event: Event
    pause: float
    speaks: bool


def replay_steps(entries: Sequence[Entry[Event]], *, beat: int = 0, speed: float = 1.0) -> tuple[ReplayStep, ...]:
    """What the public sees, from a beat on, the opening first; `speed` 2 is twice as fast, 0 without a pause."""
    shown = []
    for at, entry, pause in _paused(entries):
        event = entry.event
        if event.audience == "public" and (at >= beat or isinstance(event, SceneOpened)):
            waited = min(max(pause, 0.0), LONGEST_PAUSE) / speed if speed else 0.0
            shown.append(ReplayStep(event, waited, isinstance(event, LineSpoken)))
    return tuple(shown)


def _paused(entries: Sequence[Entry[Event]]) -> Iterator[tuple[int, Entry[Event], float]]:
    """Each entry with its beat and the seconds before it: by arrival for what was said, else by the log."""
    arrived = {
        (entry.event.beat, entry.event.character): entry.event.response.timestamp
        for entry in entries
        if isinstance(entry.event, ResponseGiven)
    }
    names = {member.display_name: member.name for member in scene_state(entries).cast}
    beat, last = 0, entries[0].at if entries else 0.0
    for entry in entries:
        event, now = entry.event, entry.at
        if isinstance(event, CueGiven | RunForked):
            last = now
        elif isinstance(event, BeatClosed):
            beat = event.beat + 1
        if event.audience == "hidden":
            continue
        if isinstance(event, LineSpoken):
            now = arrived.get((event.line.beat, names.get(event.line.speaker, "")), now)
        yield beat, entry, now - last
        last = max(last, now)
