"""What happens between a writer and the Foreman. One run holds the conversation of a book over its whole time.

It is between two: none of its events is for the public. `wire.py` says what the writer is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import Audience, Event, ModelAnswered, RunForked, RunStopped
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.answer import ForemanAnswer
from dramaturg.workshop.foreman.prompt_assembly import ForemanReceipt

DoneBy = Literal["foreman", "writer"]


class BookOpened(Event):
    """The Foreman meets a book."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["book.opened"] = "book.opened"
    book: str


class WriterSpoke(Event):
    """The writer's words, kept before anything is made of them."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["writer.spoke"] = "writer.spoke"
    turn: int
    text: str
    active: ActiveContext = ActiveContext()
    model: str | None = Field(None, description="the model the writer asked for, if any")


class PromptAssembled(Event):
    """What a model is told. `seen` are the files as the prompt knew them, by the digest of their text."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["prompt.assembled"] = "prompt.assembled"
    turn: int
    round: int
    key: str
    model: str
    state: str = Field(description="the session state as it was sent")
    receipt: ForemanReceipt
    seen: Mapping[str, str] = Field(default_factory=dict)


class ForemanAnswerPieces(Event):
    """A piece of an answer on its way, so that one that breaks off is not lost."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.pieces"] = "answer.pieces"
    turn: int
    text: str


class ForemanAnswered(Event):
    """An answer, taken apart."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["foreman.answered"] = "foreman.answered"
    turn: int
    round: int
    model: str
    answer: ForemanAnswer


class ForemanAnswerFailed(Event):
    """No answer came. The writer's message stands and can be sent again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.failed"] = "answer.failed"
    turn: int
    error: str
    code: str


class FileKept(Event):
    """What a file held before a change, written down before the change is made."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["file.kept"] = "file.kept"
    act: str
    path: str
    before: str | None
    digest: str = Field(description="of what the file is to hold")
    made: str = Field(description="of the new text, wherever it goes")
    kept_at: str | None = None


class ActionDone(Event):
    """Something was done. `act` names it within the book."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.done"] = "action.done"
    act: str
    turn: int
    action: str
    outcome: Outcome
    by: DoneBy = "foreman"


class ActionRefused(Event):
    """Something was not done, and why; the writer sees it and the model is told."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.refused"] = "action.refused"
    act: str
    turn: int
    action: str
    reason: str
    quote: str = ""


class ModeChanged(Event):
    """The book goes on, or back. `risks` is what was missing where a gate was forced."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["mode.changed"] = "mode.changed"
    act: str
    before: Mode
    after: Mode
    risks: tuple[str, ...] = ()


class QuoteDoubted(Event):
    """The Foreman quoted words that stand in none of the passages it was given."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["quote.doubted"] = "quote.doubted"
    turn: int
    quote: str
    cited: str


class ActionUndone(Event):
    """Something that was done was taken back."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.undone"] = "action.undone"
    act: str
    said: str


class ForemanTurnEnded(Event):
    """All that follows from the writer's message is done."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["turn.ended"] = "turn.ended"
    turn: int
    answered: bool = True


ForemanEvent = Annotated[
    BookOpened
    | WriterSpoke
    | PromptAssembled
    | ForemanAnswerPieces
    | ForemanAnswered
    | ForemanAnswerFailed
    | FileKept
    | ActionDone
    | ActionRefused
    | ModeChanged
    | QuoteDoubted
    | ActionUndone
    | ForemanTurnEnded
    | ModelAnswered
    | RunForked
    | RunStopped,
    Field(discriminator="type"),
]

FOREMAN_EVENTS: TypeAdapter[ForemanEvent] = TypeAdapter(ForemanEvent)
ForemanRun: TypeAlias = Run[ForemanEvent]
