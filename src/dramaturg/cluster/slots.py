"""A limit over all workers: each place is an advisory lock of the database, free again when its holder dies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from dramaturg.cluster.queue import RETRY_SECONDS, psycopg_url
from dramaturg.kernel.settings import Settings

LOCKS = 0x64726D74
"""The first half of the locks' numbers; the second is the place."""
LOOK_SECONDS = 5.0
_LOG = logging.getLogger(__name__)


class BatchSlots:
    """So many places for all processes together; a process holds those that it may use until it ends."""

    def __init__(self, settings: Settings, limit: int) -> None:
        self._url, self._limit = psycopg_url(settings), limit

    async def work(self, start: Callable[[int], Awaitable[None]], most: int) -> None:
        """Starts work for as many places as are free, up to `most`; looks for further ones now and then."""
        import psycopg

        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True, connect_timeout=10)
                async with connection, asyncio.TaskGroup() as group:
                    held: set[int] = set()
                    while True:
                        taken = await self._take(connection, held, most - len(held))
                        if taken:
                            held |= taken
                            group.create_task(_awaited(start, len(taken)))
                        await asyncio.sleep(LOOK_SECONDS)
                        await connection.execute("SELECT 1")  # the places are ours while it answers
            except* (psycopg.Error, OSError) as lost:
                _LOG.warning("The places for batches are lost and asked for again: %s", lost.exceptions[0])
            await asyncio.sleep(RETRY_SECONDS)

    async def _take(self, connection: object, held: set[int], most: int) -> set[int]:
        taken: set[int] = set()
        for place in range(self._limit):
            if len(taken) >= most:
                break
            if place not in held and await _lock(connection, place):
                taken.add(place)
        return taken


async def _lock(connection: object, place: int) -> bool:
    found = await connection.execute("SELECT pg_try_advisory_lock(%s, %s)", (LOCKS, place))  # type: ignore[attr-defined]
    row = await found.fetchone()
    return bool(row and row[0])


async def _awaited(start: Callable[[int], Awaitable[None]], count: int) -> None:
    await start(count)
