"""The state of a book's conversation: a fold over its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.fold import Fold
from dramaturg.workshop.book.book import Mishap
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.snapshot import BookProgress
from dramaturg.workshop.events import (
    ActionDone,
    ActionRefused,
    ActionUndone,
    FileKept,
    ForemanAnswered,
    ForemanAnswerFailed,
    ForemanTurnEnded,
    ModeChanged,
    PromptAssembled,
    QuoteDoubted,
    WriterSpoke,
)
from dramaturg.workshop.foreman.receipt import Turn

MOST_MISHAPS = 6
LONGEST_ACTION = 600


@dataclass(frozen=True, slots=True)
class Consultation:
    """One message of the writer's, and everything that followed from it."""

    spoke: WriterSpoke
    at: float
    prompts: tuple[PromptAssembled, ...] = ()
    answers: tuple[ForemanAnswered, ...] = ()
    done: tuple[ActionDone, ...] = ()
    refused: tuple[ActionRefused, ...] = ()
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
        return frozenset([one.act for one in self.done] + [one.act for one in self.refused])

    def told(self) -> Turn:
        """The exchange as later prompts show it: in the protocol, with its actions."""
        said = f"<message>\n{self.message}\n</message>" if self.message else ""
        actions = [asked.raw for one in self.answers for asked in one.answer.actions if asked.raw]
        kept = [raw for raw in actions if len(raw) <= LONGEST_ACTION]
        return Turn(writer=self.spoke.text, foreman="\n".join(filter(None, [said, *kept])))


@dataclass(frozen=True, slots=True)
class ForemanState:
    """Immutable; every entry makes a new one."""

    turns: Mapping[int, Consultation] = field(default_factory=dict)
    kept: Mapping[str, FileKept] = field(default_factory=dict)
    done: tuple[ActionDone, ...] = ()
    modes: tuple[ModeChanged, ...] = ()
    undone: frozenset[str] = frozenset()
    seq: int = 0

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
        return max(self.turns, default=0) + 1

    @property
    def open_turns(self) -> tuple[int, ...]:
        """The messages that are not completely answered yet, oldest first."""
        return tuple(number for number, turn in sorted(self.turns.items()) if not turn.ended)

    @property
    def undoable(self) -> tuple[ActionDone, ...]:
        """The actions that can be undone, latest first."""
        return tuple(
            one
            for one in reversed(self.done)
            if one.act not in self.undone
            and (one.outcome.written or one.outcome.decided is not None or one.outcome.advanced)
        )

    def conversation(self, before: int) -> tuple[Turn, ...]:
        """The exchanges before a turn, oldest first, including messages without an answer."""
        return tuple(turn.told() for number, turn in sorted(self.turns.items()) if number < before)

    def mishaps(self, before: int) -> tuple[Mishap, ...]:
        """What went wrong with the last answer before a turn."""
        answered = [turn for number, turn in sorted(self.turns.items()) if number < before and turn.answers]
        return mishaps_of(answered[-1]) if answered else ()

    def progress(self, turn: int) -> BookProgress:
        """What a snapshot of the book for this turn needs to know of the conversation."""
        before = [one for number, one in sorted(self.turns.items()) if number < turn]
        last = tuple(text for one in before[-1:] for text in (one.spoke.text, one.message))
        return BookProgress(mode=self.mode, forced=self.forced, mishaps=self.mishaps(turn), last_exchange=last)

    def _modes(self) -> tuple[ModeChanged, ...]:
        return tuple(one for one in self.modes if one.act not in self.undone)

    def changed(self, number: int, turn: Consultation) -> ForemanState:
        return replace(self, turns={**self.turns, number: turn})


def foreman_state(entries: Iterable[Entry[Event]]) -> ForemanState:
    """The state of a book's conversation from its log."""
    return FOREMAN_FOLD(entries)


FOREMAN_FOLD = Fold(ForemanState(), each=lambda state, entry: replace(state, seq=entry.seq))


def mishaps_of(turn: Consultation) -> tuple[Mishap, ...]:
    """The refused requests of a turn and the breaches of the protocol in its answers, up to a limit."""
    refused = [Mishap(what=f"{one.action}: {one.reason}", quote=one.quote) for one in turn.refused]
    doubted = [
        Mishap(what=f"A quotation attributed to {one.cited} stands in no passage you were given.", quote=one.quote)
        for one in turn.doubted
    ]
    odd = [Mishap(what=one.what, quote=one.quote) for answer in turn.answers for one in answer.answer.oddities]
    return tuple([*refused, *doubted, *odd][:MOST_MISHAPS])


@FOREMAN_FOLD.on(WriterSpoke)
def _(event: WriterSpoke, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return state.changed(event.turn, Consultation(event, entry.at))


@FOREMAN_FOLD.on(PromptAssembled)
def _(event: PromptAssembled, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    turn = state.turns[event.turn]
    others = tuple(one for one in turn.prompts if one.round != event.round)
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
    return replace(state, kept={**state.kept, event.act: event})


@FOREMAN_FOLD.on(ActionDone)
def _(event: ActionDone, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    state = replace(state, done=(*state.done, event))
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
    return replace(state, modes=(*state.modes, event))


@FOREMAN_FOLD.on(ActionUndone)
def _(event: ActionUndone, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return replace(state, undone=state.undone | {event.act})


@FOREMAN_FOLD.on(ForemanTurnEnded)
def _(event: ForemanTurnEnded, state: ForemanState, entry: Entry[Event]) -> ForemanState:
    return state.changed(event.turn, replace(state.turns[event.turn], ended=True))
