"""What a run of the workshop is: the conversation of one book with the Foreman, over the book's whole life."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.bounds import readable
from dramaturg.kernel.runs import AnswerSoFar, Entry, Event, Holder, Kind, RunStopped
from dramaturg.kernel.store import RunRecord
from dramaturg.workshop.consolidation.schedule import after_turn
from dramaturg.workshop.consult import NAMES, play_turn
from dramaturg.workshop.events import (
    FOREMAN_EVENTS,
    ForemanAnswerFailed,
    ForemanAnswerPieces,
    ForemanEvent,
    ForemanRun,
    ForemanTurnEnded,
    PromptAssembled,
)
from dramaturg.workshop.foreman.message_stream import READER, MessageReader, shown_text
from dramaturg.workshop.receipts import whole_receipts
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import FOREMAN_FOLD, ForemanState, foreman_state
from dramaturg.workshop.turn_context import FOREMAN, ForemanPerformance, TurnContext
from dramaturg.workshop.views import consultation_text, consultation_view
from dramaturg.workshop.works.front import BookWorks


class ForemanKind(Kind[ForemanEvent, ForemanState]):
    """A book's conversation. It rests between messages, and no process holds it then."""

    name = FOREMAN
    noun = "a book's conversation"
    rests = True
    events = FOREMAN_EVENTS
    fold = FOREMAN_FOLD

    def __init__(self, sources: BookSources, works: BookWorks) -> None:
        self._sources = sources
        self._works = works

    async def play(self, performance: ForemanPerformance) -> None:
        """Plays turn after turn until every message is answered."""
        while performance.state.open_turns:
            context = TurnContext(performance, self._sources, self._works)
            try:
                turn = performance.state.open_turns[0]
                await play_turn(context, turn)
                await after_turn(self._sources, self._works, performance.state.turns[turn])
            except (asyncio.CancelledError, Exception):  # reason: re-raised; what has arrived of the answer is kept
                context.keep_pieces()
                raise

    def has_work(self, performance: ForemanPerformance) -> bool:
        return bool(performance.state.open_turns)

    def give_up(self, performance: ForemanPerformance, reason: RunStopped) -> tuple[Event, ...]:
        """The first open turn ends without an answer."""
        if not performance.state.open_turns:
            return ()
        turn = performance.state.open_turns[0]
        failed = ForemanAnswerFailed(turn=turn, error=reason.reason, code=reason.code)
        answered = bool(performance.state.turns[turn].answers)
        return (failed, ForemanTurnEnded(turn=turn, answered=answered))

    def show(self, run: ForemanRun) -> str:
        turns = sorted(foreman_state(run.entries).turns.items())
        return "".join(consultation_text(turn) for _, turn in turns)

    def documents(self, run: ForemanRun) -> Iterator[object]:
        state = foreman_state(run.entries)
        receipts = whole_receipts(state, state.turns)
        for number, turn in sorted(state.turns.items()):
            yield consultation_view(turn, receipts[number]).model_dump(mode="json", by_alias=True)

    def answer_at(self, performance: ForemanPerformance, entry: Entry[ForemanEvent]) -> AnswerSoFar | None:
        asked = entry.event
        if not isinstance(asked, PromptAssembled):
            return None
        here = performance.state.turns[asked.turn]
        is_open = not here.ended and all(one.round != asked.round for one in here.answers)
        if asked.assisted:  # its words are checked before they are shown
            return AnswerSoFar("", is_open)
        live = performance.live
        if live is not None and live.seq == entry.seq:
            return AnswerSoFar(live.shown, is_open)
        whole = performance.run.answers.get(asked.key)
        if is_open and whole is None:
            return AnswerSoFar("", is_open=True)
        text = whole.text if whole is not None else _pieces(performance, entry)
        shown = readable(READER, lambda: _shown(text, whole=whole is not None), key=asked.key)
        return AnswerSoFar(shown, is_open)

    def check_resumable(self, record: RunRecord) -> None:
        raise InvalidConfig(
            "A book's conversation continues with 'dramaturg foreman chat'; it has no end to resume to.", run=record.id
        )

    def held_elsewhere(self, record: RunRecord) -> str:
        holder = Holder.read(record.player)
        where = f" ({holder.host}, process {holder.pid})" if holder else ""
        return (
            f"The Foreman is at work on this book in another process{where}. "
            "Wait for its answer, or stop it there. Your message was not sent."
        )


def _shown(text: str, *, whole: bool) -> str:
    return shown_text(text, NAMES) if whole else MessageReader(NAMES).feed(text)


def _pieces(performance: ForemanPerformance, asked: Entry[ForemanEvent]) -> str:
    """What the log has of an answer that was never completed."""
    following = performance.run.entries[asked.seq :]
    events = (entry.event for entry in following)
    return "".join(one.text for one in events if isinstance(one, ForemanAnswerPieces) and _same_turn(one, asked.event))


def _same_turn(pieces: ForemanAnswerPieces, asked: ForemanEvent) -> bool:
    return isinstance(asked, PromptAssembled) and pieces.turn == asked.turn
