"""Revisions in a fork: where a fork at a line begins, and the revisions of what it shares with its parent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.scenes.events import BeatPlayed, LineEdited, LineStruck, SceneEvent, TakeAdded, TakeChosen
from dramaturg.scenes.state import scene_state


def play_on_point(entries: Sequence[Entry[Event]], beat: int) -> int:
    """The last entry that a fork at a line of this beat shares: all have answered, and nobody has heard the answers.

    Whoever speaks in the same beat has not heard the line, so all of the beat stands; the verdict, the notes and
    what happens next follow from the new words. Raises NotFound if the beat was not played to its end.
    """
    for entry in entries:
        if isinstance(entry.event, BeatPlayed) and entry.event.beat == beat:
            return entry.seq
    raise NotFound(f"Beat {beat} of this run was not played to its end; resume the run first.", beat=beat)


def carried(entries: Sequence[Entry[Event]], at: int) -> tuple[SceneEvent, ...]:
    """The revisions of the lines that a fork shares, where they are written later than what it shares."""
    return tuple(_carried(entries, at))


def _carried(entries: Sequence[Entry[Event]], at: int) -> Iterator[SceneEvent]:
    shared = scene_state(entries[:at])
    beats = {line.number: line.beat for line in shared.lines}
    for entry in entries[at:]:
        event = entry.event
        if isinstance(event, TakeAdded) and event.number in beats:
            yield event
        elif isinstance(event, TakeChosen | LineEdited | LineStruck) and event.number in beats:
            lines = tuple(line for line in event.lines if line.number in beats)
            later = sum(line.kind == "line" and line.beat > beats[event.number] for line in shared.lines)
            yield event.model_copy(update={"lines": lines, "followed": min(event.followed, later)})
