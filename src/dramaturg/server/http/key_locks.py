"""Requests that must not start the same thing twice wait for each other; all others do not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from fastapi import Request

from dramaturg.cluster.limits import SharedLimits


class KeyLocks:
    """One lock per key, in this process and with all others on the same store."""

    def __init__(self, limits: SharedLimits) -> None:
        self._limits = limits
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def locked(self, key: str) -> AsyncIterator[None]:
        """For the time of a block nobody else has this key, in whatever process."""
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        # Those of this process wait here, in their order: the store is asked by one of them at a time.
        async with lock, self._limits.locked(f"key/{key}"):
            yield


def key_locks_of(request: Request) -> KeyLocks:
    locks = request.app.state.key_locks
    assert isinstance(locks, KeyLocks)
    return locks
