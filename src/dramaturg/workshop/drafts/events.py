"""What happens in a draft, beside the events of every long work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.kernel.values import Value


class PlannedVariant(Value):
    """One variant to be written: its letter, the model and the strategy."""

    letter: str
    model: str
    strategy: str


class DraftBegan(Event):
    """Everything that a draft is written from, as it stood when the draft began. A later edit does not change it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["draft.began"] = "draft.began"
    path: str = Field(description="the scene, below the project")
    words: int = Field(description="the target")
    variants: tuple[PlannedVariant, ...]
    head: Mapping[str, str] = Field(default_factory=dict, description="the front matter of a new scene")
    scaffold: str = Field("", description="the text of the scaffold's file")
    scaffold_path: str = ""
    scaffold_digest: str = ""
    brief: str = Field("", description="what the writer said")
    base_run: str = ""
    base: tuple[str, ...] = Field((), description="the lines of the scene that was performed")
    before: str = Field("", description="the end of the scene before it")
    voice: str = ""
    bible: str = ""
    book: Mapping[str, str] = Field(default_factory=dict)

    def variant(self, letter: str) -> PlannedVariant | None:
        return next((one for one in self.variants if one.letter == letter), None)


class SectionWritten(Event):
    """A section of a variant as it is kept: `marks` say what is wrong with it, `asked` how often it was asked for."""

    type: Literal["section.written"] = "section.written"
    letter: str
    number: int = Field(description="from 1")
    of: int
    target: int
    words: int
    text: str
    marks: tuple[str, ...] = ()
    asked: int = 1
