"""Shifts of place or time: how a paragraph begins that takes place somewhere else, or at another time."""

from __future__ import annotations

import re
from functools import cache

from dramaturg.kernel.text.words import lexicon

_NUMBER = (
    "(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|some|several|many|zwei|drei|vier|fünf|einige|"
    "deux|trois|quatre|cinq|quelques|dos|tres|cuatro|unos)"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|"
    r"mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
_DAY = (
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
)
_CLOCK = r"\d{1,2}(?:[:.]\d{2})?\s?(?:a\.?m\.?|p\.?m\.?|uhr|h\b|hrs|hours)"
_DATE = re.compile(rf"\b(?:1\d{{3}}|20\d\d|21\d\d|{_MONTH}|{_DAY})\b|{_CLOCK}|\b(?:noon|midnight|dawn|dusk)\b", re.I)
LONGEST_LINE = 70


@cache
def _shift() -> re.Pattern[str]:
    phrases = (re.escape(" ".join(row)).replace("N", _NUMBER) for row in lexicon("shifts", __package__))
    return re.compile(rf"(?:{'|'.join(sorted(phrases, key=len, reverse=True))})(?![^\W\d_])", re.IGNORECASE)


def shift_in(text: str) -> str:
    """The words with which a paragraph moves the story; empty if it does not."""
    opening = text.lstrip(" \t\u3000*_")[:60]
    found = _shift().match(opening)
    if found is not None:
        return found[0]
    return next((phrase for phrase in _unspaced() if opening.startswith(phrase)), "")


@cache
def _unspaced() -> tuple[str, ...]:
    return tuple(row[0] for row in lexicon("shifts", __package__) if row[0].lower() == row[0].upper())


def dateline_in(text: str) -> str:
    """A line that only says where or when what follows takes place, such as `London, 12 May 1895`."""
    line = text.strip().strip("*_")
    if "\n" in line or len(line) > LONGEST_LINE or len(line.split()) > 10 or line.endswith(("?", "!", "”", '"', ";")):
        return ""
    words = [word for word in re.findall(r"[^\W\d_]+", line) if len(word) > 3]
    if not _DATE.search(line) or any(word.islower() for word in words if word not in ("near", "hours", "later")):
        return ""
    return line.rstrip(".")
