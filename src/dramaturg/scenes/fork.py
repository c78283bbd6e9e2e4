"""Where a scene can be forked: at the end of a beat, when it is judged and the next has not begun."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.events import BeatClosed, BeatPlayed, LineEdited, LineStruck, SceneEnded, TakeChosen

BY_HAND = "given by hand"
"""The reason given for a note from an author rather than the moderator."""


def fork_point(entries: Sequence[Entry[Event]], beat: int) -> int:
    """The number of the last entry that a fork after this beat shares. Raises NotFound if the beat did not close."""
    closed = {entry.event.beat: entry.seq for entry in entries if isinstance(entry.event, BeatClosed)}
    if beat in closed:
        return closed[beat]
    if not closed:
        raise NotFound("No beat of this run is finished yet, so there is nothing to fork.", beat=beat)
    last = max(closed)
    ended = any(isinstance(entry.event, SceneEnded) and entry.event.beats == beat + 1 for entry in entries)
    why = f"The scene ended with beat {beat}" if ended else f"Beat {beat} was not played to its end"
    raise NotFound(f"{why}; fork it at one of the beats 0 to {last}.", beat=beat, last=last)


def is_revised_since_its_end(entries: Sequence[Entry[Event]]) -> bool:
    """Whether lines were changed after the scene was last played to its end."""
    revised = False
    for entry in reversed(entries):
        event = entry.event
        revised = revised or isinstance(event, TakeChosen | LineEdited | LineStruck)
        if isinstance(event, BeatPlayed):
            return revised
    return False


def new_folder(artifacts: Artifacts, scene: str) -> str:
    """A new folder for the files of one performance, below the data."""
    return artifacts.numbered(f"scenes/{scene}").relative_to(artifacts.root).as_posix()
