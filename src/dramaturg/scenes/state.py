"""The state of a scene: a fold over its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dramaturg.kernel.runs.damage import unopened
from dramaturg.kernel.runs.events import Entry, Event, RunForked
from dramaturg.kernel.runs.fold import Fold
from dramaturg.scenes.directions.direction import MoreBeats
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged
from dramaturg.scenes.directions.steering import UNSTEERED, Steering
from dramaturg.scenes.director.drift import Drift
from dramaturg.scenes.director.goals import Goal, goal_text
from dramaturg.scenes.director.verdict import Verdict, for_goals, numbers_of, without_unsaid
from dramaturg.scenes.events import (
    NOT_ITS_TURN,
    BeatClosed,
    BeatPlayed,
    BooksRead,
    CardRead,
    CastMember,
    CharacterFailed,
    CharacterLeft,
    CharacterReturned,
    CirclingFound,
    LeakSuspected,
    LineCut,
    LineEdited,
    LineGlossed,
    LineHeld,
    LineSpoken,
    LinesRead,
    LineStruck,
    LineWeighed,
    LoreTold,
    MemoryRecalled,
    NoteGiven,
    ResponseGiven,
    SceneEnded,
    SceneForked,
    SceneOpened,
    SceneReopened,
    SheetRead,
    TakeAdded,
    TakeChosen,
    VerdictReached,
)
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import CharacterRecollection
from dramaturg.scenes.revised import is_confidential, revise, with_take
from dramaturg.scenes.revised import quotable as quotable
from dramaturg.scenes.revision_events import LineTake, Revised, Revision
from dramaturg.scenes.scene import PartSheet, SceneLines
from dramaturg.scenes.seats.events import SeatAnswered, SeatChange, SeatLeft, SeatTaken
from dramaturg.scenes.seats.seat import OPEN_SEAT, Seat

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
    parts, by number, with the first part. `takes` are those of lines that have more than one, `revised` how lines came
    by other words than were said, `weighed` the drift of each character's lines by number.
    parts, by number, with the first part. `lore` is what held for each character at its last cue, `standing` what holds
    throughout, `known_lore` the texts of all it was ever told, by id.
    """

    opened: SceneOpened | None = None
    members: Mapping[str, CastMember] = field(default_factory=dict)
    comings_and_goings: bool = False
    forked: SceneForked | None = None
    cards: Mapping[str, str] = field(default_factory=dict)
    sheets: Mapping[str, PartSheet] = field(default_factory=dict)
    script: tuple[SceneLines, ...] = ()
    recalled: Mapping[str, CharacterRecollection] = field(default_factory=dict)
    books: BooksRead | None = None
    standing: Mapping[str, LoreTold] = field(default_factory=dict)
    lore: Mapping[str, LoreTold] = field(default_factory=dict)
    known_lore: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    page: tuple[str, ...] = ()
    takes: Mapping[int, tuple[LineTake, ...]] = field(default_factory=dict)
    revised: Mapping[int, Revision] = field(default_factory=dict)
    revisions: int = 0
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
    weighed: Mapping[str, Mapping[int, Drift]] = field(default_factory=dict)
    corrected: Mapping[str, int] = field(default_factory=dict)
    circled: tuple[int, ...] = ()
    unscored: Mapping[int, str] = field(default_factory=dict)
    met_at: int | None = None
    failures: tuple[CharacterFailed, ...] = ()
    leaks: tuple[LeakSuspected, ...] = ()
    steering: Steering = UNSTEERED
    seats: Mapping[str, Seat] = field(default_factory=dict)
    ended: SceneEnded | None = None

    @property
    def scene(self) -> SceneOpened:
        if self.opened is None:
            raise unopened("scene")
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

    @property
    def last_number(self) -> int:
        """The last number that was given to an entry, whether or not it was struck."""
        return max(self.lines[-1].number if self.lines else 0, *self.takes, 0)

    def drifts_of(self, name: str, last: int = 0) -> tuple[Drift, ...]:
        """How far each line of a character was from its card, in the order of the lines; only the last few if asked."""
        found = self.weighed.get(name, {})
        return tuple([found[number] for number in sorted(found)[-last:]])

    def of(self, name: str) -> Presence:
        return self.presence.get(name, _THERE)

    def seat(self, name: str) -> Seat:
        """The seat of a character that a person plays."""
        return self.seats.get(name, OPEN_SEAT)

    @property
    def people(self) -> tuple[str, ...]:
        """The display names of those whom a person plays, or may play."""
        return tuple(member.display_name for member in self.cast if self.scene.sheet(member.name).by_person)

    @property
    def understudied(self) -> frozenset[str]:
        """The display names of those parts of people that a model plays at the moment."""
        return frozenset(self.member(name).display_name for name in self.members if self._is_understudied(name))

    def _is_understudied(self, name: str) -> bool:
        sheet, seat = self.scene.sheet(name), self.seat(name)
        away = not seat.holder and (seat.left or not sheet.wait)
        return sheet.by_person and sheet.otherwise == "model" and away

    def on_stage(self, beat: int | None = None) -> tuple[str, ...]:
        """Who is there at a beat, written out or not."""
        at = self.beat if beat is None else beat
        if not self.comings_and_goings and not self.steering.moves:
            return tuple(self.members)
        return tuple(name for name in self.members if self._is_on_stage(name, at))

    def _is_on_stage(self, name: str, beat: int) -> bool:
        """As the scene file says, until a later direction says otherwise, until the file does again."""
        sheet = self.scene.sheet(name)
        turns = [(sheet.enters, True), *([(sheet.leaves, False)] if sheet.leaves is not None else [])]
        turns += [(move.beat, move.here) for move in self.steering.moves if move.who == name]
        past = [here for at, here in sorted(turns, key=lambda turn: turn[0]) if at <= beat]
        return bool(past) and past[-1]

    def to_cue(self) -> tuple[str, ...]:
        """Who is asked at this beat: the opener first of all, then everybody on stage who can answer.

        Whom the author wants to speak next is asked alone, and whoever is muted is not.
        """
        opener, unasked = self.scene.opener, self.unasked()
        here = [name for name in self.on_stage() if name not in unasked]
        if self.beat == 0:
            return (opener,) if opener in here else tuple(here[:1])
        if self.steering.next_speaker in here:
            return (self.steering.next_speaker,)
        return tuple(name for name in here if self._is_asked(name))

    def unasked(self) -> tuple[str, ...]:
        """Who is on stage and not asked at this beat, because the author wants it so."""
        steering = self.steering
        if steering is UNSTEERED:
            return ()
        here = self.on_stage()
        if steering.next_speaker in here and steering.next_speaker not in steering.muted:
            return tuple(name for name in here if name != steering.next_speaker)
        return tuple(name for name in here if name in steering.muted)

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
    scene = event.opened or state.scene
    cast = tuple(member.model_copy(update={"model": event.models[member.name]}) for member in scene.cast)
    opened = scene.model_copy(
        update={
            "cast": cast,
            "director": event.director,
            "folder": event.folder,
            "agent": event.agent or state.scene.agent,
        }
    )
    if event.opened is not None:
        state = _recast(state, opened)
    return _with(_staged(state, opened), forked=event)


def _recast(state: SceneState, opened: SceneOpened) -> SceneState:
    """The state for another scene from here on: who is new has heard nothing, and another goal is not met yet."""
    new = tuple(member.display_name for member in opened.cast if member.name not in state.members)
    if new:
        lines = tuple(line.model_copy(update={"unheard_by": (*line.unheard_by, *new)}) for line in state.lines)
        state = _with(state, lines=lines, confidential=bool(lines) or state.confidential)
    if opened.goals != state.goals:
        state = _with(state, verdict=Verdict(), met_at=None, progress=(), closing_beats=0, notes={})
    return state


@SCENE_FOLD.on(RunForked)
def _(event: RunForked, state: SceneState, entry: Entry[Event]) -> SceneState:
    if state.seats:
        state = _with(state, seats={name: seat.forked() for name, seat in state.seats.items()})
    return state if state.steering is UNSTEERED else _with(state, steering=state.steering.forked())


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


@SCENE_FOLD.on(BooksRead)
def _(event: BooksRead, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, books=event)


@SCENE_FOLD.on(LoreTold)
def _(event: LoreTold, state: SceneState, entry: Entry[Event]) -> SceneState:
    known = {**state.known_lore.get(event.character, {}), **{one.uid: one.text for one in event.told}}
    state = _with(state, known_lore={**state.known_lore, event.character: known})
    if event.standing:
        return _with(state, standing={**state.standing, event.character: event})
    return _with(state, lore={**state.lore, event.character: event})


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
    return _with(
        state,
        lines=(*state.lines, line),
        page=(*state.page, line.rendered()),
        confidential=state.confidential or is_confidential(line),
    )


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
        steering=state.steering if state.steering is UNSTEERED else state.steering.played(state.to_cue()),
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
    if event.kind == "direction":
        return _with(
            state, steering=state.steering.noted((event.to,) if event.to else tuple(state.members), event.text)
        )
    state = _with(state, notes={**state.notes, event.to: event.text})
    if event.kind == "correction":
        return _with(state, corrected={**state.corrected, event.to: len(state.weighed.get(event.to, ()))})
    return state


@SCENE_FOLD.on(LineWeighed)
def _(event: LineWeighed, state: SceneState, entry: Entry[Event]) -> SceneState:
    weighed = {**state.weighed.get(event.character, {}), event.number: event.drift}
    return _with(state, weighed={**state.weighed, event.character: weighed})


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


@SCENE_FOLD.on(TakeAdded)
def _(event: TakeAdded, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, takes=with_take(state, event))


def _revised(event: Revised, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, **revise(state, event))


SCENE_FOLD.on(TakeChosen)(_revised)
SCENE_FOLD.on(LineEdited)(_revised)
SCENE_FOLD.on(LineStruck)(_revised)


@SCENE_FOLD.on(SceneReopened)
def _(event: SceneReopened, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, ended=None, silent_streak=0, failed_streak=0, closing_beats=0, circled=())


@SCENE_FOLD.on(DirectionTaken)
def _(event: DirectionTaken, state: SceneState, entry: Entry[Event]) -> SceneState:
    state = _with(state, steering=state.steering.after(event, state.beat + 1 if state.played else state.beat))
    if isinstance(event.direction, MoreBeats) and not event.refused:
        config = state.scene.config
        longer = config.model_copy(update={"max_beats": config.max_beats + event.direction.beats})
        return _with(state, opened=state.scene.model_copy(update={"config": longer}))
    return state


def _seated(event: SeatChange, state: SceneState, entry: Entry[Event]) -> SceneState:
    return _with(state, seats={**state.seats, event.character: state.seat(event.character).after(event)})


SCENE_FOLD.on(SeatTaken)(_seated)
SCENE_FOLD.on(SeatAnswered)(_seated)
SCENE_FOLD.on(SeatLeft)(_seated)


@SCENE_FOLD.on(GoalChanged)
def _(event: GoalChanged, state: SceneState, entry: Entry[Event]) -> SceneState:
    verdict = for_goals(state.verdict, state.goals, event.goals)
    before = state.scene.config
    first = state.steering.first_goal or goal_text(before.prompt, before.goal)
    config = before.model_copy(update={"goal": event.text})
    opened = state.scene.model_copy(update={"config": config, "goals": event.goals})
    met_at = state.met_at if verdict.complete else None
    stays = numbers_of(state.goals, event.goals)
    # A moment that was written for a sub-goal that is gone is not played any more.
    script = [one.model_copy(update={"goal": stays.get(one.goal)}) if one.goal else one for one in state.script]
    kept = tuple(now for was, now in zip(state.script, script, strict=True) if now.goal or not was.goal)
    steering = replace(state.steering, first_goal=first)
    return _with(state, opened=opened, verdict=verdict, met_at=met_at, closing_beats=0, script=kept, steering=steering)
