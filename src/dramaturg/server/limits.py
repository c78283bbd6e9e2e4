"""How often somebody may ask: buckets that fill at a steady rate, in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

MOST_KEPT = 20_000
"""Buckets kept; the longest unused are forgotten, and are full when they come back."""


class Buckets:
    """A bucket for each key, with room for `burst`; `rate` a minute comes back."""

    def __init__(self, rate: float, burst: int, now: Callable[[], float]) -> None:
        self._per_second = rate / 60
        self._burst = burst
        self._now = now
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Takes one; 0 if there was one, else the seconds until there is."""
        now = self._now()
        level, at = self._levels.pop(key, (float(self._burst), now))
        level = min(self._burst, level + max(0.0, now - at) * self._per_second)
        granted = level >= 1
        self._levels[key] = (level - 1 if granted else level, now)
        if len(self._levels) > MOST_KEPT:
            self._levels.popitem(last=False)
        return 0.0 if granted else (1 - level) / self._per_second
