"""Who is on stage without acting: passive characters, those without a last word; and scenes that have stalled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.templates import note_text

PASSIVE_AFTER = 4
NOBODY_PASSIVE_BEFORE = 5
OFF_TRACK_AFTER = 8


def passive(silent: Mapping[str, int], total_beats: int, patience: int = PASSIVE_AFTER) -> tuple[str, ...]:
    """Who has been silent for too many beats in a row, the longest first.

    Nobody is passive in the opening, nor while everybody is silent: that is a stall, and no single player's fault.
    """
    quiet = {name: beats for name, beats in silent.items() if beats >= patience}
    if total_beats < NOBODY_PASSIVE_BEFORE or len(quiet) == len(silent):
        return ()
    return tuple(sorted(quiet, key=lambda name: -quiet[name]))


def passive_note(name: str, beats: int) -> str:
    """The private note to somebody passive."""
    return note_text("passive", name=name, beats=beats)


def without_last_word(cast: Sequence[str], since_met: Sequence[QuotableLine]) -> tuple[str, ...]:
    """Who has said nothing since the goal was met, in the order of the cast."""
    heard = {line.speaker for line in since_met if line.text.strip()}
    return tuple(name for name in cast if name not in heard)


def last_word_note(name: str) -> str:
    """The private note to somebody who has not said a last word."""
    return note_text("last_word", name=name)


def off_track(progress_by_beat: Sequence[float], patience: int = OFF_TRACK_AFTER) -> bool:
    """Whether the last beats brought no progress while a goal is still open. Before the first beat, progress is 0."""
    progress = (0.0, *progress_by_beat)
    if len(progress) <= patience or progress[-1] >= 1.0:
        return False
    return max(progress[-patience:]) <= progress[-patience - 1]


def off_track_note(goal: str) -> str:
    """The note to everybody when a scene has lost its way."""
    return note_text("off_track", goal=goal.strip().rstrip("."))
