"""A process's part of shared limits: spent here without asking, drawn anew every few seconds."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from dramaturg.cluster.shares.store import LEASE_SECONDS, Bucket, ShareStore
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import StoreError

CHUNK_SECONDS = 3.0
"""A process draws what this many seconds refill, and keeps what it has not used no longer."""
MOST_KEPT = 20_000
SWEEP_EVERY = 500
"""How many new keys there are between two sweeps of those that are no longer used."""
LOOK_SECONDS = 0.25
"""How often a process that waits for a place asks for one."""
IDLE_SECONDS = 0.15
"""How long a process keeps its places when it uses none of them."""
SPARE_SECONDS = 1.0
"""How often a process that has more places than it uses asks whether others want them."""


class Allowance:
    """One bucket as this process uses it."""

    def __init__(self, store: ShareStore, clock: Clock, bucket: Bucket) -> None:
        self._store = store
        self._clock = clock
        self._bucket = bucket
        self._left = 0.0
        self._until = 0.0
        self._drawing = asyncio.Lock()

    async def take(self, units: float = 1.0) -> float:
        """Takes units; returns 0 on success, else the number of seconds to wait. More than fits is never refused."""
        units = min(units, self._bucket.size)
        if self._has(units):
            return 0.0
        async with self._drawing:
            if self._has(units):  # somebody else has drawn meanwhile
                return 0.0
            now = self._clock.now()
            left = self._left if now < self._until else min(0.0, self._left)  # what is owed does not lapse
            wanted, least = max(units, math.ceil(self._bucket.rate * CHUNK_SECONDS)) - left, units - left
            drawn = await self._store.draw(
                self._bucket, wanted, least=min(least, self._bucket.size), returned=self._left - left
            )
            self._left, self._until = left + drawn.units, now + CHUNK_SECONDS
            return 0.0 if self._has(units) else drawn.wait or (units - self._left) / self._bucket.rate

    def owe(self, units: float) -> None:
        """Counts what was used beyond what was taken; it is drawn with the next request."""
        self._left -= units

    def _has(self, units: float) -> bool:
        if self._left < units or self._clock.now() >= self._until:
            return False
        self._left -= units
        return True


class Allowances:
    """A bucket for each key, such as a player or an address: the least recently used are dropped here."""

    def __init__(self, store: ShareStore, clock: Clock, kind: str, per_minute: float, burst: float) -> None:
        self._store, self._clock = store, clock
        self._kind, self._rate, self._burst = kind, per_minute / 60, burst
        self._kept: OrderedDict[str, Allowance] = OrderedDict()
        self._new = 0

    async def take(self, key: str) -> float:
        """Takes one request; returns 0 on success, else the number of seconds to wait."""
        allowance = self._kept.get(key)
        if allowance is None:
            bucket = Bucket(f"{self._kind}/{key}", self._rate, self._burst)
            allowance = self._kept[key] = Allowance(self._store, self._clock, bucket)
            self._new += 1
            if self._new % SWEEP_EVERY == 0:
                await self._store.sweep()
        self._kept.move_to_end(key)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return await allowance.take()


class Places:
    """The requests at once that this process may send to somebody, leased while there are any."""

    def __init__(self, store: ShareStore, name: str, holder: str, total: int) -> None:
        self._store = store
        self._name, self._holder, self._total = name, holder, total
        self._granted = self._in_use = self._waiting = self._taken = 0
        self._until = 0.0
        self._claiming = asyncio.Lock()
        self._freed = asyncio.Event()
        self._renewing: asyncio.Task[None] | None = None
        self.paused = 0.0
        """Seconds that the owner asked for when places were last claimed."""

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A place for the time of a block."""
        self._waiting += 1
        try:
            while not self._is_free():
                await self._wait()
            self._in_use += 1
            self._taken += 1
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._in_use -= 1
            self._freed.set()

    async def renew(self) -> None:
        """Claims what is used and waited for."""
        async with self._claiming:
            sent = asyncio.get_running_loop().time()
            wanted = min(self._total, max(1, 2 * (self._in_use + self._waiting)))  # more than now, to ask less often
            granted = await self._store.claim(self._name, self._holder, self._total, wanted, self._in_use)
            self._granted, self._until, self.paused = granted.places, sent + LEASE_SECONDS, granted.paused

    async def close(self) -> None:
        """Gives the places back."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait([self._renewing])
        if self._granted:
            self._granted = 0
            with suppress(StoreError):
                await self._store.release(self._name, self._holder)

    def _is_free(self) -> bool:
        return self._in_use < self._granted and self._is_leased()

    def _is_leased(self) -> bool:
        return asyncio.get_running_loop().time() < self._until

    async def _wait(self) -> None:
        self._freed.clear()
        if not self._claiming.locked():
            try:
                await self.renew()
            except StoreError:  # what was leased can be used without the store until the lease is over
                if not self._is_leased():
                    raise
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._keep(), name=f"places of {self._name}")
        if not self._is_free():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._freed.wait()

    async def _keep(self) -> None:
        """Renews the lease while there are requests, and gives it back soon after them: others may wait for it."""
        now, asked = asyncio.get_running_loop().time, 0.0
        while await self._is_used():
            asked = max(asked, self._until - LEASE_SECONDS)
            spare = self._granted > self._in_use + self._waiting
            if now() >= asked + (SPARE_SECONDS if spare else LEASE_SECONDS / 3):
                asked = now()
                with suppress(StoreError):  # the lease is over then, and claimed again before the next request
                    await self.renew()
        self._renewing = None
        async with self._claiming:
            self._granted = 0
            with suppress(StoreError):
                await self._store.release(self._name, self._holder)
        self._freed.set()

    async def _is_used(self) -> bool:
        """Whether there are requests, or were any for a moment."""
        taken = self._taken
        await asyncio.sleep(IDLE_SECONDS)
        return bool(self._in_use or self._waiting) or self._taken > taken
