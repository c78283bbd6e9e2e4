"""The tables of a session: updated turn by turn, and rebuilt from the log if they fell behind."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from dramaturg.episodes.events import EpisodeEvent
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.store import EpisodeStore
from dramaturg.episodes.views import SessionRecord, kept_records, message_records, session_record, shift_records
from dramaturg.kernel.runs import Performance

EpisodePerformance = Performance[EpisodeEvent, EpisodeState]


class SessionTables:
    """Writes the content of a session's log to the tables of episodes."""

    def __init__(self, store: EpisodeStore) -> None:
        self._store = store
        self._evaluations: WeakKeyDictionary[EpisodePerformance, int] = WeakKeyDictionary()
        self._remembered: WeakKeyDictionary[EpisodePerformance, tuple[object, ...]] = WeakKeyDictionary()

    async def advance(self, session: EpisodePerformance) -> None:
        """Adds one turn to the tables, or rebuilds them if the counts do not agree."""
        state = session.state
        simple = state.turn and len(state.evaluations) == self._evaluations.get(session)
        messages = message_records(session.id, state, last=_newest(state)) if simple else ()
        counted = await self._store.advance(_record(session), messages) if simple else None
        if counted != state.director.turn_count:
            await self.record(session)

    async def record(self, session: EpisodePerformance) -> None:
        """Rebuild the tables of a session from its log."""
        state = session.state
        self._evaluations[session] = len(state.evaluations)
        messages = message_records(session.id, state)
        await self._store.record(_record(session), state.session.player, messages, state.evaluations)

    async def restore(self, session: EpisodePerformance) -> None:
        """Rebuilds them if the log is ahead and this process has not written them yet."""
        if session in self._evaluations:
            return
        row = await self._store.session(session.id)
        if row is None or row.seq < session.state.seq:
            await self.record(session)

    async def remember(self, session: EpisodePerformance) -> None:
        """Saves memories, hooks and changes in the relationship."""
        kept, shifts = kept_records(session.state), shift_records(session.state)
        if self._remembered.get(session) != (*kept, *shifts):
            await self._store.keep(_record(session), kept, shifts)
            self._remembered[session] = (*kept, *shifts)


def _newest(state: EpisodeState) -> int:
    """How many messages the last turn added: the player's, and the answers to it."""
    answers = 0
    for message in reversed(state.conversation):
        if message.role == "player":
            break
        answers += 1
    return 1 + max(answers, 1)


def _record(session: EpisodePerformance) -> SessionRecord:
    record = session.run.record
    return session_record(session.id, session.state, record.created_at, record.parent_id)
