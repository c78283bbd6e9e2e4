"""The length limits of a line, in sentences and characters. A longer text is cut at the end of a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

ELLIPSIS = "…"
_ENDS = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*")
_WIDE = frozenset("。！？")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs etc e.g i.e cf approx inc ltd dept z.b u.a d.h usw bzw ca hr fr sog evtl".split()
)
_BEFORE_A_NUMBER = frozenset("no nr fig vol pp art".split())
_CLAUSE = re.compile(r"[;:,—–][^;:,—–]*$")


@dataclass(frozen=True, slots=True)
class Length:
    """A limit: sentences and characters."""

    sentences: int
    characters: int


LENGTHS: Mapping[int, Length] = {1: Length(3, 400), 2: Length(1, 200), 3: Length(2, 400)}
"""The limit of each turn."""


@dataclass(frozen=True, slots=True)
class FittedText:
    """A text within its limit, and whether it was shortened."""

    text: str
    shortened: bool


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order; together they are the text, but for the spaces between them."""
    ends = _ends(text)
    return tuple(text[start:end].strip() for start, end in pairwise((0, *ends)))


def fit_text(text: str, limit: Length) -> FittedText:
    """The text, or as many of its first sentences as the limit allows.

    One sentence that is too long by itself ends at a clause or a word, with an ellipsis.
    """
    text = " ".join(text.split())
    ends = _ends(text)
    if len(ends) <= limit.sentences and len(text) <= limit.characters:
        return FittedText(text, False)
    fitting = [end for end in ends[: limit.sentences] if len(text[:end].rstrip()) <= limit.characters]
    if fitting:
        return FittedText(text[: fitting[-1]].rstrip(), True)
    return FittedText(_broken_off(text[: ends[0]], limit.characters), True)


def _ends(text: str) -> list[int]:
    """Where each sentence ends; the last one where the text does."""
    found: list[int] = []
    start = 0
    for mark in _ENDS.finditer(text):
        if _ends_a_sentence(text, start, mark):
            found.append(mark.end())
            start = mark.end()
    return [*found, len(text)] if text[start:].strip() else found


def _ends_a_sentence(text: str, start: int, mark: re.Match[str]) -> bool:
    after = text[mark.end() :]
    if mark[0][0] in _WIDE or not after.strip():
        return True
    if not after[0].isspace():
        return False  # 3.5, example.org, "What?"—
    following = after.lstrip()[0]
    if mark[0].startswith((".", "…")):
        if following.islower():
            return False
        word = re.split(r"\s", text[start : mark.start()])[-1].lstrip("(\"'“‘").casefold()
        if mark[0] == "." and _shortens(word, following):
            return False
    # A question or exclamation inside quotation marks may continue: "Who?" he asks.
    return not (following.islower() and len(mark[0]) > 1)


def _shortens(word: str, following: str) -> bool:
    """Whether the full stop belongs to a word, not to a sentence."""
    if word in _BEFORE_A_NUMBER:
        return following.isdigit()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")


def _broken_off(sentence: str, most: int) -> str:
    room = sentence[: most - len(ELLIPSIS)]
    clause = _CLAUSE.sub("", room)
    if len(clause) >= most // 2:
        return clause.rstrip(" ,;:—–") + ELLIPSIS
    words = room.rsplit(" ", 1)[0] if " " in room else room
    return words.rstrip(" ,;:—–.!?") + ELLIPSIS
