"""The state of a book's conversation: a fold over its events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.fold import Fold
from dramaturg.kernel.text.shortened import short_line
from dramaturg.workshop.book.book import Mishap
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.snapshot import BookProgress
from dramaturg.workshop.events import (
    ActionDone,
    ActionOffered,
    ActionRefused,
    ActionUndone,
    FileKept,
    ForemanAnswered,
    ForemanAnswerFailed,
    ForemanTurnEnded,
    ModeChanged,
    OfferConfirmed,
    PromptAssembled,
    QuoteDoubted,
    WorkReported,
    WriterSpoke,
)
from dramaturg.workshop.foreman.elements import element
from dramaturg.workshop.foreman.prompt_parts import UNDONE
from dramaturg.workshop.foreman.receipt import Turn
from dramaturg.workshop.patches import review as reviews
from dramaturg.workshop.patches.events import PatchesProposed, PatchesRejected, SceneChanged, SceneDrafted, SceneWritten
from dramaturg.workshop.patches.review import Review
from dramaturg.workshop.voice.events import LineupChosen, LineupDrawn, VoiceChosen
from dramaturg.workshop.voice.lineup import Choice

MOST_MISHAPS = 6
LONGEST_ACTION = 600
LONGEST_UNDONE = 300
MOST_REJECTED = 3
LONGEST_REJECTED = 60


@dataclass(frozen=True, slots=True)
class Consultation:
    """One message of the writer's, and everything that followed from it."""

    spoke: WriterSpoke
    at: float
    prompts: tuple[PromptAssembled, ...] = ()
    answers: tuple[ForemanAnswered, ...] = ()
    done: tuple[ActionDone, ...] = ()
    refused: tuple[ActionRefused, ...] = ()
    offered: tuple[ActionOffered, ...] = ()
    doubted: tuple[QuoteDoubted, ...] = ()
    failed: ForemanAnswerFailed | None = None
    ended: bool = False

    @property
    def message(self) -> str:
        """What the Foreman said, over all its answers."""
        return "\n\n".join(filter(None, (one.answer.message for one in self.answers)))

    @property
    def acts(self) -> frozenset[str]:
        """The actions that were already tried."""
        done, refused, offered = self.done, self.refused, self.offered
        return frozenset([*(one.act for one in done), *(one.act for one in refused), *(one.act for one in offered)])

    def told(self, undone: Collection[str] = ()) -> Turn:
        """The exchange as later prompts show it: in the protocol, with its actions, and what was undone as such."""
        said = f"<message>\n{self.message}\n</message>" if self.message else ""
        actions = [self._told(one, undone) for one in self.answers]
        return Turn(writer=self.spoke.text, foreman="\n".join(filter(None, [said, *actions])))

    def _told(self, answered: ForemanAnswered, undone: Collection[str]) -> str:
        done = {one.act: one for one in self.done}
        asked = answered.answer.actions
        rows = []
        for number in range(1, len(asked) + len(answered.answer.updates) + 1):
            act = f"{self.spoke.turn}.{answered.round}.{number}"
            raw = asked[number - 1].raw if number <= len(asked) else ""
            if act in undone and act in done:
                raw = element(UNDONE, done[act].outcome.said[:LONGEST_UNDONE], type=done[act].action)
            rows.append(raw if len(raw) <= LONGEST_ACTION else "")
        return "\n".join(filter(None, rows))


class Exchanges(Sequence[Turn]):
    """The exchanges of a conversation as prompts show them, each made when asked for: a prompt has the last few."""

    def __init__(self, turns: Sequence[Consultation], undone: Collection[str] = ()) -> None:
        self._turns, self._undone = turns, undone

    def __len__(self) -> int:
        return len(self._turns)

    @overload
    def __getitem__(self, place: int) -> Turn: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Turn, ...]: ...

    def __getitem__(self, place: int | slice) -> Turn | tuple[Turn, ...]:
        if isinstance(place, slice):
            return tuple(turn.told(self._undone) for turn in self._turns[place])
        return self._turns[place].told(self._undone)


@dataclass(frozen=True, slots=True)
class ForemanState:
    """Immutable; every entry makes a new one."""

    turns: dict[int, Consultation] = field(default_factory=dict)
    """By their numbers, in the order in which they were said."""
    open_turns: tuple[int, ...] = ()
    """The messages that are not completely answered yet, oldest first."""
    kept: Mapping[str, Mapping[str, FileKept]] = field(default_factory=dict)
    """What files held before each action changed them, by action and path."""
    done: tuple[ActionDone, ...] = ()
    decided: frozenset[int] = frozenset()
    """The decisions that actions made, one each."""
    modes: tuple[ModeChanged, ...] = ()
    undone: frozenset[str] = frozenset()
    taken_back: tuple[tuple[int, str], ...] = ()
    """What the writer took back, with the turn whose prompt tells it."""
    offer: ActionOffered | None = None
    """What waits for the writer's yes; their next message lets it lapse."""
    confirmed: frozenset[str] = frozenset()
    review: Review = field(default_factory=Review)
    """The patches of the book, and the versions of its scenes."""
    reports: tuple[WorkReported, ...] = ()
    """The long works that were told of when they were over."""
    lineup: LineupDrawn | None = None
    choices: tuple[Choice, ...] = ()
    """What the writer chose in the line-up so far."""
    voices: tuple[VoiceChosen, ...] = ()
    """The voices that were chosen, without those that were taken back."""
    opened: frozenset[str] = frozenset()
    """The tournaments whose labels the writer has seen; taking a choice back does not close them again."""
    rejections: tuple[tuple[int, PatchesRejected], ...] = ()
    """The patches that the writer rejected, with the turn whose prompt tells it."""
    prompts: tuple[PromptAssembled, ...] = ()
    """Every prompt, in the order of the log."""
    known: frozenset[str] = frozenset()
    """The names of what was known when the last prompt was written."""
    seen: Mapping[str, str] = field(default_factory=dict)
    """The digest of each file at that time, by path."""
    seq: int = 0

    @property
    def voice(self) -> VoiceChosen | None:
        """The voice that holds."""
        return self.voices[-1] if self.voices else None

    @property
    def mode(self) -> Mode:
        changes = self._modes()
        return changes[-1].after if changes else Mode.ARCHITECT

    @property
    def forced(self) -> tuple[Mode, ...]:
        """The earlier modes whose gates were forced."""
        order = list(Mode)
        return tuple(
            dict.fromkeys(
                one.before for one in self._modes() if one.risks and order.index(one.before) < order.index(self.mode)
            )
        )

    @property
    def next_turn(self) -> int:
        return next(reversed(self.turns), 0) + 1

    @property
    def undoable(self) -> tuple[ActionDone, ...]:
        """The actions that can be undone, latest first."""
        return tuple(one for one in reversed(self.done) if one.act not in self.undone and self._can_be_undone(one))

    def _can_be_undone(self, action: ActionDone) -> bool:
        outcome = action.outcome
        if outcome.patch is not None:
            last = next(one.act for one in reversed(self.done) if one.outcome.patch == outcome.patch)
            return last == action.act and self.review.states.get(outcome.patch) == "accepted"
        return outcome.is_undoable

    def conversation(self, before: int) -> Sequence[Turn]:
        """The exchanges before a turn, oldest first, including messages without an answer."""
        found = list(self.turns.values())  # in the order in which they were said
        while found and found[-1].spoke.turn >= before:
            found.pop()
        return Exchanges(found, self.undone)

    def _before(self, turn: int) -> Iterator[Consultation]:
        """The consultations before a turn, latest first."""
        return (one for one in reversed(self.turns.values()) if one.spoke.turn < turn)

    def last_answered(self, before: int) -> Consultation | None:
        """The last consultation before a turn that was answered."""
        return next((one for one in self._before(before) if one.answers), None)

    def mishaps(self, before: int) -> tuple[Mishap, ...]:
        """What was taken back since the last answer before a turn, what became of its offer, and what was wrong."""
        answered = self.last_answered(before)
        undone = [Mishap(kind="undone", what=said) for turn, said in self.taken_back if turn == before]
        offers = [self._offer_told(one) for one in answered.offered] if answered else []
        rejected = [self._rejection_told(one) for turn, one in self.rejections if turn == before]
        return tuple([*undone, *rejected, *offers, *(mishaps_of(answered) if answered else ())][:MOST_MISHAPS])

    def _rejection_told(self, event: PatchesRejected) -> Mishap:
        patches = [self.review.patches[number] for number in event.numbers if number in self.review.patches]
        told = [f"{one.path}: “{_brief(one.old)}” to “{_brief(one.new)}”" for one in patches[:MOST_REJECTED]]
        more = f" and {len(patches) - len(told)} more" if len(patches) > len(told) else ""
        why = f" ({_brief(event.reason)})" if event.reason.strip() else ""
        return Mishap(kind="rejected", what=f"The writer rejected your change{why} of {'; '.join(told)}{more}")

    def _offer_told(self, offer: ActionOffered) -> Mishap:
        if offer.act in self.confirmed:
            return Mishap(kind="confirmed", what=f"The writer said yes. {offer.said}")
        return Mishap(kind="offered", what=f"The writer did not confirm it, so it was not done. {offer.said}")

    def last_exchange(self, before: int) -> tuple[str, ...]:
        """What was said last before a turn, by both."""
        last = next(self._before(before), None)
        return (last.spoke.text, last.message) if last else ()

    def progress(self, turn: int) -> BookProgress:
        """What a snapshot of the book for this turn needs to know of the conversation."""
        works = tuple(f"{one.work}: {one.said}" for one in self.reports if one.turn == turn)
        return BookProgress(
            mode=self.mode,
            forced=self.forced,
            mishaps=self.mishaps(turn),
            last_exchange=self.last_exchange(turn),
            works=works,
        )

    def _modes(self) -> tuple[ModeChanged, ...]:
        return tuple(one for one in self.modes if one.act not in self.undone)

    def changed(self, number: int, turn: Consultation) -> ForemanState:
        others = [one for one in self.open_turns if one != number]
        still_open = others if turn.ended else sorted([*others, number])
        return replace(self, turns={**self.turns, number: turn}, open_turns=tuple(still_open))


def _brief(text: str) -> str:
    return short_line(text, LONGEST_REJECTED)


def foreman_state(entries: Iterable[Entry[Event]]) -> ForemanState:
    """The state of a book's conversation from its log."""
    return FOREMAN_FOLD(entries)


FOREMAN_FOLD = Fold(ForemanState(), each=lambda state, entry: replace(state, seq=entry.seq))


def mishaps_of(turn: Consultation) -> tuple[Mishap, ...]:
    """The refused requests of a turn and the breaches of the protocol in its answers, up to a limit."""
    refused = [Mishap(what=f"{one.action}: {one.reason}", quote=one.quote) for one in turn.refused]
    doubted = [
        Mishap(what=f"A quotation does not stand in the passage it cites, {one.cited}.", quote=one.quote)
        for one in turn.doubted
    ]
    odd = [Mishap(what=one.what, quote=one.quote) for answer in turn.answers for one in answer.answer.oddities]
    return tuple([*refused, *doubted, *odd][:MOST_MISHAPS])


@FOREMAN_FOLD.on(WriterSpoke)
def _(event: WriterSpoke, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state.changed(event.turn, Consultation(event, entry.at)), offer=None)


@FOREMAN_FOLD.on(ActionOffered)
def _(event: ActionOffered, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    turn = state.turns[event.turn]
    waits = None if event.turn < state.next_turn - 1 else event
    return replace(state.changed(event.turn, replace(turn, offered=(*turn.offered, event))), offer=waits)


@FOREMAN_FOLD.on(OfferConfirmed)
def _(event: OfferConfirmed, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, offer=None, confirmed=state.confirmed | {event.act})


@FOREMAN_FOLD.on(PromptAssembled)
def _(event: PromptAssembled, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    turn = state.turns[event.turn]
    others = tuple(one for one in turn.prompts if one.round != event.round)
    state = replace(state, prompts=(*state.prompts, event))
    state = replace(state, seen=event.seen if event.files is None else event.files.after(state.seen))
    if event.known is not None:
        state = replace(state, known=event.known.after(state.known))
    return state.changed(event.turn, replace(turn, prompts=(*others, event)))


@FOREMAN_FOLD.on(ForemanAnswered)
def _(event: ForemanAnswered, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    turn = state.turns[event.turn]
    return state.changed(event.turn, replace(turn, answers=(*turn.answers, event)))


@FOREMAN_FOLD.on(ForemanAnswerFailed)
def _(event: ForemanAnswerFailed, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return state.changed(event.turn, replace(state.turns[event.turn], failed=event))


@FOREMAN_FOLD.on(FileKept)
def _(event: FileKept, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    kept = {**state.kept.get(event.act, {}), event.path: event}
    state = replace(state, kept={**state.kept, event.act: kept})
    if event.before is None or event.kept_at or not event.path.startswith(f"{MANUSCRIPT}/"):
        return state
    return replace(state, review=reviews.replaced(state.review, event.path, event.before, entry.at))


@FOREMAN_FOLD.on(ActionDone)
def _(event: ActionDone, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    made = event.outcome.decided
    decided = state.decided if made is None else state.decided | {made}
    state = replace(state, done=(*state.done, event), decided=decided)
    if kept := state.kept.get(event.act):
        state = replace(state, review=reviews.attributed(state.review, kept, event.by))
    turn = state.turns.get(event.turn)
    return state.changed(event.turn, replace(turn, done=(*turn.done, event))) if turn else state


@FOREMAN_FOLD.on(ActionRefused)
def _(event: ActionRefused, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    turn = state.turns[event.turn]
    return state.changed(event.turn, replace(turn, refused=(*turn.refused, event)))


@FOREMAN_FOLD.on(QuoteDoubted)
def _(event: QuoteDoubted, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    turn = state.turns[event.turn]
    return state.changed(event.turn, replace(turn, doubted=(*turn.doubted, event)))


@FOREMAN_FOLD.on(ModeChanged)
def _(event: ModeChanged, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, modes=(*state.modes, event), offer=None)


@FOREMAN_FOLD.on(ActionUndone)
def _(event: ActionUndone, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    told = (state.next_turn, event.said)
    if any(one.act == event.act and one.outcome.chose_voice for one in state.done):
        state = replace(state, voices=state.voices[:-1])
    return replace(state, undone=state.undone | {event.act}, taken_back=(*state.taken_back, told))


@FOREMAN_FOLD.on(WorkReported)
def _(event: WorkReported, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, reports=(*state.reports, event))


@FOREMAN_FOLD.on(LineupDrawn)
def _(event: LineupDrawn, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, lineup=event, choices=())


@FOREMAN_FOLD.on(LineupChosen)
def _(event: LineupChosen, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, choices=(*state.choices, event.choice))


@FOREMAN_FOLD.on(VoiceChosen)
def _(event: VoiceChosen, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, voices=(*state.voices, event), opened=state.opened | {event.tournament})


@FOREMAN_FOLD.on(ForemanTurnEnded)
def _(event: ForemanTurnEnded, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return state.changed(event.turn, replace(state.turns[event.turn], ended=True))


@FOREMAN_FOLD.on(PatchesProposed)
def _(event: PatchesProposed, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, review=reviews.proposed(state.review, event))


@FOREMAN_FOLD.on(PatchesRejected)
def _(event: PatchesRejected, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    rejections = (*state.rejections, (state.next_turn, event))
    return replace(state, review=reviews.rejected(state.review, event), rejections=rejections)


@FOREMAN_FOLD.on(SceneChanged)
def _(event: SceneChanged, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, review=reviews.changed(state.review, event, entry.at))


@FOREMAN_FOLD.on(SceneWritten)
def _(event: SceneWritten, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, review=reviews.written(state.review, event))


@FOREMAN_FOLD.on(SceneDrafted)
def _(event: SceneDrafted, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, review=reviews.drafted(state.review, event, entry.at))
