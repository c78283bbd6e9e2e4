"""Story time that can be reckoned with: dates and hours, days of a count, and how long a way takes.

Only what is written as a date (`1871-09-02`, `1871-09-02 14:30`) or as a numbered day (`Day 12`, `Tag 3, 14:30`) has a
distance to another time. Everything else keeps its order, if it has one, and no more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ,]+(\d{1,2}):(\d{2})(?::\d{2})?)?")
_DAY = re.compile(r"(?:day|tag|jour|día|dia|giorno|день|dag)\s*(\d{1,6})(?:[ ,]+(?:at |um )?(\d{1,2}):(\d{2}))?", re.I)
_TAKES = re.compile(
    r"(?:(\d{1,6}(?:[.,]\d{1,3})?)\s*|(an?|one|half an?|eine?|ein|halber|un|une|una)\s+)([^\W\d_]{1,20})", re.I
)
_UNITS = {
    60: ("min", "mins", "minute", "minutes", "minuten", "minuto", "minutos"),
    3600: ("h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "heure", "heures", "hora", "horas"),
    86_400: ("d", "day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días", "dia", "dias"),
    604_800: ("w", "week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas"),
    2_592_000: ("month", "months", "monat", "monate", "monaten", "mois", "mes", "meses"),
}
_SECONDS = {word: seconds for seconds, words in _UNITS.items() for word in words}
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a way takes, and the words that say so."""

    seconds: float
    written: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time on a calendar, from its first to its last second: a day without an hour is the whole day."""

    calendar: str
    first: int
    last: int

    @property
    def is_exact(self) -> bool:
        return self.last - self.first < DAY - 1


@lru_cache(maxsize=8192)
def moment(text: str) -> Moment | None:
    """The moment that a text names; None if it cannot be reckoned with."""
    said = " ".join(text.split())
    found = _DATE.fullmatch(said)
    if found is not None:
        try:
            days = date(int(found[1]), int(found[2]), int(found[3])).toordinal()
        except ValueError:
            return None
        return _on("date", days, found[4], found[5])
    counted = _DAY.fullmatch(said)
    return _on("day", int(counted[1]), counted[2], counted[3]) if counted is not None else None


def _on(calendar: str, days: int, hour: str | None, minute: str | None) -> Moment | None:
    start = days * DAY
    if hour is None or minute is None:
        return Moment(calendar, start, start + DAY - 1)
    if int(hour) > 24 or int(minute) > 59:
        return None
    at = start + int(hour) * 3600 + int(minute) * 60
    return Moment(calendar, at, at + 59)


def duration(text: str, file: str = "") -> Duration | None:
    """How long `3 days` or `half a day` is; None if it is no length of time."""
    said = " ".join(text.split())
    found = _TAKES.match(said)
    if found is None:
        return None
    seconds = _SECONDS.get(found[3].casefold())
    if seconds is None:
        return None
    if found[1] is not None:
        return Duration(float(found[1].replace(",", ".")) * seconds, said, file)
    return Duration(0.5 * seconds if found[2].casefold().startswith("hal") else seconds, said, file)


def in_words(seconds: float) -> str:
    """A length of time for a sentence."""
    if seconds < 3600:
        return f"{round(seconds / 60)} minutes"
    if seconds < 2 * DAY:
        return f"{round(seconds / 3600)} hours"
    return f"{round(seconds / DAY)} days"
