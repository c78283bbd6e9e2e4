"""What happens to patches and to the scenes they change. Part of the log of a book's conversation."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.workshop.patches.patch import Patch, PatchSource
from dramaturg.workshop.patches.splice import Splice


class PatchesProposed(Event):
    """A set of patches waits for the writer. `act` is what proposed them, so that nothing is proposed twice."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["patches.proposed"] = "patches.proposed"
    number: int = Field(description="of the set, in its book")
    act: str
    title: str
    source: PatchSource
    patches: tuple[Patch, ...]


class PatchesRejected(Event):
    """The writer does not want these patches."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["patches.rejected"] = "patches.rejected"
    numbers: tuple[int, ...]
    reason: str = ""


class SceneChanged(Event):
    """A file of the book is about to change: patches are accepted or undone in it, or an earlier version is restored.

    `before` is the text as it stands, unless the log has it already. The changes are made one after the other, and
    belong to `accepted`, or to `undone`, one by one.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["scene.changed"] = "scene.changed"
    number: int = Field(description="of the change, in its book")
    path: str
    was: str = Field("", description="the path under which the file was known, if it was renamed")
    before: str | None = None
    changes: tuple[Splice, ...]
    digest: str = Field(description="of the file after the change")
    accepted: tuple[int, ...] = ()
    undone: tuple[int, ...] = ()
    restored: int | None = Field(None, description="the version that is restored")
    said: str


class SceneDrafted(Event):
    """A variant or a hybrid of a draft was written as a new scene; its text is a version of it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["scene.drafted"] = "scene.drafted"
    path: str
    text: str
    run: str = Field(description="the draft")
    said: str


class SceneWritten(Event):
    """A change is in the file."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["scene.written"] = "scene.written"
    number: int
