"""Figures with their error bands, at 95 percent: how far the text's writer may really be from the figure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dramaturg.kernel.values import WireValue

_Z = 1.96


class Band(WireValue):
    """A figure and its band. The wider, the less it says."""

    value: float
    low: float
    high: float

    def overlaps(self, other: Band) -> bool:
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        return f"{self.value:g} ({self.low:g} to {self.high:g})"


def mean_band(values: Sequence[float]) -> Band | None:
    """The mean of independent values; None for fewer than two."""
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return _band(mean, _Z * spread / math.sqrt(len(values)))


def rate_band(count: int, words: int) -> Band | None:
    """Something counted, per 1,000 words, by Byar's approximation to Poisson limits; None if there are no words."""
    if words < 1:
        return None
    low = count * (1 - 1 / (9 * count) - _Z / (3 * math.sqrt(count))) ** 3 if count else 0.0
    more = count + 1
    high = more * (1 - 1 / (9 * more) + _Z / (3 * math.sqrt(more))) ** 3
    return Band(
        value=round(count * 1000 / words, 2),
        low=round(max(0.0, low) * 1000 / words, 2),
        high=round(high * 1000 / words, 2),
    )


def share_band(parts: Sequence[tuple[int, int]]) -> Band | None:
    """A share, from clusters of (inside, all): words of one paragraph are not independent. None for fewer than two."""
    total = sum(whole for _, whole in parts)
    if len(parts) < 2 or not total:
        return None
    share = sum(inside for inside, _ in parts) / total
    squares = sum((inside - share * whole) ** 2 for inside, whole in parts)
    error = math.sqrt(squares * len(parts) / (len(parts) - 1)) / total
    band = _band(share, _Z * error)
    return Band(value=band.value, low=max(0.0, band.low), high=min(1.0, band.high))


def _band(value: float, reach: float) -> Band:
    return Band(value=round(value, 3), low=round(value - reach, 3), high=round(value + reach, 3))
