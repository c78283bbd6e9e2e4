"""What happens when an ensemble is asked. Streams, files and the monitoring page are views of these."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.characters.bookshelf import ShelvedBook
from dramaturg.characters.lorebook.scan import LoreState, LoreSurroundings, ToldEntry, UntoldLore
from dramaturg.ensemble.ensemble import Turn3
from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    Audience,
    Event,
    KernelEvent,
)
from dramaturg.kernel.values import Value, WireValue
from dramaturg.voices.recording import Recording

TurnIndex = Literal[1, 2, 3]
LineKind = Literal["response", "comment", "reply"]
TURNS: tuple[TurnIndex, ...] = (1, 2, 3)
KINDS: Mapping[int, LineKind] = {1: "response", 2: "comment", 3: "reply"}
ErrorType = Literal["model_error", "timeout", "unreadable", "refused", "tts_error"]
UNREADABLE = "The answer could not be read. The log of the session says what came instead."
SkipReason = Literal["fewer_than_two", "no_comments", "all_failed"]
EnsembleEndReason = Literal["completed", "all_failed"]


class Seat(WireValue):
    """A slot in this run: who sits there, which model plays it, how it sounds."""

    slot_id: int
    agent_id: str
    name: str
    model: str
    voice: str | None = None
    voice_profile: str
    language: str | None = Field(None, exclude_if=not_)


class SeatVoice(WireValue):
    """The voice that a slot speaks with."""

    slot_id: int
    voice: str


class ThreadExchange(Value):
    """One question to a slot's model and the answer that was accepted."""

    told: str
    answered: str


class ReceivedComment(WireValue):
    """A comment as it reaches the slot it is about."""

    from_slot_id: int
    from_agent_id: str
    comment: str


class Assignment(WireValue):
    """A slot and the slot it commented on."""

    slot_id: int
    target_slot_id: int


class EnsembleOpened(Event):
    """A request was made: the message, the cast that answers it, and the kiosk."""

    type: Literal["ensemble.opened"] = "ensemble.opened"
    ensemble: str
    message: str
    kiosk: str
    ticket: int
    cast: tuple[Seat, ...]
    seed: int
    turn3: Turn3
    audio: bool
    folder: str = Field(description="below the data folder")
    follows: str | None = Field(
        None,
        description="the session it goes on from, empty for none; without it, the kiosk's last",
        exclude_if=lambda value: value is None,
    )


class QuestionAsked(Event):
    """What was asked, at which kiosk, and how many slots answer; told before anything else."""

    type: Literal["session.question"] = "session.question"
    message: str
    kiosk: str
    slots: tuple[int, ...]


class HouseRead(Event):
    """The instructions shared by all slots and the available voice profiles, as they were when the run was opened."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["house.read"] = "house.read"
    system: str
    profiles: Mapping[str, str]


class PersonaRead(Event):
    """The persona of a slot; later changes to the file do not affect the run."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["persona.read"] = "persona.read"
    slot_id: int
    persona: str


class BooksRead(Event):
    """The lorebooks of the cast; their readers are slots. `facts` is what each original card says, for its entries."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["books.read"] = "books.read"
    books: tuple[ShelvedBook, ...]
    facts: Mapping[str, LoreSurroundings] = Field(default_factory=dict)


class LoreTold(Event):
    """The lore that goes with a slot's question, what was withheld and why, and the state for the next scan."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["lore.told"] = "lore.told"
    turn: TurnIndex
    slot_id: int
    told: tuple[ToldEntry, ...] = ()
    untold: tuple[UntoldLore, ...] = ()
    state: LoreState = LoreState()
    budget: int = 0


class QuestionHeard(Event):
    """The question was spoken: what the recogniser heard, and the recording below the data folder."""

    type: Literal["question.heard"] = "question.heard"
    text: str
    language: str = ""
    recogniser: str
    path: str
    bytes: int


class RequestQueued(Event):
    """Another request of this kiosk is being played; this one waits for it."""

    type: Literal["session.queued"] = "session.queued"
    behind: str


class EnsembleBegun(Event):
    """The request's turn has come. `follows` is the previous request, `resets` how often the kiosk was reset."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["ensemble.begun"] = "ensemble.begun"
    follows: str | None = None
    resets: int = 0


class ThreadCarried(Event):
    """A slot's conversation from earlier requests at this kiosk."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["thread.carried"] = "thread.carried"
    slot_id: int
    agent_id: str
    exchanges: tuple[ThreadExchange, ...]


class RemarkMade(Event):
    """A notice for the operator; nothing has failed."""

    type: Literal["remark"] = "remark"
    code: str
    message: str


class VoicesCast(Event):
    """The engine that speaks this session and the voice of each slot; a resumed session keeps them."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["voices.cast"] = "voices.cast"
    engine: str
    voices: tuple[SeatVoice, ...] = ()


class TurnStarted(Event):
    """A turn begins, with these slots."""

    type: Literal["turn.start"] = "turn.start"
    turn: TurnIndex
    slots: tuple[int, ...]


class SlotCued(Event):
    """The newest message to a slot's model."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cue.given"] = "cue.given"
    turn: TurnIndex
    slot_id: int
    message: str


class SlotStarted(Event):
    """A slot is being asked."""

    type: Literal["slot.start"] = "slot.start"
    turn: TurnIndex
    slot_id: int


class SlotSpoke(Event):
    """A slot's text is in. `target` is whom it comments on.

    `repaired`: the target was chosen by lot. `shortened`: cut at the end of a sentence. `salvaged`: it came as plain
    prose. `reprofiled`: it named an unknown profile.
    """

    type: Literal["slot.done"] = "slot.done"
    turn: TurnIndex
    slot_id: int
    text: str
    voice_profile: str
    target: int | None = None
    repaired: bool = False
    shortened: bool = False
    salvaged: bool = False
    reprofiled: bool = False


class SlotRecorded(Event):
    """A line can be heard. Paths are below `artifacts/`."""

    type: Literal["slot.audio"] = "slot.audio"
    turn: TurnIndex
    slot_id: int
    voice_profile: str
    audio_path: str
    words_path: str | None = None
    stage_path: str | None = None
    recording: Recording


class SlotUnspoken(Event):
    """A line that stays text: it has no words to read aloud, or nothing here speaks its language."""

    type: Literal["slot.unspoken"] = "slot.unspoken"
    turn: TurnIndex
    slot_id: int
    voice_profile: str
    reason: str
    language: str = ""


class SlotFailed(Event):
    """A slot has no text this turn, or (`tts_error`) a text that could not be spoken.

    `message` is for everybody: it quotes no answer and names no model. What was answered is in `model.answered`.
    """

    type: Literal["slot.error"] = "slot.error"
    turn: TurnIndex
    slot_id: int
    error: ErrorType
    message: str
    retryable: bool = False

    @property
    def told(self) -> str:
        """What is said of it. Logs of 0.1.0 quote answers that could not be read."""
        return UNREADABLE if self.error == "unreadable" else self.message


class TurnDone(Event):
    """All texts of the turn are in; recording may still be in progress."""

    type: Literal["turn.done"] = "turn.done"
    turn: TurnIndex
    slots: tuple[int, ...]
    failed: tuple[int, ...] = ()


class CommentsRouted(Event):
    """Which comments reach whom: at most three per slot. Dropped comments keep their files."""

    type: Literal["route.done"] = "route.done"
    assignments: tuple[Assignment, ...]
    dropped: tuple[Assignment, ...] = ()


class TurnSkipped(Event):
    """A turn was skipped, and why."""

    type: Literal["turn.skipped"] = "turn.skipped"
    turn: TurnIndex
    reason: SkipReason
    message: str


class TurnHeard(Event):
    """The last recording of the turn is written."""

    type: Literal["turn.audio"] = "turn.audio"
    turn: TurnIndex
    slots: tuple[int, ...]
    failed: tuple[int, ...] = ()
    unspoken: tuple[int, ...] = Field((), exclude_if=not_)


class ManifestWritten(Event):
    """`session.json` is up to date. `path` is below `artifacts/`."""

    type: Literal["session.manifest"] = "session.manifest"
    path: str
    turns: int


class EnsembleEnded(Event):
    """The session is over: every line is written, and recorded where possible."""

    type: Literal["done"] = "done"
    completed_slots: int
    turns: int
    reason: EnsembleEndReason = "completed"


class LinePlace(WireValue):
    """Where a line stands."""

    turn_index: TurnIndex
    slot_id: int


class VoicingAsked(Event):
    """Lines of a session that is over are to be spoken, for the first time or anew, by this engine."""

    type: Literal["voicing.asked"] = "voicing.asked"
    engine: str
    lines: tuple[LinePlace, ...]
    voices: tuple[SeatVoice, ...] = ()


class VoicingEnded(Event):
    """Those lines were spoken, as far as possible."""

    type: Literal["voicing.done"] = "voicing.done"
    spoken: int
    failed: int = 0
    unspoken: int = 0


EnsembleEvent = Annotated[
    EnsembleOpened
    | QuestionAsked
    | HouseRead
    | PersonaRead
    | BooksRead
    | LoreTold
    | QuestionHeard
    | RequestQueued
    | EnsembleBegun
    | ThreadCarried
    | RemarkMade
    | VoicesCast
    | TurnStarted
    | SlotCued
    | SlotStarted
    | SlotSpoke
    | SlotRecorded
    | SlotUnspoken
    | SlotFailed
    | TurnDone
    | CommentsRouted
    | TurnSkipped
    | TurnHeard
    | ManifestWritten
    | EnsembleEnded
    | VoicingAsked
    | VoicingEnded
    | KernelEvent,
    Field(discriminator="type"),
]

ENSEMBLE_EVENTS: TypeAdapter[EnsembleEvent] = TypeAdapter(EnsembleEvent)
EnsembleRun: TypeAlias = Run[EnsembleEvent]
