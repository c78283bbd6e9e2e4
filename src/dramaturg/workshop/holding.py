"""Holding a book: one process writes its conversation at a time, and one command after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.store import RunRecord
from dramaturg.workshop.events import BookOpened
from dramaturg.workshop.kind import ForemanKind
from dramaturg.workshop.state import ForemanState, foreman_state
from dramaturg.workshop.turn_context import FOREMAN, ForemanPerformance


class BookHold:
    """The conversation of a book in this process: who writes it, and whether one of its turns is being played."""

    def __init__(
        self,
        resources: Resources,
        kind: ForemanKind,
        mend: Callable[[ForemanPerformance], Awaitable[None]],
    ) -> None:
        """`mend` puts right what a process that died in a command of the writer's left behind."""
        self._resources, self._kind, self._mend = resources, kind, mend
        self._book = resources.settings.workshop.book
        self._performance: ForemanPerformance | None = None
        self.intake = asyncio.Lock()

    @property
    def run_id(self) -> str:
        return id_for(FOREMAN, self._book)

    @property
    def working(self) -> ForemanPerformance | None:
        """The conversation while one of its turns is played here."""
        return self._performance if self._resources.engine.is_playing(self.run_id) else None

    @property
    def _intact(self) -> ForemanPerformance | None:
        """The conversation as this process last had it, if nothing broke it: a book is not read anew for every turn."""
        held = self._performance
        return held if held is not None and held.failure is None else None

    async def take(self) -> ForemanPerformance:
        """Takes the conversation for this process. Raises RunFenced while another process works on it."""
        if self.working is not None and self.working.state.open_turns:
            return self.working
        await self.settled()  # it may be in the middle of being released; other processes may have written since
        runs, record = self._resources.runs, await self.record()
        if record is None:
            opening = (BookOpened(book=self._book),)
            run = await runs.create(self._kind, self._book, run_id=self.run_id, opening=opening)
            self._performance = self._kind.perform(run)
            return self._performance
        held = self._intact
        if held is not None and await runs.readopt(held.run, record):
            held.live = None
            return held
        self._performance = await self._resources.engine.adopt(record.id)
        return self._performance

    def play(self, performance: ForemanPerformance) -> None:
        """Starts answering open messages, unless that is already under way."""
        if self.working is None:
            self._resources.engine.start(performance)

    async def release(self, performance: ForemanPerformance) -> None:
        await performance.run.flush()
        await self._resources.runs.mark(performance.run, "stopped")

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[ForemanPerformance]:
        """Holds the book exclusively for the duration of a block. Raises RunFenced if it is stopped from elsewhere."""
        async with self.intake:
            await self.settled()
            performance = await self.take()
            try:
                await self._mend(performance)
                with self._resources.runs.leases.stoppable(self.run_id):
                    yield performance
            finally:
                await self.release(performance)

    async def settled(self) -> None:
        """Returns when no turn is being worked on, and the book is free for the next command."""
        await self._resources.engine.settled(self.run_id)

    async def close(self) -> None:
        """Stops the current turn; the log says where to continue."""
        if self._performance is not None:
            self._performance.fail(
                StoreUnavailable("The studio has shut down. Your message is saved and is answered when it reopens.")
            )
        await self._resources.engine.cancel(self.run_id)

    async def record(self) -> RunRecord | None:
        return await self._resources.runs.known(self.run_id)

    async def state(self) -> ForemanState:
        """Everything said and done, as the log has it now, whichever process is writing."""
        if self.working is not None:
            return self.working.state
        record = await self.record()
        if record is None:
            return ForemanState()
        held = self._intact
        if held is not None and await self._resources.runs.is_current(held.run, record):
            return held.state
        return foreman_state((await self._resources.runs.open(self.run_id)).entries)
