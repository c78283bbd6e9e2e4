"""Sessions that another process holds, followed here by their log.

An answer on its way is logged in pieces at short intervals; read as where it is played, they give the same text at the
same places. So a client may follow a session, and resume, in any process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from weakref import WeakValueDictionary

from dramaturg.episodes.answer_names import names_in
from dramaturg.episodes.answer_stream import ANSWER_READER, AnswerReader
from dramaturg.episodes.events import AnswerAsked, AnswerPieces, EpisodeEvent, EpisodeRun
from dramaturg.episodes.kind import EpisodeKind
from dramaturg.episodes.state import EpisodeState, PendingAnswer
from dramaturg.episodes.views import no_session
from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.models.bounds import readable
from dramaturg.kernel.runs import Entry, ModelAnswered, Performance, RunLibrary


class SessionMirror(Performance[EpisodeEvent, EpisodeState]):
    """One session as its log tells it."""

    def __init__(self, run: EpisodeRun, kind: EpisodeKind) -> None:
        super().__init__(run, kind)
        self.users = 0
        self._heard, self._asked = "", self.state.asked
        self._reader = self._new_reader()
        if self._asked is not None:
            self._feed(self._asked, self._asked.pieces)

    async def feed(self, runs: RunLibrary) -> None:
        """Takes in whatever is written to the log, until the session is gone or cannot be read."""
        try:
            tail = runs.tail(self.id, self.run.seq, "hidden", through_rests=True)
            async with aclosing(tail) as entries:
                async for entry in entries:
                    self.overhear(entry)
            self.fail(no_session(self.id))
        except Exception as error:  # noqa: BLE001 # reason: whatever it is, followers must be told
            self.fail(error)

    def overhear(self, entry: Entry[EpisodeEvent]) -> None:
        super().overhear(entry)
        event, asked = entry.event, self._asked
        if isinstance(event, AnswerAsked):
            self._heard, self._asked = "", self.state.asked
            self._reader = self._new_reader()
        elif asked is not None and isinstance(event, AnswerPieces) and event.message_id == asked.event.message_id:
            self._feed(asked, event.text)
        elif asked is not None and isinstance(event, ModelAnswered) and event.key == asked.event.key:
            whole = event.answer.text
            self._feed(asked, whole[len(self._heard) :] if whole.startswith(self._heard) else "")
            self.hear(asked.seq, "", readable(ANSWER_READER, self._reader.close, key=event.key))
            self._asked = None
        self.run.changes.notify()

    def _new_reader(self) -> AnswerReader:
        """A reader of the answer that was asked for last."""
        return AnswerReader(names_in(self.state.session, self._asked.event.speaker if self._asked is not None else ""))

    def _feed(self, asked: PendingAnswer, piece: str) -> None:
        if piece:
            self._heard += piece
            self.hear(asked.seq, "", readable(ANSWER_READER, lambda: self._reader.feed(piece), key=asked.event.key))


class SessionMirrors:
    """The mirrors of this process: one for each session, while somebody follows it."""

    def __init__(self, runs: RunLibrary, kind: EpisodeKind) -> None:
        self._runs = runs
        self._kind = kind
        self._mirrors: dict[str, SessionMirror] = {}
        self._feeding: dict[SessionMirror, asyncio.Task[None]] = {}
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def open(self, session: str) -> AsyncIterator[SessionMirror]:
        """The mirror of a session for the time of a block."""
        async with self._opening.setdefault(session, asyncio.Lock()):
            mirror = self._mirrors.get(session)
            if mirror is None or mirror.failure is not None:
                run = await self._runs.open_as(self._kind, session)
                mirror = self._mirrors[session] = SessionMirror(run, self._kind)
                self._feeding[mirror] = asyncio.create_task(mirror.feed(self._runs), name=f"mirror of {session}")
        mirror.users += 1
        try:
            yield mirror
        finally:
            mirror.users -= 1
            if not mirror.users:
                if self._mirrors.get(session) is mirror:
                    del self._mirrors[session]
                self._feeding.pop(mirror).cancel()

    def leave(self, session: str) -> None:
        """The session is held by this process from now on; those who follow its mirror are sent there."""
        mirror = self._mirrors.pop(session, None)
        if mirror is not None:
            mirror.fail(RunFenced(f"Session {session} is played here now.", session=session))

    def close(self, reason: Exception) -> None:
        for mirror in self._mirrors.values():
            mirror.fail(reason)
