"""What happens in a scene. The transcript, the files and the live view are folded from these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.characters.bookshelf import ShelvedBook
from dramaturg.characters.lorebook.scan import LoreState, LoreSurroundings, ToldEntry, UntoldLore
from dramaturg.kernel.prompts import Receipt
from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    AnswersSetAside,
    Audience,
    Event,
    KernelEvent,
)
from dramaturg.kernel.settings import AgentMode
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged
from dramaturg.scenes.director.circles import CircleScore
from dramaturg.scenes.director.drift import Drift
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.leaks import FactLeak
from dramaturg.scenes.director.verdict import Verdict
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import CharacterRecollection, RefusedMemory, SuppliedMemory
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.revision_events import LineEdited as LineEdited
from dramaturg.scenes.revision_events import LineStruck as LineStruck
from dramaturg.scenes.revision_events import SceneReopened as SceneReopened
from dramaturg.scenes.revision_events import TakeAdded as TakeAdded
from dramaturg.scenes.revision_events import TakeChosen as TakeChosen
from dramaturg.scenes.scene import NO_SHEET, PartSheet, SceneConfig, SceneLines
from dramaturg.scenes.seats.events import SeatAnswered, SeatLeft, SeatTaken

SceneEndReason = Literal[
    "goal_achieved",
    "walked_through",
    "max_beats_exceeded",
    "stalled",
    "circular",
    "cast_unavailable",
    "ended_by_author",
    "rewritten",
]
NO_CAST: Final = "cast_unavailable"
"""The end of a scene whose models did not answer."""
NOT_ITS_TURN = "it was not its turn"
"""The warning of a silence that a helped character did not choose."""


class CastMember(WireValue):
    """A character in this run: its card name, its name on stage, and the model that plays it."""

    name: str
    display_name: str
    role: str = ""
    model: str
    tempo: float = 1.0
    languages: tuple[str, ...] = ("English",)


class SceneOpened(Event):
    """The scene opens: config, cast and goals; `agent` is how models play, null in old logs."""

    type: Literal["scene.opened"] = "scene.opened"
    config: SceneConfig
    cast: tuple[CastMember, ...]
    sheets: Mapping[str, PartSheet] = Field(default_factory=dict)
    opener: str
    goals: tuple[Goal, ...]
    director: str
    director_reason: str = ""
    agent: AgentMode | None = None
    seed: int
    folder: str

    def sheet(self, name: str) -> PartSheet:
        """When a character is on stage; its notes and secrets are not in here."""
        return self.sheets.get(name, NO_SHEET)


class SceneForked(Event):
    """A fork: shares another scene's log up to the end of a beat, then is continued by these models.

    `opened` is the scene as it is from here on, where the fork has another goal, another card or another cast.
    """

    type: Literal["scene.forked"] = "scene.forked"
    parent: str
    beat: int
    folder: str
    models: Mapping[str, str]
    director: str
    agent: AgentMode | None = None
    opened: SceneOpened | None = Field(None, exclude_if=lambda opened: opened is None)


class CardRead(Event):
    """A card as it was when the scene was opened; later changes to the file do not affect the run."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["card.read"] = "card.read"
    character: str
    raw: str


class SheetRead(Event):
    """What one character alone was told by the scene file."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["sheet.read"] = "sheet.read"
    character: str
    sheet: PartSheet


class LinesRead(Event):
    """What the scene's author wrote for the rehearsal company; a reader does not see it before it is played."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["lines.read"] = "lines.read"
    lines: tuple[SceneLines, ...]


class MemoryRecalled(Event):
    """What a character recalled when the scene was opened; later memories do not affect the run."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["memory.recalled"] = "memory.recalled"
    character: str
    recollection: CharacterRecollection


class BooksRead(Event):
    """The lorebooks of a scene. `facts` is what each character's original card says, for entries that refer to it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["books.read"] = "books.read"
    books: tuple[ShelvedBook, ...]
    facts: Mapping[str, LoreSurroundings] = Field(default_factory=dict)

    def of(self, character: str) -> tuple[ShelvedBook, ...]:
        """The books of one character, in order of precedence."""
        return tuple(book for book in self.books if character in book.readers)


class LoreTold(Event):
    """The lore that holds for a character at a beat, what was withheld and why, and the state for the next scan.

    What its thread does not have yet goes out with the cue. `standing` lore is in its prompt from the beginning.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["lore.told"] = "lore.told"
    beat: int
    character: str
    told: tuple[ToldEntry, ...] = ()
    untold: tuple[UntoldLore, ...] = ()
    state: LoreState = LoreState()
    budget: int = 0
    standing: bool = False


class CueGiven(Event):
    """What one character was told at a beat. `fresh` marks the start of a new thread with that model.

    `lore` are the ids of the lorebook entries in it.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cue.given"] = "cue.given"
    beat: int
    character: str
    message: str
    heard: int
    fresh: bool = False
    receipt: Receipt | None = None
    lore: tuple[str, ...] = Field((), exclude_if=lambda lore: not lore)


class TurnGiven(Event):
    """It is a helped character's turn: `goal` is the open sub-goal that it is offered, 0 for none; `due` if it is time.

    `omitted` of the oldest lines were not in its script; `chat` if it does not continue texts and was asked in a chat.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["turn.given"] = "turn.given"
    beat: int
    character: str
    goal: int = 0
    due: bool = False
    omitted: int = 0
    chat: bool = False


class LinePlan(WireValue):
    """What the rehearsal plan decided of a line that a model was helped with, before help meant form alone.

    `text` are the company's own words for it, `goals` the sub-goals they would meet. `fixed` says why they were not
    left to the model; empty where they were. `omitted` of the oldest lines were not in its script; `chat` if it was
    asked in a chat, because it does not continue texts.
    """

    action: str
    tone: str = ""
    target: str = ""
    intention: str = ""
    gesture: str = ""
    text: str = ""
    goals: tuple[int, ...] = ()
    fixed: str = ""
    omitted: int = 0
    chat: bool = False


class LinePlanned(Event):
    """In old logs: the rehearsal plan has decided what a helped character does at a beat."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.planned"] = "line.planned"
    beat: int
    character: str
    plan: LinePlan


class ResponseGiven(Event):
    """What one character answered, silence included, and what had to be assumed to read it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["response.given"] = "response.given"
    beat: int
    character: str
    response: CharacterResponse
    warnings: tuple[str, ...] = ()


class CharacterFailed(Event):
    """A character could not answer; the scene continues without its line."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["character.failed"] = "character.failed"
    beat: int
    character: str
    error: str
    code: str


class CharacterLeft(Event):
    """A character failed too often in a row and is written out; it is asked again later."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["character.left"] = "character.left"
    beat: int
    character: str


class CharacterReturned(Event):
    """A character that was written out answers again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["character.returned"] = "character.returned"
    beat: int
    character: str


class LeakSuspected(Event):
    """A line holds something its speaker could not know. The line stands; the leak is noted."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["leak.suspected"] = "leak.suspected"
    number: int
    speaker: str
    leak: FactLeak


class LineWeighed(Event):
    """How far a line is from its speaker's card, if measurable."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.weighed"] = "line.weighed"
    number: int
    character: str
    drift: Drift


class CorrectionMeasured(Event):
    """The effect of a corrective note on a character's next lines. Above 0, it helped."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["correction.measured"] = "correction.measured"
    character: str
    effect: float | None


class LineGlossed(Event):
    """A line in another language, translated for the reader."""

    type: Literal["line.glossed"] = "line.glossed"
    number: int
    gloss: str


class LineSpoken(Event):
    """A new entry of the transcript."""

    type: Literal["line.spoken"] = "line.spoken"
    line: Line


class LineCut(Event):
    """An earlier entry now ends where somebody cut in."""

    type: Literal["line.cut"] = "line.cut"
    number: int
    said: str
    by: str


class LineUnsaid(Event):
    """The rest of a cut line. Only its speaker remembers it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.unsaid"] = "line.unsaid"
    number: int
    unsaid: str


class LineHeld(Event):
    """A long line in a heated moment: at the next beat the others are told it up to `told`, and may cut in there.

    If nobody does, they hear the rest a beat later. Nobody knows what was never said.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.held"] = "line.held"
    number: int
    told: str


class CutMissed(Event):
    """An interruption named a phrase that cuts nothing: it is spoken as an ordinary line."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cut.missed"] = "cut.missed"
    number: int
    phrase: str
    reason: str


class BeatPlayed(Event):
    """All answers are in: how many characters were cued, how many failed, how many entries were added."""

    type: Literal["beat.played"] = "beat.played"
    beat: int
    lines: int
    cued: int
    failed: int = 0


class NoteGiven(Event):
    """The moderator's note to a character, or to all, and why. `kind` is `correction` for one about the manner.

    A `direction` is the author's own: it is given with the next cue, beside what the moderator says.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["note.given"] = "note.given"
    beat: int
    to: str = ""
    text: str
    reason: str
    kind: Literal["note", "correction", "direction"] = "note"


class VerdictReached(Event):
    """The director's verdict on the beat. `unscored` says why there is none."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["verdict.reached"] = "verdict.reached"
    beat: int
    verdict: Verdict
    unscored: str = ""


class CirclingFound(Event):
    """The talk goes in circles; `circling` has the score and the evidence."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["circling.found"] = "circling.found"
    beat: int
    circling: CircleScore


class BeatClosed(Event):
    """The beat is judged; the next may begin."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["beat.closed"] = "beat.closed"
    beat: int


class SceneEnded(Event):
    """The scene ends, and why. `unscored` beats could not be judged."""

    type: Literal["scene.ended"] = "scene.ended"
    goal_achieved: bool
    reason: SceneEndReason
    beats: int
    unscored: int = Field(0, exclude_if=lambda count: not count)


class MemoriesSupplied(Event):
    """What a character's model offered to remember after the scene: taken with a quote, or refused with a reason."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["memories.supplied"] = "memories.supplied"
    character: str
    taken: tuple[SuppliedMemory, ...] = ()
    refused: tuple[RefusedMemory, ...] = ()
    failure: str = ""


SceneEvent = Annotated[
    SceneOpened
    | SceneForked
    | CardRead
    | SheetRead
    | LinesRead
    | MemoryRecalled
    | BooksRead
    | LoreTold
    | CueGiven
    | TurnGiven
    | LinePlanned
    | ResponseGiven
    | CharacterFailed
    | CharacterLeft
    | CharacterReturned
    | LeakSuspected
    | LineWeighed
    | CorrectionMeasured
    | LineGlossed
    | LineSpoken
    | LineCut
    | LineUnsaid
    | LineHeld
    | CutMissed
    | BeatPlayed
    | NoteGiven
    | VerdictReached
    | CirclingFound
    | BeatClosed
    | SceneEnded
    | MemoriesSupplied
    | TakeAdded
    | TakeChosen
    | LineEdited
    | LineStruck
    | SceneReopened
    | DirectionTaken
    | GoalChanged
    | SeatTaken
    | SeatAnswered
    | SeatLeft
    | AnswersSetAside
    | KernelEvent,
    Field(discriminator="type"),
]

SCENE_EVENTS: TypeAdapter[SceneEvent] = TypeAdapter(SceneEvent)
SceneRun: TypeAlias = Run[SceneEvent]
