"""The sessions that this process holds open."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from typing import TypeVar
from weakref import WeakValueDictionary

from dramaturg.characters.bookshelf import Bookshelf, kept_shelf, shelf_or_problem
from dramaturg.episodes.answer_request import part_of
from dramaturg.episodes.events import EpisodeEvent, EpisodeRun, Suggestion
from dramaturg.episodes.kind import EpisodeKind
from dramaturg.episodes.mirror import SessionMirror, SessionMirrors
from dramaturg.episodes.open_session import OpenSession, SessionDeps
from dramaturg.episodes.play import SessionModels
from dramaturg.episodes.players import Players
from dramaturg.episodes.session_speech import SpeechDeps
from dramaturg.episodes.session_stream import session_stream
from dramaturg.episodes.session_tables import SessionTables
from dramaturg.episodes.state import EpisodeState, episode_state
from dramaturg.episodes.store import EpisodeStore
from dramaturg.episodes.views import SessionRecord, no_session
from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.errors import NotFound, RunFenced, StoreError, StoreUnavailable
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs import Entry, Mark, Performance, Resources
from dramaturg.kernel.runs.cancellation import cancel_run
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.store.notices import Signal
from dramaturg.voices.lazy_booth import LazyBooth

Suggest = Callable[[EpisodeState], Awaitable[Suggestion | None]]
MOST_TRIES = 4
"""How often an operation is tried while other processes write to its session."""
_T = TypeVar("_T")


class OpenSessions:
    """The open sessions, most recently used last; if there are too many, those idle longest are closed."""

    def __init__(
        self, resources: Resources, store: EpisodeStore, suggest: Suggest, players: Players, booth: LazyBooth
    ) -> None:
        self._resources, self._store = resources, store
        self._suggest = suggest
        self._players = players
        self._opened: OrderedDict[str, OpenSession] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        speech = SpeechDeps(booth, resources.artifacts, resources.settings.voices)
        tables, held = SessionTables(store), players.held_back
        self._deps = SessionDeps(resources.engine, resources.settings, tables, self._models, speech, held)
        self.kind = EpisodeKind(self._keep)
        self._mirrors = SessionMirrors(resources.runs, self.kind)

    def get(self, session: str) -> OpenSession | None:
        """A session that is open here and intact."""
        opened = self._opened.get(session)
        return opened if opened is not None and opened.broken is None else None

    async def hold(self, session: str) -> OpenSession:
        """A session, open in this process. Raises NotFound; RunFenced while another process plays a turn of it."""
        lock = self._locks.get(session)
        if lock is None:
            lock = self._locks[session] = asyncio.Lock()
        async with lock:
            return await self._hold(session)

    async def stream(self, session: str, after: Mark, turn: str | None = None) -> AsyncGenerator[StreamEvent, None]:
        """What the player sees of a session after a mark, then whatever comes, through whatever processes it goes.

        With `turn`, the id of a message that waits there, nothing of the turns that it waits for.
        Raises StoreUnavailable if the database lost entries meanwhile: what was to come may never come.
        """
        shown = 0
        while True:
            try:
                async with self.followed(session) as source:
                    after = _still_there(source, after, shown)
                    async with aclosing(session_stream(source, after, turn)) as events:
                        async for event in events:
                            after = Mark.read(event.id)
                            yield event
            except RunFenced:  # another process holds it now, or this one does: it goes on there
                shown = after.seq

    @asynccontextmanager
    async def followed(self, session: str) -> AsyncIterator[OpenSession | SessionMirror]:
        """A session to follow: as it is open here, or the mirror of what another process plays.

        It breaks with RunFenced when the session goes from one process to another. Nobody takes a session from a
        process that may be alive only to follow it.
        """
        runs = self._resources.runs
        signal = runs.signal(session)  # taken before it is known who holds the session
        record = await self.record(session)
        opened = self.get(session) if runs.holds(record) else None
        if opened is None and (runs.holds(record) or not runs.may_be_held(record)):
            with suppress(RunFenced):
                opened = await self.hold(session)
        if opened is None:
            async with self._mirrors.open(session) as mirror:
                yield mirror
            return
        watching = asyncio.create_task(self._watch(opened, signal), name=f"holder of {session}")
        try:
            yield opened
        finally:
            watching.cancel()
            await asyncio.wait([watching])  # or a server that stops would leave it behind

    async def _watch(self, opened: OpenSession, signal: Signal) -> None:
        """Breaks a session whose log has entries that this process did not write, and one that another has deleted."""
        runs = self._resources.runs
        while opened.failure is None:
            await signal.wait()
            seq, signal = signal.seq, runs.signal(opened.id)
            if seq > opened.run.claimed or isinstance(opened.run.failure, RunFenced):
                opened.fail(RunFenced(f"Session {opened.id} is played by another process.", session=opened.id))
            elif not seq:
                with suppress(StoreError):  # the next change asks again
                    if await runs.known(opened.id) is None and opened.failure is None:
                        opened.fail(no_session(opened.id))

    async def act(self, session: str, act: Callable[[OpenSession], Awaitable[_T]]) -> _T:
        """Runs an operation on a session, and repeats it if another process wrote to the session in between."""
        for _ in range(MOST_TRIES - 1):
            opened: OpenSession | None = None
            try:
                opened = await self.hold(session)
                return await act(opened)
            except RunFenced as taken:
                if opened is not None and self._opened.get(session) is opened:
                    del self._opened[session]
                    await opened.close(taken)  # those who follow it are told, and go on where it is played
        return await act(await self.hold(session))

    async def record(self, session: str) -> RunRecord:
        """The record of a session, by its full id. Raises NotFound."""
        record = await self._resources.runs.known(session)
        if record is None or self._resources.runs.kind_of(record) is not self.kind:
            raise no_session(session)
        return record

    async def recorded(self, session: str) -> SessionRecord | None:
        """What the tables know of a session, by its whole id; None if there is none.

        Where whoever opened it came no further than its log, the tables are written from that.
        """
        record = await self._store.session(session)
        if record is None and await self._resources.runs.known(session) is not None:
            opened = await self.hold(session)
            await self._store.know((opened.state.session.template,), (), self._resources.clock.now())
            await opened.tables.record(opened)
            record = await self._store.session(session)
        return record

    async def state(self, session: str) -> EpisodeState:
        """The state of a session as the log has it, open here or not. Nobody's turn is taken over for that."""
        opened = await self._current(session)
        if opened is not None:
            return opened.state
        return episode_state((await self._resources.runs.open(session)).entries)

    async def entries(self, session: str) -> Sequence[Entry[EpisodeEvent]]:
        """Likewise the log of a session."""
        opened = await self._current(session)
        return opened.run.entries if opened is not None else (await self._resources.runs.open(session)).entries

    async def _current(self, session: str) -> OpenSession | None:
        """A session that is open here, unless another process has gone on with it. Raises NotFound."""
        record = await self.record(session)
        return self.get(session) if self._resources.runs.holds(record) else None

    async def wait_for_reviews(self, player: str) -> None:
        """Waits, but not long, until what a player did elsewhere is remembered."""
        theirs = [one for one in self._opened.values() if one.state.session.player.id == player]
        await asyncio.gather(*(one.wait_for_review() for one in theirs))

    async def drop(self, session: str) -> None:
        """Closes a session that is about to be deleted, whichever process plays a turn of it."""
        await self.record(session)
        opened = self._opened.pop(session, None)
        if opened is not None:
            await opened.close(NotFound(f"Session {session} was deleted.", session=session))
        await cancel_run(self._resources.runs, self._resources.engine, session)
        self._opened.pop(session, None)

    async def close(self) -> None:
        """Stops every turn; the logs say where to continue."""
        reason = StoreUnavailable("The studio has shut down. The session continues when it reopens.")
        self._mirrors.close(reason)
        for opened in list(self._opened.values()):
            await opened.close(reason)
        self._opened.clear()

    async def _hold(self, session: str) -> OpenSession:
        record = await self.record(session)
        opened = self._opened.get(session)
        if opened is not None and opened.broken is None and self._resources.runs.holds(record):
            self._opened.move_to_end(session)
            return opened
        if opened is not None:
            taken = RunFenced(f"Session {session} was taken over by another process.", session=session)
            await opened.close(opened.broken or taken)
            self._opened.pop(session, None)
        await self._adopt(session)
        opened = self._opened[session]
        await opened.tables.restore(opened)
        opened.kick()
        opened.speech.go_on()
        if not opened.busy:
            await self._resources.runs.mark(opened.run, "stopped")
        return opened

    async def _adopt(self, session: str) -> None:
        try:
            await self._resources.engine.adopt(session)
        except StoreUnavailable as error:
            damage = (await self._resources.runs.open(session)).damage
            if damage is None:
                raise
            raise StoreUnavailable(
                f"Session {session} cannot go on: entry {damage.seq} of its log cannot be read ({damage.what}). "
                "Branch from a message before it into a new session, to play on from there.",
                session=session,
                seq=damage.seq,
            ) from error

    def _keep(self, run: EpisodeRun, kind: EpisodeKind) -> OpenSession:
        opened = self._opened[run.id] = OpenSession(run, kind, self._deps)
        self._mirrors.leave(run.id)
        most = self._resources.settings.episodes.open_sessions
        if len(self._opened) > most:
            idle = [name for name, one in self._opened.items() if one.at_rest and one is not opened]
            for name in idle[: len(self._opened) - most]:
                del self._opened[name]
        return opened

    def _shelf(self, state: EpisodeState) -> Bookshelf:
        project, character = self._resources.settings.project, state.session.character
        if state.original is not None:
            return kept_shelf(project, character, state.original)
        return shelf_or_problem(project, character)

    def _models(self, performance: Performance[EpisodeEvent, EpisodeState]) -> SessionModels:
        settings, state = self._resources.settings, performance.state
        player = state.session.player.id

        async def spend(answer: ModelAnswer) -> None:
            await self._players.spend(performance.id, player, answer)

        models = self._resources.models(performance, spend)
        director = models(state.session.director, "director")

        def played(view: EpisodeState) -> SessionModels:
            model = models(view.session.model, view.session.character)
            return SessionModels(
                model=model,
                director=director,
                sheet=part_of(view, model, settings),
                settings=settings,
                suggest=self._suggest,
                shelf=self._shelf(view),
            )

        members = {one.character: played(state.heard_by(one.character)) for one in state.cast}
        return replace(members[state.session.character] if members else played(state), members=members)


def _still_there(source: OpenSession | SessionMirror, after: Mark, shown: int) -> Mark:
    """The mark, or the end of a log that does not reach it. Raises StoreUnavailable if it did when it was `shown`.

    A database that fails over to a standby, or does not wait for its disk, may come back without its last entries.
    """
    if isinstance(source, SessionMirror) or after.seq <= source.run.seq:  # a mirror may only be late
        return after
    if source.run.seq < shown:
        raise StoreUnavailable(
            f"The database lost the last entries of session {source.id}. Send the message again.", session=source.id
        )
    return Mark(source.run.seq)
