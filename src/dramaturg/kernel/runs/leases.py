"""The leases of the runs that a process holds: renewed together, and checked before every question to a model.

A lease is counted by the database's clock, which all processes share. The process that holds it counts its own seconds
from before it asked for the lease, so it never believes in one that others see as over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from dramaturg.kernel.errors import RunFenced, StoreError
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.store.port import LEASE_SECONDS, RunRegistry

LOOK_SECONDS = 0.5
"""How often a process looks whether somebody wants one of its runs stopped."""


def elapsed() -> float:
    """Seconds that also pass while this process, or its machine, sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Leases:
    """The leases of one process. `lost` and `stops` are called with the id of a run that was taken, or is to stop."""

    def __init__(self, runs: RunRegistry, player: Callable[[], str], seconds: float = LEASE_SECONDS) -> None:
        self._runs, self._player = runs, player
        self.seconds = seconds
        self.lost: list[Callable[[str], None]] = []
        self.stops: list[Callable[[str], None]] = []
        self._held: WeakValueDictionary[str, Run[Any]] = WeakValueDictionary()
        self._watching: asyncio.Task[None] | None = None
        self._renewing: asyncio.Task[None] | None = None

    def hold(self, run: Run[Any], since: float) -> None:
        """Keeps the lease of a run that was taken or marked as playing, for as long as somebody has its handle."""
        run.leased_until = since + self.seconds
        self._held[run.id] = run
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch(), name="leases")

    def drop(self, run: Run[Any]) -> None:
        """Lets go of a run that is not played any more."""
        if self._held.get(run.id) is run:
            del self._held[run.id]

    def holds(self, run_id: str) -> bool:
        return run_id in self._held

    def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()

    @contextmanager
    def stoppable(self, run_id: str) -> Iterator[None]:
        """For the time of a block this task holds a run that no engine plays.

        The block ends with RunFenced if somebody wants the run stopped, or has taken it.
        """
        task, stopped = asyncio.current_task(), False

        def stop(asked: str) -> None:
            nonlocal stopped
            if asked == run_id and task is not None and not stopped:
                stopped = True
                task.cancel()

        self.lost.append(stop)
        self.stops.append(stop)
        try:
            yield
        except asyncio.CancelledError:
            if not stopped or task is None or task.uncancel() > 0:
                raise
            raise RunFenced(f"Run {run_id} was stopped from elsewhere in the middle of this.", run=run_id) from None
        finally:
            self.lost.remove(stop)
            self.stops.remove(stop)

    async def check(self, run: Run[Any]) -> None:
        """Raises RunFenced if the run may not be played here any more. Asks the database only without a lease."""
        if self._held.get(run.id) is not run:  # it rests, and what follows a turn may still go on
            with suppress(StoreError):
                await self._check_lost(run, rests=True)
        if self._is_over(run) and self._renewing is not None:
            await asyncio.shield(self._renewing)
        if self._is_over(run):
            await self._renew_together()
        if isinstance(run.failure, RunFenced):
            raise run.failure

    def _is_over(self, run: Run[Any]) -> bool:
        return self._held.get(run.id) is run and elapsed() >= run.leased_until

    async def _renew_together(self) -> None:
        """One renewal for all who find their leases over at the same moment."""
        if self._renewing is None:
            self._renewing = asyncio.create_task(self.renew(), name="renewal")
            self._renewing.add_done_callback(self._renewal_ended)
        await asyncio.shield(self._renewing)

    def _renewal_ended(self, renewal: asyncio.Task[None]) -> None:
        self._renewing = None
        if not renewal.cancelled():
            renewal.exception()  # seen, whether or not anybody still waits for it

    async def renew(self) -> None:
        """Renews all leases in one statement, and finds out which are lost and which runs are to stop."""
        held, began = dict(self._held), elapsed()
        if not held:
            return
        renewed = {one.run_id: one for one in await self._runs.renew(self._player(), held, self.seconds)}
        for run_id, run in held.items():
            lease = renewed.get(run_id)
            if lease is not None and lease.generation == run.record.generation:
                run.leased_until = began + self.seconds
            elif self._held.get(run_id) is run:
                await self._check_lost(run)
        self._stop([one.run_id for one in renewed.values() if one.stop_asked])

    async def look(self) -> None:
        """Stops the runs that somebody wants stopped."""
        held = list(self._held)
        if held:
            self._stop(await self._runs.asked_to_stop(held))

    async def _check_lost(self, run: Run[Any], *, rests: bool = False) -> None:
        record = await self._runs.get(run.id)
        if record is not None and record.generation == run.record.generation:
            return  # it has just been stopped here
        if record is not None and rests and record.player == self._player():
            return  # it is just being taken up again here
        self.drop(run)
        run.fence(RunFenced(f"Run {run.id} was taken over by another process, or deleted; this one stops.", run=run.id))
        for lost in self.lost if not self.holds(run.id) else ():
            lost(run.id)

    def _stop(self, run_ids: list[str]) -> None:
        for run_id in run_ids:
            for stop in self.stops:
                stop(run_id)

    async def _watch(self) -> None:
        renewed = elapsed()
        while self._held:
            await asyncio.sleep(min(LOOK_SECONDS, self.seconds / 3))
            with suppress(StoreError):  # whoever asks a model next is told
                if elapsed() - renewed < self.seconds / 3:
                    await self.look()
                else:
                    began = elapsed()
                    await self.renew()
                    renewed = began


class Leased(ModelWrapper):
    """Asks nothing for a run whose lease is over, be it only over when there is room for the question."""

    def __init__(self, inner: Model, run: Run[Any], leases: Leases) -> None:
        super().__init__(inner)
        self._run, self._leases = run, leases

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return await self.inner.complete(await self._checked(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with open_stream(self.inner, await self._checked(request)) as pieces:
            async for piece in pieces:
                yield piece

    async def _checked(self, request: ModelRequest) -> ModelRequest:
        await self._leases.check(self._run)
        return replace(request, check=lambda: self._leases.check(self._run))
