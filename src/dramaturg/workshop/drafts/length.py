"""How long a scene is, and whether it has the length that was asked for."""

from __future__ import annotations

import re

TOLERANCE = 0.15
"""How far a variant may be from its target, either way."""
SECTION_WORDS = 1200
LONGEST_WHOLE = 1500
"""A longer target is written in sections."""
_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
# Scripts without spaces are counted by characters, as word processors do.
_WORD = re.compile(rf"[{_HAN}]|[^\s{_HAN}]+")


def length_of(text: str) -> int:
    """The words of a text as a writer counts them: between spaces, "don't" is one."""
    return sum(any(char.isalnum() for char in found[0]) for found in _WORD.finditer(text))


def section_count(target: int) -> int:
    """In how many sections a scene of this length is written."""
    return 1 if target <= LONGEST_WHOLE else -(-target // SECTION_WORDS)


def section_target(target: int, written: int, number: int) -> int:
    """How long a section should be, by its number from 1: its share of what is still missing, within reason."""
    sections = section_count(target)
    even = target / sections
    share = (target - written) / (sections - number + 1)
    return round(min(max(share, even * 0.6), even * 1.5))


def misses(words: int, target: int) -> bool:
    """Whether a text is too long or too short."""
    return abs(words - target) > target * TOLERANCE
