"""What happens in a scene. The transcript, the files and the live view are folded from these."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.kernel.director import Goal, Verdict
from dramaturg.kernel.prompts import Receipt
from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import Audience, Event, ModelAnswered, RunForked, RunStopped
from dramaturg.kernel.values import Value
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.scene import SceneConfig

EndReason = Literal["goal_achieved", "max_beats_exceeded", "stalled", "cast_unavailable"]


class CastMember(Value):
    """A character as this run knows it: the card's name, the name on stage, and what plays it."""

    name: str
    display_name: str
    role: str = ""
    model: str


class SceneOpened(Event):
    """The curtain: what is played, by whom, to which goals."""

    type: Literal["scene.opened"] = "scene.opened"
    config: SceneConfig
    cast: tuple[CastMember, ...]
    opener: str
    goals: tuple[Goal, ...]
    director: str
    seed: int
    folder: str


class CardRead(Event):
    """A card as it was when the scene was opened; the run keeps to it whatever happens to the file."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["card.read"] = "card.read"
    character: str
    raw: str


class CueGiven(Event):
    """What one character was told at a beat. `fresh` marks the start of a new thread with that model."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cue.given"] = "cue.given"
    beat: int
    character: str
    message: str
    heard: int
    fresh: bool = False
    receipt: Receipt | None = None


class ResponseGiven(Event):
    """What one character answered, silence included, and what had to be assumed to read it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["response.given"] = "response.given"
    beat: int
    character: str
    response: CharacterResponse
    warnings: tuple[str, ...] = ()


class CharacterFailed(Event):
    """A character could not answer; the scene goes on without its line."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["character.failed"] = "character.failed"
    beat: int
    character: str
    error: str
    code: str


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


class CutMissed(Event):
    """An interruption named a phrase that cuts nothing; the words stand, the other line stays whole."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cut.missed"] = "cut.missed"
    number: int
    phrase: str
    reason: str


class BeatPlayed(Event):
    """Everybody was heard; how many entries the beat added."""

    type: Literal["beat.played"] = "beat.played"
    beat: int
    lines: int
    failed: int = 0


class NoteGiven(Event):
    """The moderator's word to a character, or to all, and why."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["note.given"] = "note.given"
    beat: int
    to: str = ""
    text: str
    reason: str


class VerdictReached(Event):
    """What the director made of the beat. `unscored` says why there is no verdict."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["verdict.reached"] = "verdict.reached"
    beat: int
    verdict: Verdict
    unscored: str = ""


class BeatClosed(Event):
    """The beat is judged; the next may begin."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["beat.closed"] = "beat.closed"
    beat: int


class SceneEnded(Event):
    """The curtain again, and why it fell."""

    type: Literal["scene.ended"] = "scene.ended"
    goal_achieved: bool
    reason: EndReason
    beats: int


SceneEvent = Annotated[
    SceneOpened
    | CardRead
    | CueGiven
    | ResponseGiven
    | CharacterFailed
    | LineSpoken
    | LineCut
    | LineUnsaid
    | CutMissed
    | BeatPlayed
    | NoteGiven
    | VerdictReached
    | BeatClosed
    | SceneEnded
    | ModelAnswered
    | RunForked
    | RunStopped,
    Field(discriminator="type"),
]

SCENE_EVENTS: TypeAdapter[SceneEvent] = TypeAdapter(SceneEvent)
SceneRun: TypeAlias = Run[Event]
