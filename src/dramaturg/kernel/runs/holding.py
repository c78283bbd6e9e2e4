"""Which process holds a run: taken under a lease, marked, released, and asked to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.runs.holder import Holder
from dramaturg.kernel.runs.leases import LOOK_SECONDS, Leases, elapsed
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.store.port import Row, RunRecord, Status, Store


class HeldRuns:
    """The runs of one store, as far as this process or another holds them."""

    def __init__(self, store: Store, clock: Clock, lease: float) -> None:
        self._store, self._clock = store, clock
        self.holder = Holder.here()
        self.leases = Leases(store.runs, lambda: str(self.holder), lease)

    def holds(self, record: RunRecord) -> bool:
        """Whether this very process holds a run."""
        return record.player == str(self.holder)

    def may_be_held(self, record: RunRecord) -> bool:
        """Whether a run is held by somebody: its lease is not over.

        Where only this machine uses the store, it may know better: a dead process holds nothing, and a live one of a
        version without leases does.
        """
        holder = Holder.read(record.player)
        if holder is None or self._is_dead(record):
            return False
        is_unleased = record.generation == 0 and self._store.database.is_local and holder.is_here
        return is_unleased or record.lease > 0

    def _is_dead(self, record: RunRecord) -> bool:
        holder = Holder.read(record.player)
        return holder is None or (self._store.database.is_local and not holder.may_be_alive())

    def is_held_elsewhere(self, record: RunRecord) -> bool:
        """Whether a run is being played by another process that may be alive."""
        return record.status == "playing" and not self.holds(record) and self.may_be_held(record)

    async def abandoned(self) -> list[RunRecord]:
        """The runs that look as if they were played, and that nobody holds."""
        unheld = await self._store.runs.unheld()
        return [one for one in unheld if not self.may_be_held(one) and not self.leases.holds(one.id)]

    async def _take(self, run: Run[Any], record: RunRecord, rows: Sequence[Row] = ()) -> None:
        since, who, now = elapsed(), str(self.holder), self._clock.now()
        lease, dead = self.leases.seconds, self._is_dead(record)
        run.record = await self._store.runs.adopt(
            record.id, who, now, lease=lease, generation=record.generation, dead=dead, last=run.seq, rows=rows
        )
        self.leases.hold(run, since)

    async def is_current(self, run: Run[Any], record: RunRecord) -> bool:
        """Whether a run that this process had still is what the store has: nobody wrote to it since, or deleted it."""
        intact = run.failure is None and run.damage is None and run.claimed == run.seq
        if not intact or record.id != run.id or record.created_at != run.record.created_at:
            return False
        return not await self._store.journal.read(record.id, run.seq, 1)

    async def readopt(self, run: Run[Any], record: RunRecord) -> bool:
        """Takes a run that rests over again, without reading its log; False if it has to be read."""
        if record.status != "stopped" or not await self.is_current(run, record):
            return False
        await self._take(run, record)
        return True

    async def mark(self, run: Run[Any], status: Status) -> None:
        """Sets the run's status. Raises RunFenced if another process has taken it."""
        since, now, generation = elapsed(), self._clock.now(), run.record.generation
        lease = self.leases.seconds if status == "playing" else 0.0
        await self._store.runs.mark(run.id, status, now, generation=generation, lease=lease)
        run.record = run.record.model_copy(update={"status": status, "updated_at": now})
        if status == "playing":
            self.leases.hold(run, since)
        else:
            self.leases.drop(run)

    async def mark_record(self, record: RunRecord, status: Status) -> None:
        """Sets the status of a run that is not open."""
        await self._store.runs.mark(record.id, status, self._clock.now(), generation=record.generation)

    async def release(self, run: Run[Any]) -> None:
        """Leaves a run that is played to whoever takes it first."""
        self.leases.drop(run)
        await self._store.runs.release(run.id, run.record.generation)

    async def ask_to_stop(self, record: RunRecord) -> None:
        """Asks the process that plays a run to stop it, and waits a moment for it."""
        changed = self._store.journal.signal(record.id)
        await self._store.runs.ask_to_stop(record.id)
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await changed.wait()
