"""The state of a request: a fold over its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from dramaturg.ensemble.events import (
    TURNS,
    BooksRead,
    CommentsRouted,
    EnsembleBegun,
    EnsembleEnded,
    EnsembleOpened,
    HouseRead,
    LoreTold,
    PersonaRead,
    ReceivedComment,
    RemarkMade,
    RequestQueued,
    Seat,
    SlotCued,
    SlotFailed,
    SlotRecorded,
    SlotSpoke,
    SlotStarted,
    SlotUnspoken,
    ThreadCarried,
    ThreadExchange,
    TurnDone,
    TurnHeard,
    TurnIndex,
    TurnSkipped,
    TurnStarted,
    VoicesCast,
    VoicingAsked,
    VoicingEnded,
)
from dramaturg.ensemble.forms import answer_of
from dramaturg.kernel.runs.damage import unopened
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.fold import Fold

Place: TypeAlias = tuple[int, int]
"""A turn and a slot."""


@dataclass(frozen=True)
class EnsembleState:
    """Immutable; each event yields a new state. `failures` are slots without a text, `unspoken` texts without audio.

    `voicing` is under way once the session is over; `voiced` are those of its lines that are done.
    """

    opened: EnsembleOpened | None = None
    house: HouseRead | None = None
    personas: Mapping[int, str] = field(default_factory=dict)
    queued: RequestQueued | None = None
    begun: EnsembleBegun | None = None
    carried: Mapping[int, ThreadCarried] = field(default_factory=dict)
    books: BooksRead | None = None
    lore: Mapping[Place, LoreTold] = field(default_factory=dict)
    cues: Mapping[Place, str] = field(default_factory=dict)
    remarks: tuple[RemarkMade, ...] = ()
    opened_turns: frozenset[int] = frozenset()
    started: frozenset[Place] = frozenset()
    lines: Mapping[Place, SlotSpoke] = field(default_factory=dict)
    recorded: Mapping[Place, SlotRecorded] = field(default_factory=dict)
    failures: Mapping[Place, SlotFailed] = field(default_factory=dict)
    unspoken: Mapping[Place, SlotFailed | SlotUnspoken] = field(default_factory=dict)
    done: Mapping[int, TurnDone] = field(default_factory=dict)
    skipped: Mapping[int, TurnSkipped] = field(default_factory=dict)
    heard: frozenset[int] = frozenset()
    routed: CommentsRouted | None = None
    ended: EnsembleEnded | None = None
    voices: VoicesCast | None = None
    voicing: VoicingAsked | None = None
    voiced: frozenset[Place] = frozenset()

    @property
    def request(self) -> EnsembleOpened:
        if self.opened is None:
            raise unopened("session of the ensemble")
        return self.opened

    @property
    def cast(self) -> tuple[Seat, ...]:
        return self.request.cast

    @property
    def profiles(self) -> Mapping[str, str]:
        return self.house.profiles if self.house else {}

    def seat(self, slot: int) -> Seat:
        return next(seat for seat in self.cast if seat.slot_id == slot)

    def survivors(self) -> tuple[int, ...]:
        """The slots that answered in turn 1, and so take part in later turns."""
        return tuple(seat.slot_id for seat in self.cast if (1, seat.slot_id) in self.lines)

    def is_over(self, turn: int) -> bool:
        return turn in self.done or turn in self.skipped

    def to_cue(self, turn: int) -> tuple[int, ...]:
        """The slots that take part in a turn."""
        if turn == 1:
            return tuple(seat.slot_id for seat in self.cast)
        survivors = self.survivors()
        if turn == 2 or self.request.turn3 == "all":
            return survivors
        return tuple(slot for slot in survivors if self.comments_for(slot))

    def comments_for(self, slot: int) -> tuple[ReceivedComment, ...]:
        """The comments that reach a slot, as they were routed."""
        assignments = self.routed.assignments if self.routed else ()
        return tuple(
            ReceivedComment(
                from_slot_id=given.slot_id,
                from_agent_id=self.seat(given.slot_id).agent_id,
                comment=self.lines[2, given.slot_id].text,
            )
            for given in assignments
            if given.target_slot_id == slot
        )

    def thread(self, slot: int) -> tuple[ThreadExchange, ...]:
        """A slot's conversation so far: earlier requests of the kiosk, then the turns of this one."""
        own = (
            ThreadExchange(told=self.cues[turn, slot], answered=answer_of(self.lines[turn, slot]))
            for turn in TURNS
            if (turn, slot) in self.lines and (turn, slot) in self.cues
        )
        before = self.carried.get(slot)
        return (*(before.exchanges if before else ()), *own)

    def agents(self) -> dict[int, str]:
        """The agent of each slot that has a thread, asked this time or not."""
        before = {slot: thread.agent_id for slot, thread in self.carried.items()}
        return before | {seat.slot_id: seat.agent_id for seat in self.cast}

    def owed(self, turn: int | None = None) -> tuple[Place, ...]:
        """The texts still to be recorded, in order of arrival."""
        return tuple(
            place
            for place in self.lines
            if (turn is None or place[0] == turn) and place not in self.recorded and place not in self.unspoken
        )

    def to_voice(self) -> tuple[Place, ...]:
        """The lines that a voicing under way still has to speak."""
        wanted = self.voicing.lines if self.voicing else ()
        places = ((line.turn_index, line.slot_id) for line in wanted)
        return tuple(place for place in places if place not in self.voiced and place in self.lines)

    def after(self, events: Iterable[Event]) -> EnsembleState:
        """The state after these events as well."""
        return ENSEMBLE_FOLD.ahead(self, events)


def ensemble_state(entries: Iterable[Entry[Event]]) -> EnsembleState:
    """The state of a request from its log."""
    return ENSEMBLE_FOLD(entries)


ENSEMBLE_FOLD = Fold(EnsembleState())


def in_order(places: Iterable[Place]) -> tuple[tuple[TurnIndex, int], ...]:
    """Places by turn, then by slot."""
    return tuple((turn, slot) for turn in TURNS for _, slot in sorted(place for place in places if place[0] == turn))


@ENSEMBLE_FOLD.on(EnsembleOpened)
def _(event: EnsembleOpened, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, opened=event)


@ENSEMBLE_FOLD.on(HouseRead)
def _(event: HouseRead, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, house=event)


@ENSEMBLE_FOLD.on(PersonaRead)
def _(event: PersonaRead, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, personas={**state.personas, event.slot_id: event.persona})


@ENSEMBLE_FOLD.on(BooksRead)
def _(event: BooksRead, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, books=event)


@ENSEMBLE_FOLD.on(LoreTold)
def _(event: LoreTold, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, lore={**state.lore, (event.turn, event.slot_id): event})


@ENSEMBLE_FOLD.on(RequestQueued)
def _(event: RequestQueued, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, queued=event)


@ENSEMBLE_FOLD.on(EnsembleBegun)
def _(event: EnsembleBegun, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, begun=event)


@ENSEMBLE_FOLD.on(ThreadCarried)
def _(event: ThreadCarried, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, carried={**state.carried, event.slot_id: event})


@ENSEMBLE_FOLD.on(RemarkMade)
def _(event: RemarkMade, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, remarks=(*state.remarks, event))


@ENSEMBLE_FOLD.on(TurnStarted)
def _(event: TurnStarted, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, opened_turns=state.opened_turns | {event.turn})


@ENSEMBLE_FOLD.on(SlotCued)
def _(event: SlotCued, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, cues={**state.cues, (event.turn, event.slot_id): event.message})


@ENSEMBLE_FOLD.on(SlotStarted)
def _(event: SlotStarted, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, started=state.started | {(event.turn, event.slot_id)})


@ENSEMBLE_FOLD.on(SlotSpoke)
def _(event: SlotSpoke, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, lines={**state.lines, (event.turn, event.slot_id): event})


@ENSEMBLE_FOLD.on(SlotRecorded)
def _(event: SlotRecorded, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    place = (event.turn, event.slot_id)
    unspoken = {where: why for where, why in state.unspoken.items() if where != place}
    return replace(_voiced(state, place), recorded={**state.recorded, place: event}, unspoken=unspoken)


@ENSEMBLE_FOLD.on(SlotUnspoken)
def _(event: SlotUnspoken, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    place = (event.turn, event.slot_id)
    return replace(_voiced(state, place), unspoken={**state.unspoken, place: event})


@ENSEMBLE_FOLD.on(SlotFailed)
def _(event: SlotFailed, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    place = (event.turn, event.slot_id)
    if event.error == "tts_error":
        return replace(_voiced(state, place), unspoken={**state.unspoken, place: event})
    return replace(state, failures={**state.failures, place: event})


@ENSEMBLE_FOLD.on(TurnDone)
def _(event: TurnDone, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, done={**state.done, event.turn: event})


@ENSEMBLE_FOLD.on(CommentsRouted)
def _(event: CommentsRouted, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, routed=event)


@ENSEMBLE_FOLD.on(TurnSkipped)
def _(event: TurnSkipped, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, skipped={**state.skipped, event.turn: event})


@ENSEMBLE_FOLD.on(TurnHeard)
def _(event: TurnHeard, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, heard=state.heard | {event.turn})


@ENSEMBLE_FOLD.on(VoicesCast)
def _(event: VoicesCast, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, voices=event)


@ENSEMBLE_FOLD.on(VoicingAsked)
def _(event: VoicingAsked, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    heard = state.heard - {line.turn_index for line in event.lines}
    return replace(state, voicing=event, voiced=frozenset(), heard=heard)


@ENSEMBLE_FOLD.on(VoicingEnded)
def _(event: VoicingEnded, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, voicing=None, voiced=frozenset())


@ENSEMBLE_FOLD.on(EnsembleEnded)
def _(event: EnsembleEnded, state: EnsembleState, entry: Entry[Event]) -> EnsembleState:
    return replace(state, ended=event)


def _voiced(state: EnsembleState, place: Place) -> EnsembleState:
    return replace(state, voiced=state.voiced | {place}) if state.voicing is not None else state
