"""Where a scene stands: a fold over its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch

from dramaturg.kernel.director import Goal, Verdict
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered
from dramaturg.scenes.events import (
    BeatClosed,
    BeatPlayed,
    CardRead,
    CastMember,
    CharacterFailed,
    LineCut,
    LineSpoken,
    NoteGiven,
    SceneEnded,
    SceneOpened,
    VerdictReached,
)
from dramaturg.scenes.line import Line


@dataclass(frozen=True, slots=True)
class SceneState:
    """Immutable; every event makes a new one."""

    opened: SceneOpened | None = None
    cards: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    beat: int = 0
    played: bool = False
    silent_streak: int = 0
    failed_streak: int = 0
    closing_beats: int = 0
    note: str = ""
    verdict: Verdict = field(default_factory=Verdict)
    failures: tuple[CharacterFailed, ...] = ()
    ended: SceneEnded | None = None

    @property
    def scene(self) -> SceneOpened:
        if self.opened is None:
            raise AssertionError("the scene has not been opened")
        return self.opened

    @property
    def goals(self) -> tuple[Goal, ...]:
        return self.scene.goals

    @property
    def cast(self) -> tuple[CastMember, ...]:
        return self.scene.cast

    def after(self, events: Iterable[Event]) -> SceneState:
        state = self
        for event in events:
            state = apply(event, state)
        return state


def scene_state(entries: Iterable[Entry[Event]]) -> SceneState:
    """The state of a scene from its log."""
    return SceneState().after(entry.event for entry in entries)


@singledispatch
def apply(event: Event, state: SceneState) -> SceneState:
    """The state after one event. What is not of a scene's course leaves it as it is."""
    return state


@apply.register
def _(event: SceneOpened, state: SceneState) -> SceneState:
    return replace(state, opened=event)


@apply.register
def _(event: CardRead, state: SceneState) -> SceneState:
    return replace(state, cards={**state.cards, event.character: event.raw})


@apply.register
def _(event: LineSpoken, state: SceneState) -> SceneState:
    return replace(state, lines=(*state.lines, event.line))


@apply.register
def _(event: LineCut, state: SceneState) -> SceneState:
    lines = tuple(
        line.model_copy(update={"content": event.said, "cut_by": event.by}) if line.number == event.number else line
        for line in state.lines
    )
    return replace(state, lines=lines)


@apply.register
def _(event: CharacterFailed, state: SceneState) -> SceneState:
    return replace(state, failures=(*state.failures, event))


@apply.register
def _(event: BeatPlayed, state: SceneState) -> SceneState:
    spoken = event.lines - event.failed > 0
    all_failed = event.failed > 0 and not spoken and event.failed >= (1 if event.beat == 0 else len(state.cast))
    return replace(
        state,
        played=True,
        note="",
        silent_streak=0 if spoken else state.silent_streak + 1,
        failed_streak=state.failed_streak + 1 if all_failed else 0,
        closing_beats=state.closing_beats + 1 if state.verdict.complete else 0,
    )


@apply.register
def _(event: VerdictReached, state: SceneState) -> SceneState:
    return replace(state, verdict=event.verdict)


@apply.register
def _(event: NoteGiven, state: SceneState) -> SceneState:
    return replace(state, note=event.text)


@apply.register
def _(event: BeatClosed, state: SceneState) -> SceneState:
    return replace(state, beat=event.beat + 1, played=False)


@apply.register
def _(event: SceneEnded, state: SceneState) -> SceneState:
    return replace(state, ended=event)


def answers(entries: Iterable[Entry[Event]]) -> tuple[ModelAnswered, ...]:
    """Every paid answer of the run, in order."""
    return tuple(entry.event for entry in entries if isinstance(entry.event, ModelAnswered))
