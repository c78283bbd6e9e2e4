"""A session as this process holds it: its log, its state, the turn under way, and whoever reads along.

Turns of one session are played one after another; sessions know nothing of each other. A turn belongs to the session:
who asked for it may leave, and come back to where they were.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from dramaturg.episodes.director import observe, pace
from dramaturg.episodes.evaluation import SUMMARY, evaluate
from dramaturg.episodes.events import (
    AnswerAsked,
    AnswerPieces,
    Branched,
    ChoiceMade,
    EpisodeRun,
    Evaluated,
    EvaluationFailed,
    MessageChosen,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    Observed,
    PaceDecided,
    PlayerSpoke,
)
from dramaturg.episodes.extraction import extract
from dramaturg.episodes.play import Players, play_turn, question
from dramaturg.episodes.state import Asked, EpisodeState, episode_state
from dramaturg.episodes.store import EpisodeStore
from dramaturg.episodes.streaming import shown_text
from dramaturg.episodes.views import SessionRecord, kept_records, message_records, session_record, shift_records
from dramaturg.episodes.wire import ChunkEvent, Mark, StreamEvent, shown
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings

PIECES = 240
"""So many characters of an answer are gathered before they are logged."""
MOST_LOOKED_BACK = 6
"""So many exchanges at most are given to a model after a change."""


@dataclass(frozen=True, slots=True)
class Backstage:
    """What every session needs of the house."""

    runs: RunLibrary
    store: EpisodeStore
    settings: Settings
    players: Callable[[EpisodeRun, EpisodeState], Players]


@dataclass(slots=True)
class _Live:
    """An answer on its way: what was shown of it, and what is not logged yet."""

    message_id: str
    seq: int
    shown: str = ""
    unlogged: str = ""


class Sitting:
    """One session, open in this process."""

    def __init__(self, run: EpisodeRun, backstage: Backstage, *, is_new: bool = False) -> None:
        self.run = run
        self._found = 0 if is_new else run.seq
        self.state = episode_state(run.entries)
        self.failure: BaseException | None = None
        self._backstage = backstage
        self._lock = asyncio.Lock()
        self._intake = asyncio.Lock()
        self._bell = asyncio.Event()
        self._live: _Live | None = None
        self._players: Players | None = None
        self._runner: asyncio.Task[None] | None = None
        self._afterwards: asyncio.Task[None] | None = None
        self._recorded = -1
        self._kept: tuple[object, ...] | None = None
        self.listeners = 0

    # The table, as a turn sees it.

    async def write(self, *events: Event) -> None:
        await self.run.append(*events)
        self._catch_up()

    def is_lost(self, asked: Asked) -> bool:
        return asked.seq <= self._found and self.run.answers.get(asked.event.key) is None

    def hear(self, message_id: str, piece: str, shown: str) -> None:
        live = self._live
        if live is None or live.message_id != message_id:
            asked = self.state.asked
            live = self._live = _Live(message_id, asked.seq if asked is not None else 0)
        live.unlogged += piece
        if len(live.unlogged) >= PIECES:
            self.run.put(AnswerPieces(message_id=message_id, text=live.unlogged))
            live.unlogged = ""
        if shown:
            live.shown += shown
            self._ring()

    async def keep(self) -> None:
        """One turn more in the tables; where that does not come out, the tables are made anew."""
        state, store = self.state, self._backstage.store
        record = self._record()
        simple = state.turn and len(state.evaluations) == self._recorded
        counted = await store.advance(record, message_records(self.run.id, state, last=2)) if simple else None
        if counted != state.director.turn_count:
            await self.record()

    async def record(self) -> None:
        """The tables of this session, made anew from its log."""
        state = self.state
        self._recorded = len(state.evaluations)
        messages = message_records(self.run.id, state)
        await self._backstage.store.record(self._record(), state.session.player, messages, state.evaluations)

    # What the player does.

    async def take(self, words: str, client_id: str, choice: str | None = None) -> Mark:
        """Keep what the player sent, and see to it that it is answered. The place after which its turn is shown."""
        async with self._intake:
            self._check()
            known = self.state.said_as(client_id)
            if known is None and not any(one.client_id == client_id for one in self.state.waiting):
                received = MessageReceived(client_id=client_id, text=words, choice=choice)
                await self._receive(received)
                self.kick()
                return self._place_of(client_id)
            if known is not None and known == self.state.unanswered and self.state.turn is None:
                return await self.retry()
            return self._place_of(client_id)

    async def _receive(self, received: MessageReceived) -> None:
        """Into the log: as a message of the conversation if nothing is under way, else to wait for its turn."""
        if self._lock.locked() or self._has_work():
            await self.write(received)
            return
        async with self._lock:
            await self.write(*_spoken(self.state, received))

    async def retry(self) -> Mark:
        """Ask again for an answer that did not come. Raises InvalidConfig where none is missing."""
        async with self._lock:
            if self.state.turn is None and self.state.unanswered is None:
                raise InvalidConfig("Nothing is unanswered here; there is nothing to try again.")
            mark = Mark(self.state.seq)
            if self.state.turn is None:
                await self.write(question(self.state, self.state.tip))
        self.kick()
        return mark

    async def swipe(self, message_id: str) -> Mark:
        """Ask for another answer at the place of this one; the earlier ones stay."""
        async with self._lock:
            message = self.state.message(message_id)
            if message.role != "character" or message.structured is None:
                raise InvalidConfig(
                    f"Message '{message_id}' is no answer of the character's; only those can be swiped."
                )
            mark = Mark(self.state.seq)
            await self.write(question(self.state, message.parent or None))
        self.kick()
        return mark

    async def choose(self, message_id: str) -> None:
        """Let the conversation go through this message: an earlier swipe, another branch."""
        await self._change(lambda: MessageChosen(message_id=self.state.message(message_id).id))

    async def edit(self, message_id: str, text: str) -> None:
        await self._change(lambda: MessageEdited(message_id=self.state.message(message_id).id, text=text))

    async def delete(self, message_id: str, *, following: bool = False) -> None:
        """Delete a message; with `following`, all that come after it in the conversation too."""
        await self._change(lambda: MessageDeleted(message_ids=self._doomed(message_id, following)))

    async def branch(self, message_id: str) -> None:
        """Go on from this message; what followed it stays on its own branch."""
        await self._change(lambda: Branched(message_id=self.state.message(message_id).id))

    async def bring(self, *events: Event) -> None:
        """Put messages from elsewhere here, and look at them as if they had been said now."""
        await self._change(lambda: events)

    async def evaluate_again(self) -> Evaluated | EvaluationFailed:
        """Another evaluation of a completed episode. Raises InvalidConfig where there is nothing to evaluate."""
        async with self._lock:
            wanted = self.state.template.evaluation
            if wanted is None:
                raise InvalidConfig("This episode has no evaluation.")
            if self.state.completion is None:
                raise InvalidConfig("The episode is not complete yet; it is evaluated when it is.")
            given = await evaluate(self.state, wanted, self.players().director, again=True)
            # It is of the episode as it was completed, however far the talk has gone on since.
            await self.write(given.model_copy(update={"message_id": self.state.completion.message_id}))
            await self.record()
        return given

    # Reading along.

    async def follow(self, after: Mark) -> AsyncIterator[StreamEvent]:
        """What the player sees after a place, then what comes, until the session is put away here.

        Raises what breaks the session.
        """
        seq, offset = after
        inside = offset > 0 and seq <= len(self.run.entries)
        self.listeners += 1
        try:
            while True:
                bell = self._bell
                if inside:
                    text, is_open = self._answer_at(seq)
                    if len(text) > offset:
                        piece, offset = text[offset:], len(text)
                        yield self._chunk(seq, offset, piece)
                        continue
                    inside = is_open
                if not inside and seq < self.state.seq:
                    entry = self.run.entries[seq]
                    seq, offset, inside = entry.seq, 0, isinstance(entry.event, AnswerAsked)
                    if (event := shown(entry, self.state)) is not None:
                        yield event
                    continue
                self._check()
                await bell.wait()
        finally:
            self.listeners -= 1

    @property
    def busy(self) -> bool:
        return self._runner is not None and not self._runner.done()

    @property
    def at_rest(self) -> bool:
        """Nothing is under way and nobody reads: it can be put away."""
        looking = self._afterwards is not None and not self._afterwards.done()
        return not self.busy and not looking and not self.listeners and not self._lock.locked()

    def kick(self) -> None:
        """Play what is to be played, if nobody does so already."""
        if self._has_work() and not self.busy:
            self._runner = asyncio.create_task(self._play(), name=f"session {self.run.id}")

    async def settled(self) -> None:
        """Returns when nothing is under way any more, not even what follows a turn."""
        while True:
            tasks = [task for task in (self._runner, self._afterwards) if task is not None and not task.done()]
            if not tasks:
                return
            await asyncio.wait(tasks)

    async def close(self, reason: DramaturgError) -> None:
        """Stop what is under way, and tell those who read along why; the log says where to go on."""
        self._break(reason)
        tasks = [task for task in (self._runner, self._afterwards) if task is not None and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._ring()

    def players(self) -> Players:
        if self._players is None:
            self._players = self._backstage.players(self.run, self.state)
        return self._players

    async def _play(self) -> None:
        """Turn after turn, as long as there is one to play."""
        try:
            async with self._lock:
                await self._backstage.runs.mark(self.run, "playing")
                while self._has_work():
                    await self._wait_for_afterwards()
                    if self.state.turn is None:
                        await self.write(*_spoken(self.state, self.state.waiting[0]))
                    await play_turn(self, self.players())
                    self._look_back()
                await self._backstage.runs.mark(self.run, "stopped")
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 # reason: whatever it is, those who read along must hear of it
            self._break(error)
            return
        finally:
            self._runner = None
        self.kick()

    def _has_work(self) -> bool:
        return self.failure is None and (self.state.turn is not None or bool(self.state.waiting))

    async def _wait_for_afterwards(self) -> None:
        if self._afterwards is not None and not self._afterwards.done():
            await asyncio.wait([self._afterwards], timeout=self._backstage.settings.episodes.extraction_wait)

    def _look_back(self) -> None:
        """What follows a turn or a change: done in order, and nobody waits for it long."""
        self._afterwards = asyncio.create_task(self._after(self._afterwards), name=f"after {self.run.id}")

    async def _after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait([before])
        try:
            if self._backstage.settings.episodes.extraction:
                for exchange in self.state.to_extract[-MOST_LOOKED_BACK:]:
                    await self.write(await extract(self.state, exchange, self.players().director))
            await self._sum_up()
            await self._remember()
        except Exception as error:  # noqa: BLE001 # reason: as above; a lost store is noticed by the next turn
            self._break(error)

    async def _sum_up(self) -> None:
        """The next episode of a series begins where this one ended, whatever it was evaluated for."""
        state = self.state
        if state.completion is None or state.session.series is None or state.template.evaluation == SUMMARY:
            return
        known = [one.evaluation_type for one in state.evaluations] + [one.evaluation_type for one in state.unready]
        if SUMMARY not in known:
            await self.write(await evaluate(state, SUMMARY, self.players().director))
            await self.record()

    async def _remember(self) -> None:
        kept, shifts = kept_records(self.state), shift_records(self.state)
        if self._kept != (*kept, *shifts):
            await self._backstage.store.keep(self._record(), kept, shifts)
            self._kept = (*kept, *shifts)

    async def _change(self, event: Callable[[], Event | tuple[Event, ...]]) -> None:
        """A change to the conversation, and the director's new look at what it touched."""
        async with self._lock:
            self._check()
            made = event()
            await self.write(*(made if isinstance(made, tuple) else (made,)))
            state = self.state
            looks = [
                Observed(message_id=one.message_id, digest=one.digest, reading=observe(state.template, one))
                for one in state.exchanges
                if one.reading is None
            ]
            decided = pace(state.template, state.director)
            last = state.exchanges[-1].message_id if state.exchanges else ""
            await self.write(*looks, PaceDecided(message_id=last, note=decided.note, reason=decided.reason))
            await self.record()
        self._look_back()
        self.kick()

    def _doomed(self, message_id: str, following: bool) -> tuple[str, ...]:
        wanted = self.state.message(message_id)
        talk = list(self.state.conversation)
        if not following:
            return (wanted.id,)
        if wanted not in talk:
            raise InvalidConfig(f"Message '{message_id}' is not in the conversation as it stands; choose it first.")
        return tuple(one.id for one in talk[talk.index(wanted) :])

    def _catch_up(self) -> None:
        self.state = self.state.after(self.run.entries[self.state.seq :])
        self._ring()

    def _ring(self) -> None:
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()

    def _break(self, error: BaseException) -> None:
        self.failure = error
        self._ring()

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _record(self) -> SessionRecord:
        record = self.run.record
        return session_record(self.run.id, self.state, record.created_at, record.parent_id)

    def _place_of(self, client_id: str) -> Mark:
        for entry in reversed(self.run.entries):
            if isinstance(entry.event, MessageReceived | PlayerSpoke) and entry.event.client_id == client_id:
                return Mark(entry.seq)
        raise AssertionError("a message that is known has its place")

    def _answer_at(self, seq: int) -> tuple[str, bool]:
        """What was shown of the answer asked for at an entry so far, and whether more may come."""
        asked, live = self.state.asked, self._live
        is_open = asked is not None and asked.seq == seq
        if live is not None and live.seq == seq:
            return live.shown, is_open
        if is_open:
            return "", True
        event = self.run.entries[seq - 1].event
        if not isinstance(event, AnswerAsked):
            return "", False
        whole = self.run.answers.get(event.key)
        return shown_text(whole.text if whole is not None else self._pieces(event.message_id)), False

    def _pieces(self, message_id: str) -> str:
        events = (entry.event for entry in self.run.entries)
        return "".join(one.text for one in events if isinstance(one, AnswerPieces) and one.message_id == message_id)

    def _chunk(self, seq: int, offset: int, piece: str) -> ChunkEvent:
        event = self.run.entries[seq - 1].event
        message_id = event.message_id if isinstance(event, AnswerAsked) else ""
        return ChunkEvent(id=str(Mark(seq, offset)), content=piece, message_id=message_id)


def _spoken(state: EpisodeState, received: MessageReceived) -> tuple[Event, ...]:
    """A message that was received, put where the conversation stands now; and the question for its answer."""
    spoke = PlayerSpoke(
        message_id=state.next_id,
        client_id=received.client_id,
        parent=state.tip or None,
        text=received.text,
        choice=received.choice,
    )
    choice = state.template.choice(received.choice) if received.choice else None
    made = (ChoiceMade(message_id=spoke.message_id, choice=choice),) if choice is not None else ()
    after = state.after([Entry[Event](seq=state.seq + 1, at=0.0, event=spoke)])
    return (spoke, *made, question(after, spoke.message_id))
