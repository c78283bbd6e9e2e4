"""Texts cut to a number of tokens: at a sentence if that keeps most of it, else at a word."""

from __future__ import annotations

import re
from functools import lru_cache

from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.text.escape import escaped

CUT = "…"
_ENOUGH = 0.5
_SENTENCE_END = re.compile(r"[.!?。！？]['\"”’»)]*(?=\s|$)|[。！？]")


@lru_cache(maxsize=4096)
def shortened(text: str, most: int) -> str:
    """The text, or its beginning if it has more tokens than that in an element; `…` says that something was cut."""
    if _weight(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _weight(f"{text[:middle]} {CUT}") <= most else (low, middle - 1)
    start = text[:low]
    ends = [found.end() for found in _SENTENCE_END.finditer(start)]
    if ends and ends[-1] >= _ENOUGH * low:
        return f"{start[: ends[-1]]} {CUT}"
    at = max(start.rfind(" "), start.rfind("\n"))
    return f"{start[:at] if at >= _ENOUGH * low else start}{CUT}"


def ending(text: str, most: int) -> str:
    """The text, or its end if it has more tokens than that; `…` says that something was cut."""
    if _weight(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest end that fits
        middle = (low + high) // 2
        low, high = (low, middle) if _weight(f"{CUT} {text[middle:]}") <= most else (middle + 1, high)
    rest = text[low:]
    starts = [found.end() for found in _SENTENCE_END.finditer(rest)]
    near = next((start for start in starts if start < len(rest) - 1), len(rest))
    if near > (1 - _ENOUGH) * len(rest):
        near = max(0, next((at for at, char in enumerate(rest) if char.isspace()), 0))
        near = near if near <= (1 - _ENOUGH) * len(rest) else 0
    return f"{CUT} {rest[near:].lstrip()}" if rest.strip() else ""


def _weight(text: str) -> int:
    return estimate_tokens(escaped(text))
