"""The state of a scene: a fold over its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.fold import Fold
from dramaturg.scenes.director.drift import Drift
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.verdict import Verdict, without_unsaid
from dramaturg.scenes.events import (
    NOT_ITS_TURN,
    BeatClosed,
    BeatPlayed,
    CardRead,
    CastMember,
    CharacterFailed,
    CharacterLeft,
    CharacterReturned,
    CirclingFound,
    LeakSuspected,
    LineCut,
    LineGlossed,
    LineHeld,
    LineSpoken,
    LinesRead,
    LineWeighed,
    MemoryRecalled,
    NoteGiven,
    ResponseGiven,
    SceneEnded,
    SceneForked,
    SceneOpened,
    SheetRead,
    VerdictReached,
)
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import CharacterRecollection
from dramaturg.scenes.scene import PartSheet, SceneLines

ASKED_AGAIN_AFTER = 3
"""Beats after which a character that was written out is asked whether it can answer again."""


@dataclass(frozen=True, slots=True)
class Presence:
    """A character's recent beats: silences and failures in a row, and since when it is written out."""

    silent: int = 0
    failed: int = 0
    left: int | None = None


_THERE = Presence()


@dataclass(frozen=True)
class SceneState:
    """Immutable; each event yields a new state. `confidential` once there is a line that not everybody heard alike.

    `page` is `lines` as the transcript prints them, each printed once. `parted` are the lines that are told in two
    parts, by number, with the first part.
    """

    opened: SceneOpened | None = None
    members: Mapping[str, CastMember] = field(default_factory=dict)
    comings_and_goings: bool = False
    forked: SceneForked | None = None
    cards: Mapping[str, str] = field(default_factory=dict)
    sheets: Mapping[str, PartSheet] = field(default_factory=dict)
    script: tuple[SceneLines, ...] = ()
    recalled: Mapping[str, CharacterRecollection] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    page: tuple[str, ...] = ()
    confidential: bool = False
    parted: Mapping[int, str] = field(default_factory=dict)
    beat: int = 0
    played: bool = False
    judged: int = -1
    silent_streak: int = 0
    failed_streak: int = 0
    closing_beats: int = 0
    notes: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict = field(default_factory=Verdict)
    progress: tuple[float, ...] = ()
    presence: Mapping[str, Presence] = field(default_factory=dict)
    drifts: Mapping[str, tuple[Drift, ...]] = field(default_factory=dict)
    corrected: Mapping[str, int] = field(default_factory=dict)
    circled: tuple[int, ...] = ()
    unscored: Mapping[int, str] = field(default_factory=dict)
    met_at: int | None = None
    failures: tuple[CharacterFailed, ...] = ()
    leaks: tuple[LeakSuspected, ...] = ()
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

    def member(self, name: str) -> CastMember:
        return self.members[name]

    def lines_of(self, beat: int) -> tuple[Line, ...]:
        """The lines of one beat. Beats follow each other, so those of the last are at the end."""
        found = self.lines
        end = len(found)
        while end and found[end - 1].beat > beat:
            end -= 1
        start = end
        while start and found[start - 1].beat == beat:
            start -= 1
        return found[start:end]

    def of(self, name: str) -> Presence:
        return self.presence.get(name, _THERE)

    def on_stage(self, beat: int | None = None) -> tuple[str, ...]:
        """Who is there at a beat, written out or not."""
        at = self.beat if beat is None else beat
        if not self.comings_and_goings:
            return tuple(self.members)
        sheets = {member.name: self.scene.sheet(member.name) for member in self.cast}
        return tuple(
            name for name, sheet in sheets.items() if sheet.enters <= at and (sheet.leaves is None or at < sheet.leaves)
        )

    def to_cue(self) -> tuple[str, ...]:
        """Who is asked at this beat: the opener first of all, then everybody on stage who can answer."""
        if self.beat == 0:
            return (self.scene.opener,)
        return tuple(name for name in self.on_stage() if self._is_asked(name))

    def after(self, events: Iterable[Event]) -> SceneState:
        """The state after these events as well."""
        return SCENE_FOLD.ahead(self, events)

    def _is_asked(self, name: str) -> bool:
        left = self.of(name).left
        return left is None or (self.beat - left) % ASKED_AGAIN_AFTER == 0


def scene_state(entries: Iterable[Entry[Event]]) -> SceneState:
    """The state of a scene from its log."""
    return SCENE_FOLD(entries)


SCENE_FOLD = Fold(SceneState())


def _with(state: SceneState, **changes: object) -> SceneState:
    """The state with some fields changed: `dataclasses.replace` at a tenth of the cost; a scene does this often."""
    changed = object.__new__(SceneState)
    changed.__dict__.update(state.__dict__)
    changed.__dict__.update(changes)
    return changed


@SCENE_FOLD.on(SceneOpened)
def _(event: SceneOpened, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _staged(state, event)


def _staged(state: SceneState, opened: SceneOpened) -> SceneState:
    return _with(
        state,
        opened=opened,
        members={member.name: member for member in opened.cast},
        comings_and_goings=any(sheet.enters or sheet.leaves for sheet in opened.sheets.values()),
    )


@SCENE_FOLD.on(SceneForked)
def _(event: SceneForked, state: SceneState, entry: Entry[Event]) -> SceneState:
    cast = tuple(member.model_copy(update={"model": event.models[member.name]}) for member in state.cast)
    opened = state.scene.model_copy(
        update={
            "cast": cast,
            "director": event.director,
            "folder": event.folder,
            "agent": event.agent or state.scene.agent,
        }
    )
    return _with(_staged(state, opened), forked=event)


@SCENE_FOLD.on(CardRead)
def _(event: CardRead, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, cards={**state.cards, event.character: event.raw})


@SCENE_FOLD.on(SheetRead)
def _(event: SheetRead, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, sheets={**state.sheets, event.character: event.sheet})


@SCENE_FOLD.on(LinesRead)
def _(event: LinesRead, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, script=event.lines)


@SCENE_FOLD.on(MemoryRecalled)
def _(event: MemoryRecalled, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, recalled={**state.recalled, event.character: event.recollection})


@SCENE_FOLD.on(ResponseGiven)
def _(event: ResponseGiven, state: SceneState, entry: Entry[Event]) -> SceneState:
    was = state.of(event.character)
    if NOT_ITS_TURN in event.warnings:
        return state
    silent = was.silent + 1 if event.response.parsed.action == "silent" else 0
    if was.silent == silent and not was.failed:
        return state
    return _present(state, event.character, Presence(silent, 0, was.left))


@SCENE_FOLD.on(CharacterFailed)
def _(event: CharacterFailed, state: SceneState, entry: Entry[Event]) -> SceneState:
    was = state.of(event.character)
    state = _present(state, event.character, replace(was, failed=was.failed + 1))
    return _with(state, failures=(*state.failures, event))


@SCENE_FOLD.on(CharacterLeft)
def _(event: CharacterLeft, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _present(state, event.character, replace(state.of(event.character), left=event.beat))


@SCENE_FOLD.on(CharacterReturned)
def _(event: CharacterReturned, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _present(state, event.character, replace(state.of(event.character), left=None))


def _present(state: SceneState, name: str, presence: Presence) -> SceneState:
    return _with(state, presence={**state.presence, name: presence})


@SCENE_FOLD.on(LineSpoken)
def _(event: LineSpoken, state: SceneState, entry: Entry[Event]) -> SceneState:
    line = event.line
    confidential = state.confidential or bool(line.unheard_by or line.foreign_to or line.gloss)
    return _with(state, lines=(*state.lines, line), page=(*state.page, line.rendered()), confidential=confidential)


@SCENE_FOLD.on(LineCut)
def _(event: LineCut, state: SceneState, entry: Entry[Event]) -> SceneState:
    cut = _amended(state, event.number, {"content": event.said, "cut_by": event.by})
    verdict = _without_unsaid(cut, cut.verdict)
    return cut if verdict is cut.verdict else _with(cut, verdict=verdict, met_at=None)


def _without_unsaid(state: SceneState, verdict: Verdict) -> Verdict:
    """A promise that was cut off is not a promise, even if the judge heard it before it was cut."""
    cut = {line.number: f"{line.content} {line.nonverbal or ''}" for line in state.lines if line.cut_by is not None}
    return without_unsaid(verdict, cut, state.goals) if cut else verdict


def _amended(state: SceneState, number: int, update: dict[str, str]) -> SceneState:
    lines = tuple(line.model_copy(update=update) if line.number == number else line for line in state.lines)
    return _with(state, lines=lines, page=tuple(line.rendered() for line in lines))


@SCENE_FOLD.on(LineHeld)
def _(event: LineHeld, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, parted={**state.parted, event.number: event.told})


@SCENE_FOLD.on(LeakSuspected)
def _(event: LeakSuspected, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, leaks=(*state.leaks, event))


@SCENE_FOLD.on(BeatPlayed)
def _(event: BeatPlayed, state: SceneState, entry: Entry[Event]) -> SceneState:
    spoken = event.lines - event.failed > 0
    return _with(
        state,
        played=True,
        notes={},
        silent_streak=0 if spoken else state.silent_streak + 1,
        failed_streak=state.failed_streak + 1 if event.failed and event.failed >= event.cued else 0,
        closing_beats=state.closing_beats + 1 if state.verdict.complete else 0,
    )


@SCENE_FOLD.on(VerdictReached)
def _(event: VerdictReached, state: SceneState, entry: Entry[Event]) -> SceneState:
    verdict = _without_unsaid(state, event.verdict) if event.verdict.met else event.verdict
    met_at = state.met_at if state.met_at is not None or not verdict.complete else event.beat
    progress = (*state.progress, verdict.progress)
    if event.unscored:
        state = _with(state, unscored={**state.unscored, event.beat: event.unscored})
    return _with(state, verdict=verdict, judged=event.beat, progress=progress, met_at=met_at)


@SCENE_FOLD.on(NoteGiven)
def _(event: NoteGiven, state: SceneState, entry: Entry[Event]) -> SceneState:
    state = _with(state, notes={**state.notes, event.to: event.text})
    if event.kind == "correction":
        return _with(state, corrected={**state.corrected, event.to: len(state.drifts.get(event.to, ()))})
    return state


@SCENE_FOLD.on(LineWeighed)
def _(event: LineWeighed, state: SceneState, entry: Entry[Event]) -> SceneState:
    weighed = (*state.drifts.get(event.character, ()), event.drift)
    return _with(state, drifts={**state.drifts, event.character: weighed})


@SCENE_FOLD.on(LineGlossed)
def _(event: LineGlossed, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _amended(state, event.number, {"gloss": event.gloss})


@SCENE_FOLD.on(CirclingFound)
def _(event: CirclingFound, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, circled=(*state.circled, event.beat))


@SCENE_FOLD.on(BeatClosed)
def _(event: BeatClosed, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, beat=event.beat + 1, played=False)


@SCENE_FOLD.on(SceneEnded)
def _(event: SceneEnded, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, ended=event)
