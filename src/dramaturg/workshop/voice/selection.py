"""Which passage a writer chose, and what an action needs to know of choosing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from pydantic import Field

from dramaturg.kernel.values import WireValue

LONGEST_NOTES = 4000


class Selection(WireValue):
    """Which passage the writer chose: by its letter, or by who wrote it and how."""

    letter: str = Field("", max_length=2)
    agent: str = Field("", max_length=200)
    strategy: str = Field("", max_length=80)
    own: str = Field("", max_length=2, description="the letter that the writer takes for their own page")
    notes: str = Field("", max_length=LONGEST_NOTES)
    dislikes: tuple[str, ...] = Field((), max_length=20)


class VoiceSelected(NamedTuple):
    """What came of a selection, and what takes it back: its decisions, and whether another voice was chosen."""

    said: str
    decisions: tuple[int, ...]
    is_new: bool


class VoiceChoice(Protocol):
    """A book's voice, as far as an action chooses it."""

    async def selected(self, wanted: Selection) -> VoiceSelected:
        """Opens the labels of the line-up; who was chosen, in a few sentences."""
        ...

    async def bundle(self, output_dir: str = "") -> Mapping[str, str]:
        """The files of the bundle by their paths."""
        ...
