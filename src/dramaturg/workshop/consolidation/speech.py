"""Which parts of a text are somebody's in it: between quotation marks, after a dash that opens a line, or in a block
quotation, as of a letter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from dramaturg.workshop.dialogue.dashes import dashed_spans

_PAIRS = {"“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", '"': '"', "‹": "›"}
_DASHED = re.compile(r"[ \t]*[—–―]\s*(?=\S)")
_BLOCK = re.compile(r" {0,3}>")
_LONGEST = 6000
"""A quotation mark that is not closed within so many characters, or in its paragraph, opens nothing."""


def is_spoken(text: str, start: int, end: int) -> bool:
    """Whether most of a passage is someone's speech."""
    spoken = sum(max(0, min(end, last) - max(start, first)) for first, last in spoken_spans(text))
    return 2 * spoken > end - start


@lru_cache(maxsize=32)
def spoken_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where speech starts and ends, in order."""
    return tuple(_spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        if _BLOCK.match(line):
            yield at, at + len(line)
        elif _DASHED.match(line):
            yield from ((at + start, at + end) for start, end in dashed_spans(line))
        else:
            yield from _quoted(line, at)
        at += len(line)


def _quoted(line: str, offset: int) -> Iterator[tuple[int, int]]:
    opened, closing = -1, ""
    for place, char in enumerate(line):
        if opened >= 0 and char in closing:
            yield offset + opened, offset + place + 1
            opened = -1
        elif opened < 0 and char in _PAIRS and not (char == "»" and place and line[place - 1].isalnum()):
            opened, closing = place, _PAIRS[char]
        elif opened >= 0 and place - opened > _LONGEST:
            opened = -1
