"""What turns have used in the last 24 hours, by the hour, and when a limit lets somebody use more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dramaturg.kernel.values import Value

HOUR = 3600.0
DAY_HOURS = 24


class Spent(Value):
    """What some turns have used."""

    tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class SpentDay:
    """What was used in each of the 24 hours that end with the one of `at`, by the clock that numbered them."""

    hours: Mapping[int, Spent]
    at: float

    @property
    def total(self) -> Spent:
        return _sum(self.hours.values())

    def wait(self, tokens: int | None, usd: float | None) -> float:
        """The seconds until less than both limits is used, if nothing more is; 0 if that is so now."""
        if not _reaches(self.total, tokens, usd):
            return 0.0
        for hour in sorted(self.hours):
            later = _sum(spent for other, spent in self.hours.items() if other > hour)
            if not _reaches(later, tokens, usd):
                return (hour + DAY_HOURS) * HOUR - self.at
        return DAY_HOURS * HOUR


def _sum(spent: Iterable[Spent]) -> Spent:
    found = list(spent)
    return Spent(tokens=sum(one.tokens for one in found), usd=sum(one.usd for one in found))


def _reaches(spent: Spent, tokens: int | None, usd: float | None) -> bool:
    return (tokens is not None and spent.tokens >= tokens) or (usd is not None and spent.usd >= usd)
