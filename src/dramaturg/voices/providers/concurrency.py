"""A limit on concurrent requests to one server, and the queue of those that the server refused for its own limit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from dramaturg.kernel.errors import VoiceUnavailable
from dramaturg.voices.providers.voice_faults import is_concurrency_refusal


class ConcurrencyLimit:
    """At most `count` requests at a time.

    A request that the server refuses for its own concurrency limit waits until another of ours has finished: first
    come, first served, one waiting request per finished one.
    """

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)
        self._waiting: deque[asyncio.Future[bool]] = deque()
        self._running = 0

    @property
    def queued(self) -> int:
        """How many requests wait after a refusal."""
        return sum(not turn.done() for turn in self._waiting)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None, None]:
        async with self._free:
            self._running += 1
            refused = False
            try:
                yield
            except VoiceUnavailable as error:
                refused = is_concurrency_refusal(error)
                raise
            finally:
                self._running -= 1
                if not refused:
                    self._wake_one()
                elif not self._running:
                    self._wake_all()

    async def another_finished(self) -> bool:
        """Wait until another of our requests has finished; False as soon as none is running."""
        if not self._running:
            return False
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._wake_one()  # The turn had come, but its owner was cancelled: pass it on.
            raise

    def _wake_one(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(True)
                return

    def _wake_all(self) -> None:
        """Other clients hold the server's capacity: none of our requests is left to wait for."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(False)
