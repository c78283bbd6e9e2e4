"""What an author does to lines that were said. The words that stood there before stay in the log."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse

TakeAuthor = Literal["cast", "author"]


class LineTake(WireValue):
    """One take of a line, with all its words; take 1 is what was said in the scene.

    `line` is null where the character was silent. `by` tells a take of the cast from words of the author's.
    """

    take: int
    by: TakeAuthor = "cast"
    line: Line | None


class Revision(WireValue):
    """How a line came by the words it has now: which of its takes stands, none if it was struck.

    `followed` later lines answered the earlier words and stand as they were said.
    """

    line: int
    beat: int
    speaker: str
    how: Literal["retaken", "edited", "struck"]
    take: int | None = None
    takes: int = 1
    followed: int = 0


class TakeAdded(Event):
    """Another take of a line is kept beside it: an answer of its speaker's, or words of the author's.

    `key` is that of the question the answer was paid for with; empty where nothing was asked.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["take.added"] = "take.added"
    number: int
    take: LineTake
    key: str = ""
    response: CharacterResponse | None = None
    warnings: tuple[str, ...] = ()


class LineRevision(Event):
    """What a revision has in common: the line, and all entries that it changed, as they now stand.

    Other entries change where one line cuts the other. `followed` later lines answered the earlier words and stand as
    they were said.
    """

    number: int
    lines: tuple[Line, ...] = ()
    followed: int = Field(0, exclude_if=lambda count: not count)


class TakeChosen(LineRevision):
    """Another take of a line now stands in the transcript; none of `lines` has the number if that take is silence."""

    type: Literal["take.chosen"] = "take.chosen"
    take: int


class LineEdited(LineRevision):
    """The author changed the words of a line; they are kept as a take of it."""

    type: Literal["line.edited"] = "line.edited"
    take: int


class LineStruck(LineRevision):
    """The author struck a line from the transcript."""

    type: Literal["line.struck"] = "line.struck"


class SceneReopened(Event):
    """A scene that had ended is played on, because its author changed what was said."""

    type: Literal["scene.reopened"] = "scene.reopened"


Revised = TakeChosen | LineEdited | LineStruck
