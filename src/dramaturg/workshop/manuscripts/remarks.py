"""What is said about words of a manuscript, going out to Word and coming back: notes and patches, anchored by quote.

Findings, conflicts and proposed changes of any origin are mapped onto these two before an export; what a human editor
did comes back as the same values.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value

Standing = Literal["ready", "made", "ambiguous", "gone"]
"""Whether words can be changed now, are changed already, stand there more than once, or no longer stand there."""


class QuoteAnchor(Value):
    """A place in a scene: its words, and some words before and after them that tell it from others."""

    path: str = Field(description="the file, below the project")
    quote: str = Field("", description="empty for a place between two words, or for the whole scene")
    before: str = ""
    after: str = ""


class ManuscriptNote(Value):
    """A finding, a conflict or a comment about words of a scene."""

    anchor: QuoteAnchor
    text: str
    source: str = Field("", description="what it comes from, such as `conflict 12`")
    author: str = ""
    at: str = Field("", description="when, in ISO 8601; empty if not known")


class ManuscriptPatch(Value):
    """Words of a scene and what shall stand in their place; the anchor's quote is the old words."""

    anchor: QuoteAnchor
    new: str
    reason: str = ""
    source: str = Field("", description="what it comes from, such as `patch 3` or `editor.docx`")
    author: str = ""
    at: str = ""


class ReturnedPatch(Value):
    """A change that came back, and where it stands in the file as it is now."""

    number: int
    patch: ManuscriptPatch
    state: Standing
    why: str = Field("", description="why it waits")
    line: int = Field(0, description="of the file as it is now")
    start: int = Field(-1, description="where the old words begin in the file as it is now")


class ReturnedNote(Value):
    """A comment that came back; `answers` is the number of the one that it replies to."""

    number: int
    note: ManuscriptNote
    state: Standing
    line: int = 0
    answers: int | None = None
    is_done: bool = False


class WordReview(Value):
    """What a Word document brings back to the manuscript."""

    name: str
    scenes: int = Field(description="how many scenes of the manuscript it contains")
    untouched: int = Field(description="how many of them nobody changed")
    patches: tuple[ReturnedPatch, ...] = ()
    notes: tuple[ReturnedNote, ...] = ()
    problems: tuple[str, ...] = ()
