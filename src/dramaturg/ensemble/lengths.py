"""The length limits of a line, in sentences and characters. A longer text is cut at the end of a sentence."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from dramaturg.kernel.text.sentences import sentence_ends

ELLIPSIS = "…"
_CLAUSE = re.compile(r"[;:,—–][^;:,—–]*$")
_QUOTATION = re.compile(r"“[^“”]*+”|\"[^\"]*+\"|„[^„“”]*+[“”]|«[^«»]*+»|「[^「」]*+」")


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
    left = _broken_off(text[: ends[0]], limit.characters)
    # A quotation that is broken off is none, so that the sentences in it count.
    return FittedText(left[: _ends(left)[: limit.sentences][-1]].rstrip(), True)


def without_interjection(text: str, limit: Length) -> str:
    """A text without the word it begins with, where that would be all that is left of it: "Hm. I like that"."""
    told = sentences(text)
    if limit.sentences > 1 or len(told) < 2 or len(told[0].split()) > 1:
        return text
    return text.strip()[len(told[0]) :].lstrip()


def _ends(text: str) -> list[int]:
    """Where sentences end. Those of a quotation are part of the sentence around it."""
    quoted = [found.span() for found in _QUOTATION.finditer(text)]
    begins = [first for first, _ in quoted]

    def is_quoted(end: int) -> bool:
        before = bisect_left(begins, end)
        return before > 0 and end < quoted[before - 1][1]

    return [end for end in sentence_ends(text) if not is_quoted(end)]


def _broken_off(sentence: str, most: int) -> str:
    room = sentence[: most - len(ELLIPSIS)]
    clause = _CLAUSE.sub("", room)
    if len(clause) >= most // 2:
        return clause.rstrip(" ,;:—–") + ELLIPSIS
    words = room.rsplit(" ", 1)[0] if " " in room else room
    return words.rstrip(" ,;:—–.!?") + ELLIPSIS
