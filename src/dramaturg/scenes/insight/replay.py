"""A replay of a run from its log: the same entries, with the original pauses between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dramaturg.kernel.runs.events import Entry, Event, RunForked
from dramaturg.scenes.events import (
    BeatClosed,
    CueGiven,
    LineCut,
    LineEdited,
    LineSpoken,
    LineStruck,
    ResponseGiven,
    SceneEnded,
    SceneOpened,
    SceneReopened,
    TakeChosen,
)
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
    """What the public sees, from a beat on, the opening first; `speed` 2 is twice as fast, 0 without a pause.

    Lines that their author changed are shown as they now stand, in their place.
    """
    shown = []
    stands = _as_it_stands(entries)
    for at, entry, pause in _paused(entries):
        event = stands.get(entry.seq, entry.event)
        if event is None:
            continue
        if event.audience == "public" and (at >= beat or isinstance(event, SceneOpened)):
            waited = min(max(pause, 0.0), LONGEST_PAUSE) / speed if speed else 0.0
            shown.append(ReplayStep(event, waited, isinstance(event, LineSpoken)))
    return tuple(shown)


def _as_it_stands(entries: Sequence[Entry[Event]]) -> dict[int, Event | None]:
    """What to show instead of an entry, by its number: another line, or nothing."""
    revised = [e for e in entries if isinstance(e.event, TakeChosen | LineEdited | LineStruck)]
    if not revised:
        return {}
    lines = {line.number: line for line in scene_state(entries).lines}
    changed = {number for e in revised for number in _numbers(e.event)}
    ends = [entry.seq for entry in entries if isinstance(entry.event, SceneEnded)]
    instead: dict[int, Event | None] = dict.fromkeys([*(entry.seq for entry in revised), *ends[:-1]])
    for entry in entries:
        event = entry.event
        if isinstance(event, SceneReopened) or (isinstance(event, LineCut) and event.number in changed):
            instead[entry.seq] = None
        elif isinstance(event, LineSpoken) and event.line.number in changed:
            line = lines.get(event.line.number)
            instead[entry.seq] = LineSpoken(line=line) if line is not None else None
    return instead


def _numbers(event: Event) -> tuple[int, ...]:
    if not isinstance(event, TakeChosen | LineEdited | LineStruck):
        return ()
    return (event.number, *(line.number for line in event.lines))


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
