"""What the person in a seat is shown: who they are, what they hear, when it is their turn. A fold over the log.

Nothing else of the log is in it: no aside of others, nothing said off stage, and of a line that is still being spoken
only what was told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, RootModel

from dramaturg.characters import parse_card
from dramaturg.kernel.runs.events import Entry, Event, RunForked
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.director.goals import situation
from dramaturg.scenes.events import (
    BeatClosed,
    BeatPlayed,
    CardRead,
    CueGiven,
    LinePlanned,
    LinesRead,
    MemoryRecalled,
    SceneEnded,
    SceneEndReason,
    SceneForked,
    SceneOpened,
    SceneReopened,
    SheetRead,
)
from dramaturg.scenes.hearing import told_to
from dramaturg.scenes.line import Line, TranscriptKind
from dramaturg.scenes.play import note_for
from dramaturg.scenes.scene import NO_SHEET
from dramaturg.scenes.seats.events import SeatAnswered
from dramaturg.scenes.state import SCENE_FOLD, SceneState

_OPENING = (SceneOpened, SceneForked, CardRead, SheetRead, LinesRead, MemoryRecalled, RunForked)
_LATER = 10**6
"""A beat at which every line was told to its end."""


class SeatBriefing(WireValue):
    """Who the person plays, and what that character knows before anybody speaks."""

    type: Literal["seat.briefing"] = "seat.briefing"
    part: str
    name: str
    role: str = ""
    card: str = ""
    scene: str
    setting: str = ""
    goal: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    note: str = ""


class SeatHeard(WireValue):
    """Something that the character heard or saw, its own lines included, as the transcript prints it."""

    type: Literal["seat.heard"] = "seat.heard"
    beat: int
    kind: TranscriptKind
    speaker: str = ""
    text: str
    still_speaking: bool = False
    line: Line = Field(exclude=True)

    @classmethod
    def of(cls, line: Line) -> SeatHeard:
        return cls(
            beat=line.beat,
            kind=line.kind,
            speaker=line.speaker,
            text=line.rendered(),
            still_speaking=line.still_speaking,
            line=line,
        )


class SeatCue(WireValue):
    """It is the character's turn. `note` is what the moderator or the author tells it alone."""

    type: Literal["seat.cue"] = "seat.cue"
    beat: int
    note: str = ""


class SeatAnswerTaken(WireValue):
    """An answer was taken for a beat; `answer` is the number under which it was sent."""

    type: Literal["seat.answer_taken"] = "seat.answer_taken"
    answer: int
    beat: int


class SeatTurnEnded(WireValue):
    """The turn is over: answered, or not."""

    type: Literal["seat.turn_ended"] = "seat.turn_ended"
    beat: int
    answered: bool


class SeatSceneEnded(WireValue):
    """The scene has ended."""

    type: Literal["seat.scene_ended"] = "seat.scene_ended"
    goal_achieved: bool
    reason: SceneEndReason


SeatEvent: TypeAlias = Annotated[
    SeatBriefing | SeatHeard | SeatCue | SeatAnswerTaken | SeatTurnEnded | SeatSceneEnded, Field(discriminator="type")
]


class SeatEntry(RootModel[SeatEvent]):
    """An event that the person in a seat is shown, as the stream sends it."""


class SeatShown:
    """The fold for one character, by the name of its card. `turn` is the beat at which an answer is awaited."""

    def __init__(self, character: str) -> None:
        self._me = character
        self._state = SceneState()
        self._heard = 0
        self._briefed = False
        self._answered = False
        self.turn: int | None = None

    def after(self, entry: Entry[Event]) -> tuple[SeatEvent, ...]:
        """What an entry adds to what the person is shown."""
        before, self._state = self._state, SCENE_FOLD.after(self._state, [entry])
        if isinstance(entry.event, _OPENING) or self._state.opened is None:
            return ()
        return tuple(self._events(entry.event, before))

    def _events(self, event: Event, before: SceneState) -> Iterator[SeatEvent]:
        if not self._briefed:
            self._briefed = True
            yield briefing_of(self._me, self._state)
        match event:
            case CueGiven() | LinePlanned() | BeatClosed():
                yield from self._news(self._state.beat)
                if isinstance(event, CueGiven) and event.character == self._me:
                    self.turn, self._answered = event.beat, False
                    yield SeatCue(beat=event.beat, note=note_for(self._me, before) or "")
            case SeatAnswered() if event.character == self._me:
                self.turn, self._answered = None, True
                yield SeatAnswerTaken(answer=event.number, beat=event.beat)
            case BeatPlayed() if self.turn == event.beat or self._answered:
                yield SeatTurnEnded(beat=event.beat, answered=self._answered)
                self.turn, self._answered = None, False
            case SceneEnded():
                yield from self._news(_LATER)
                yield SeatSceneEnded(goal_achieved=event.goal_achieved, reason=event.reason)
            case SceneReopened():
                self._heard = len(self._told(self._state.beat))

    def _news(self, beat: int) -> Iterator[SeatEvent]:
        told = self._told(beat)
        new, self._heard = told[self._heard :], len(told)
        yield from map(SeatHeard.of, new)

    def _told(self, beat: int) -> tuple[Line, ...]:
        state = self._state
        return told_to(state.member(self._me).display_name, state.lines, state.parted, beat)


def briefing_of(character: str, state: SceneState) -> SeatBriefing:
    """What a character knows before anybody speaks."""
    opened, member = state.scene, state.member(character)
    card, sheet = parse_card(character, state.cards[character]), state.sheets.get(character, NO_SHEET)
    others = (f"{one.display_name} ({one.role})" if one.role else one.display_name for one in state.cast)
    return SeatBriefing(
        part=character,
        name=member.display_name,
        role=member.role,
        card=card.text.strip(),
        scene=situation(opened.config.prompt),
        setting=opened.config.setting or "",
        goal=tuple(goal.text for goal in opened.goals),
        others=tuple(shown for shown, one in zip(others, state.cast, strict=True) if one.name != character),
        secrets=(*card.secrets, *sheet.secrets),
        note=sheet.note.strip(),
    )
