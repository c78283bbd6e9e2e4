"""Time, as something that is passed in.

`Clock` is the wall; `StillClock` moves only when somebody waits on it or winds it.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

LATEST = 253_370_764_800.0
"""The last year that a calendar has."""


def moment(at: float) -> datetime:
    """A stored time. One from elsewhere that no calendar has is the nearest that one has."""
    return datetime.fromtimestamp(min(max(0.0, at), LATEST), UTC)


class Clock:
    """Seconds since the epoch, and waiting."""

    def now(self) -> float:
        return time.time()

    def date(self) -> datetime:
        return datetime.fromtimestamp(self.now(), UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class StillClock(Clock):
    """A clock for rehearsals and tests: waiting moves it and takes no time."""

    def __init__(self, start: float = 1_759_501_938.0) -> None:
        self._now = start
        self.waits: list[float] = []

    def now(self) -> float:
        return self._now

    def wind(self, seconds: float) -> None:
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)
