"""What happens to a book's voice, in the log of its conversation: a line-up is drawn, and a voice chosen.

The order of a line-up is nowhere in the log: its seed is, and the labels follow from it when they are opened.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.workshop.voice.lineup import Choice, Way


class LineupDrawn(Event):
    """A line-up of a tournament's passages. A new one replaces the one before."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["lineup.drawn"] = "lineup.drawn"
    tournament: str
    way: Way
    seed: int
    cells: tuple[int, ...]
    own: str = Field("", description="the writer's own page, if they gave one")


class LineupChosen(Event):
    """The writer prefers a passage: of a pair, or of all."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["lineup.chosen"] = "lineup.chosen"
    choice: Choice


class VoiceChosen(Event):
    """The writer has chosen; the labels are open. `letter` is empty for a choice by name, which is not blind."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["voice.chosen"] = "voice.chosen"
    tournament: str
    cell: int = Field(description="0 is the writer's own page")
    letter: str = ""
    guessed_own: str = ""
    notes: str = ""
    dislikes: tuple[str, ...] = ()
