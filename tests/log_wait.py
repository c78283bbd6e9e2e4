"""Waiting for a log, as whoever follows it does."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from dramaturg.kernel.store import Journal


async def wait(journal: Journal, run_id: str, after: int, timeout: float) -> bool:
    """Waits until the log has rows above `after`, and returns True as soon as it has.

    Returns False after `timeout`, or as soon as the run is no longer playing.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + timeout
    while True:
        # Taken before looking: what is written between the look and the wait still wakes it.
        signal = journal.signal(run_id)
        found = await journal.look(run_id, after, 0)
        signal.standing = (found.last, found.status)
        if found.last > after or found.status != "playing" or loop.time() >= until:
            return found.last > after
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await signal.wait()
