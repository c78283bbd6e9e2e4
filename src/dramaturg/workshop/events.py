"""What happens between a writer and the Foreman. One run holds the whole conversation of a book.

It is private: none of its events is public. `wire.py` says what the writer is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    Audience,
    Event,
    KernelEvent,
)
from dramaturg.kernel.store import Status
from dramaturg.kernel.values import JsonData
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.files import FileChange, PlannedChange, digest_of
from dramaturg.workshop.book.files_seen import FilesSeen
from dramaturg.workshop.book.known_change import KnownChange
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.answer import ForemanAnswer
from dramaturg.workshop.foreman.receipt import ForemanReceipt
from dramaturg.workshop.patches.events import PatchesProposed, PatchesRejected, SceneChanged, SceneDrafted, SceneWritten
from dramaturg.workshop.voice.events import LineupChosen, LineupDrawn, VoiceChosen

DoneBy = Literal["foreman", "writer"]


class BookOpened(Event):
    """The conversation about a book begins."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["book.opened"] = "book.opened"
    book: str


class WriterSpoke(Event):
    """The writer's words, logged before anything else happens."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["writer.spoke"] = "writer.spoke"
    turn: int
    text: str
    active: ActiveContext = ActiveContext()
    model: str | None = Field(None, description="the model the writer asked for, if any")


class PromptAssembled(Event):
    """A prompt for a model, with the files that stood in the book at the time."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["prompt.assembled"] = "prompt.assembled"
    turn: int
    round: int
    key: str
    model: str
    state: str = Field(description="the session state as it was sent")
    receipt: ForemanReceipt
    files: FilesSeen | None = Field(
        None, description="what changed since the prompt before", exclude_if=lambda held: held is None
    )
    seen: Mapping[str, str] = Field(
        default_factory=dict,
        description="the digest of each file, in logs that repeat them with every prompt",
        exclude_if=lambda held: not held,
    )
    assisted: bool = Field(
        False, description="the house decides, the model finds the words", exclude_if=lambda held: not held
    )
    known: KnownChange | None = Field(
        None,
        description="what was known; None in logs whose receipts list everything that was left out",
        exclude_if=lambda held: held is None,
    )


class ForemanAnswerPieces(Event):
    """A piece of an answer that is still arriving, so that an interrupted answer is not lost."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.pieces"] = "answer.pieces"
    turn: int
    text: str


class ForemanAnswered(Event):
    """A complete answer, parsed."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["foreman.answered"] = "foreman.answered"
    turn: int
    round: int
    model: str
    answer: ForemanAnswer


class ForemanAnswerFailed(Event):
    """There is no answer. The writer's message is kept and can be sent again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.failed"] = "answer.failed"
    turn: int
    error: str
    code: str


class FileKept(Event):
    """The content of a file before a change, logged before the change is made."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["file.kept"] = "file.kept"
    act: str
    path: str
    before: str | None
    digest: str = Field(description="of the file after the change")
    made: str = Field(description="of the new text, wherever it goes; empty if the file is removed")
    kept_at: str | None = None

    @classmethod
    def of(cls, act: str, change: PlannedChange) -> FileKept:
        """What a change replaces, to be logged before it is made."""
        made = digest_of(change.text)
        return cls(
            act=act, path=change.path, before=change.before, digest=change.digest, made=made, kept_at=change.kept_at
        )

    @property
    def change(self) -> FileChange:
        """The change once it is made."""
        return FileChange(path=self.path, before=self.before, digest=self.digest, kept_at=self.kept_at)


class ActionDone(Event):
    """An action was carried out. `act` identifies it within the book."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.done"] = "action.done"
    act: str
    turn: int
    action: str
    outcome: Outcome
    by: DoneBy = "foreman"


class ActionRefused(Event):
    """An action was refused, and why; both writer and model are told."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.refused"] = "action.refused"
    act: str
    turn: int
    action: str
    reason: str
    quote: str = ""


class ActionOffered(Event):
    """The Foreman asks for what only the writer may do. It waits for the writer's yes until their next message."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.offered"] = "action.offered"
    act: str
    turn: int
    action: str
    params: Mapping[str, JsonData] = Field(default_factory=dict)
    said: str


class OfferConfirmed(Event):
    """The writer said yes to an offer; what was done follows."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["offer.confirmed"] = "offer.confirmed"
    act: str


class ModeChanged(Event):
    """The book moves to another mode. `risks` is what was missing if a gate was forced."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["mode.changed"] = "mode.changed"
    act: str
    before: Mode
    after: Mode
    risks: tuple[str, ...] = ()


class QuoteDoubted(Event):
    """The Foreman quoted words that are in none of the passages it was given."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["quote.doubted"] = "quote.doubted"
    turn: int
    quote: str
    cited: str


class ActionUndone(Event):
    """An action was undone. `kept_file` if its file stays as it is, since the writer has changed it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["action.undone"] = "action.undone"
    act: str
    said: str
    kept_file: bool = Field(False, exclude_if=lambda kept: not kept)


class WorkReported(Event):
    """A long work of the book is over, and the writer and the Foreman are told: in this turn's prompts, once."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["work.reported"] = "work.reported"
    turn: int
    run: str
    work: str
    status: Status
    said: str
    over_at: float


class ForemanTurnEnded(Event):
    """The writer's message has been dealt with completely."""

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
    | ActionOffered
    | OfferConfirmed
    | ModeChanged
    | QuoteDoubted
    | ActionUndone
    | WorkReported
    | ForemanTurnEnded
    | PatchesProposed
    | PatchesRejected
    | SceneChanged
    | SceneWritten
    | SceneDrafted
    | LineupDrawn
    | LineupChosen
    | VoiceChosen
    | KernelEvent,
    Field(discriminator="type"),
]

FOREMAN_EVENTS: TypeAdapter[ForemanEvent] = TypeAdapter(ForemanEvent)
ForemanRun: TypeAlias = Run[ForemanEvent]
