"""What models write below an answer to whoever ordered it: offers to go on or to change it, reports about it.

Only rows at the very end are judged, and only below something else: what somebody says amid an answer stays.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files

LONGEST_ROW, LONGEST_TURN = 400, 60
LONGEST_CLOSING = 4_000
"""The longest row, and the most rows in characters, that are held back."""
_MARKS = " \t*_([#>-—–"
_AROUND = f"{_MARKS})]"
_QUOTES = frozenset('"“”„«»「」『』')
_OPENING = ("asks", "offers", "reports", "turns", "turns_of", "turns_by", "whole")
_UNSPACED = 0x2E80
"""From here on, scripts have no spaces between words."""
_RULE = re.compile(r"[ \t]{0,3}(?:-[ -]{2,80}|\*[ *]{2,80}|_{3,80}|—{1,80})[ \t]{0,3}\n")
_ITEM = re.compile(r"[ \t]{0,4}(?:(?:\d{1,2}|[A-Da-d])[.)]|[-*•] )")
_MAYBE_ITEM = re.compile(r"[ \t]{0,4}(?:\d{1,2}|[A-Da-d]|[-*•])?")
"""What the player might do, below the question what it is."""
_SENTENCE = re.compile(r"[^.!?…。？！]+[.!?…。？！]*")


class ClosingFilter:
    """Takes a text by the character and passes on all but what closes it for whoever ordered it."""

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self._row = self._held = self._before = ""
        self._begins = self._begun = self._spoke = self._quoted = False

    @property
    def holds(self) -> bool:
        return bool(self._row or self._held)

    def hear(self, char: str) -> None:
        if not (self._begins and self._spoke):
            self._tell(char)
            return
        self._row += char
        if char == "\n":
            if self._is_closing() and len(self._held) < LONGEST_CLOSING:
                self._held, self._row, self._begun = self._held + self._row, "", False
            else:
                self._release()
        elif len(self._row) > LONGEST_ROW or not (self._begun or self._may_begin()):
            self._release()

    def end(self) -> None:
        """The text is over: rows that close it are left out."""
        if self._row.strip() and not self._is_closing():
            self._release()
        self._row = self._held = ""
        self._begins = self._begun = False

    def _is_closing(self) -> bool:
        row = self._row
        if self._held and _ITEM.match(row):
            return True
        if not row.strip(_AROUND + "\n"):
            return bool(self._held) or _RULE.fullmatch(row) is not None
        return is_closing(row, alone=bool(self._held) or self._before == "\n\n", quoted=self._quoted)

    def _may_begin(self) -> bool:
        self._begun = _begins_so(self._row) or (bool(self._held) and _ITEM.match(self._row) is not None)
        if self._held and _MAYBE_ITEM.fullmatch(self._row):
            return True
        return self._begun or _plain(self._row.lstrip(_MARKS)) in _beginnings()

    def _release(self) -> None:
        text, self._row, self._held = self._held + self._row, "", ""
        self._begins = self._begun = False
        for char in text:
            self._tell(char)

    def _tell(self, char: str) -> None:
        self._pass_on(char)
        self._before = (self._before + char)[-2:]
        self._spoke = self._spoke or not char.isspace()
        self._quoted = self._quoted or char in _QUOTES
        self._begins = char == "\n"


def without_closings(text: str) -> str:
    """A whole text without the rows that close it for whoever ordered it."""
    if not any(_begins_so(row) for row in text.split("\n")[1:]):
        return text
    kept: list[str] = []
    rows = ClosingFilter(kept.append)
    for char in text:
        rows.hear(char)
    rows.end()
    return "".join(kept)


def _begins_so(row: str) -> bool:
    return _plain(row.lstrip(_MARKS)).startswith(_openers(*_OPENING))


def is_closing(row: str, *, alone: bool, quoted: bool) -> bool:
    """Whether a row is an offer or a report. `alone`, it is a paragraph; `quoted`, what is said stands in quotation
    marks, so that a question outside of them is a narrator's.
    """
    plain = _plain(row.strip(_AROUND + "\n"))
    if not plain or _QUOTES & set(plain):
        return False
    if plain in _phrases("turns") or _asks_for_turn(row.strip(_AROUND + "\n"), plain):
        return quoted
    if not (alone or quoted):
        return False
    if plain in _phrases("whole") or (alone and quoted and plain.startswith(_openers("reports"))):
        return True
    first, *others = _sentences(plain) or [plain]
    return _closes(first) and all(_any_of("works", "goes_on").search(one) is not None for one in others)


def _asks_for_turn(row: str, plain: str) -> bool:
    """`How does Anna respond?`: a name between the words for it, and not `he`."""
    if len(row) > LONGEST_TURN or not row.endswith("?") or not any(word[0].isupper() for word in row.split()[2:]):
        return False
    ends = plain.rstrip(" ?").endswith(tuple(_phrases("turns_end")))
    return plain.startswith(_openers("turns_by")) or (ends and plain.startswith(_openers("turns_of")))


def _sentences(plain: str) -> list[str]:
    return [found[0].strip(_AROUND) for found in _SENTENCE.finditer(plain) if found[0].strip(_AROUND)]


def _closes(sentence: str) -> bool:
    if sentence.startswith(_openers("asks")) and _any_of("goes_on").search(sentence) is not None:
        return True
    return sentence.startswith(_openers("asks", "offers")) and _any_of("works").search(sentence) is not None


def speaks_of_answer(text: str) -> bool:
    """Whether a text has a word about a text that was ordered."""
    return _any_of("works").search(_plain(text[:LONGEST_ROW])) is not None


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").replace("’", "'").casefold().split(" "))


@cache
def _openers(*kinds: str) -> tuple[str, ...]:
    return tuple({_plain(one) for kind in kinds for one in _phrases(kind)})


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(one[:length] for one in _openers(*_OPENING) for length in range(len(one) + 1))


@cache
def _any_of(*kinds: str) -> re.Pattern[str]:
    """A pattern of the words of some kinds; in scripts without spaces they are found anywhere."""
    words = sorted((one for kind in kinds for one in _phrases(kind)), key=len, reverse=True)
    spaced = "|".join(re.escape(one) for one in words if ord(one[0]) < _UNSPACED)
    joined = "|".join(re.escape(one) for one in words if ord(one[0]) >= _UNSPACED)
    return re.compile(rf"\b(?:{spaced})\b|(?:{joined})")


@cache
def _phrases(kind: str) -> frozenset[str]:
    return frozenset(one for row in _table()[kind].values() for one in row)


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((files(__package__) / "closings.toml").read_text(encoding="utf-8"))
