"""Distances in story time: how many days or years lie between two times, where that can be told."""

from __future__ import annotations

import re
from datetime import date

from dramaturg.workshop.graph.story_time import StoryPoint, compared, story_point
from dramaturg.workshop.graph.values import Fact

EARLIER = "earlier"
"""The story time of what a text tells of the past without saying when."""
_CLOCK = re.compile(r"\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2} ?(?:a\.?m\.?|p\.?m\.?|uhr|o['’]?clock)(?![^\W\d_])", re.I)
_DAYS = frozenset("day days tag tage jour jours día dia días dias giorno giorni день дня дней sol sols".split())
_YEARS = frozenset("year years jahr jahre an ans année années año años anno anni год года лет cycle".split())
_PERIOD = re.compile(r"(\d{1,6})(?:[.,](\d))?\s*([^\W\d_]+)")
_UNITS = {
    **dict.fromkeys("hour hours h stunde stunden heure heures hora horas ora ore час часа часов".split(), 1 / 24),
    **dict.fromkeys(_DAYS, 1.0),
    **dict.fromkeys("week weeks woche wochen semaine semaines semana semanas settimana неделя недели".split(), 7.0),
    **dict.fromkeys("month months monat monate mois mes meses mese mesi месяц месяца".split(), 30.0),
    **dict.fromkeys(_YEARS - {"cycle"}, 365.0),
}


def days_in(text: str) -> float | None:
    """The length of a period in days: `3 days`, `zwei` is not read, `12 hours` is half a day."""
    found = _PERIOD.search(text.casefold())
    if found is None or found[3] not in _UNITS:
        return None
    return float(f"{found[1]}.{found[2] or 0}") * _UNITS[found[3]]


def days_between(one: str, other: str) -> float | None:
    """The days between two times that are known to the day, never negative; None if nobody can tell."""
    first, second = story_point(one), story_point(other)
    if first is None or second is None or first.calendar != second.calendar:
        return None
    if not first.calendar:
        mine, theirs = _date(first), _date(second)
        return None if mine is None or theirs is None else float(abs((mine - theirs).days))
    same_unit = first.numbers[:-1] == second.numbers[:-1] and len(first.numbers) == len(second.numbers)
    if same_unit and first.calendar.rsplit(" ", 1)[-1] in _DAYS:
        return float(abs(first.numbers[-1] - second.numbers[-1]))
    return None


def years_between(one: str, other: str) -> int | None:
    """The years from the first time to the second by the numbers of their years; None if nobody can tell."""
    first, second = story_point(one), story_point(other)
    if first is None or second is None or first.calendar != second.calendar:
        return None
    is_year = not first.calendar or first.calendar.split(" ", 1)[0] in _YEARS or len(first.numbers) >= 3
    if not first.calendar and (len(str(abs(first.numbers[0]))) < 3 or len(str(abs(second.numbers[0]))) < 3):
        return None  # a plain number that orders scenes is no year
    return second.numbers[0] - first.numbers[0] if is_year else None


def is_instant(time: str) -> bool:
    """Whether a time is told to the hour."""
    return _CLOCK.search(time) is not None


def same_instant(one: str, other: str) -> bool:
    """Whether two times are one moment, told to the hour."""
    if not is_instant(one) or not is_instant(other):
        return False
    first, second = story_point(one), story_point(other)
    return first is not None and first == second


def order(one: Fact, other: Fact, positions: dict[str, int]) -> int | None:
    """Which of two facts comes first in the story: by story time, else in reading order if neither has a time.

    None if nobody can tell: one has a time and the other has not, or their times are of different calendars.
    """
    if one.time_from or other.time_from:
        return compared(one.time_from, other.time_from) if one.time_from and other.time_from else None
    first, second = positions.get(one.file, -1), positions.get(other.file, -1)
    if first < 0 or second < 0:
        return None
    return (first > second) - (first < second)


def _date(point: StoryPoint) -> date | None:
    if len(point.numbers) < 3:
        return None
    try:
        return date(*point.numbers[:3])
    except (ValueError, OverflowError):
        return None
