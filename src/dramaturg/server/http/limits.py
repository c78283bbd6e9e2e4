"""Rate limits: token buckets, in memory or shared with other processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

MOST_KEPT = 20_000
"""Buckets kept in memory. The least recently used are dropped; a dropped bucket starts full when its key returns."""


class Limiter(Protocol):
    """One bucket per key."""

    async def take(self, key: str) -> float:
        """Takes one request from the bucket. Returns 0 on success, else the number of seconds to wait."""
        ...


class RateLimiter:
    """One bucket per key: it holds `burst` requests and refills at `rate` per minute."""

    def __init__(self, rate: float, burst: int, now: Callable[[], float]) -> None:
        self._per_second = rate / 60
        self._burst = burst
        self._now = now
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Takes one request from the bucket. Returns 0 on success, else the number of seconds to wait."""
        now = self._now()
        level, at = self._levels.pop(key, (float(self._burst), now))
        level = min(self._burst, level + max(0.0, now - at) * self._per_second)
        granted = level >= 1
        self._levels[key] = (level - 1 if granted else level, now)
        if len(self._levels) > MOST_KEPT:
            self._levels.popitem(last=False)
        return 0.0 if granted else (1 - level) / self._per_second


class LocalLimiter:
    """A `Limiter` for one process."""

    def __init__(self, buckets: RateLimiter) -> None:
        self._buckets = buckets

    async def take(self, key: str) -> float:
        return self._buckets.take(key)
