"""What was changed between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from dramaturg.workshop.manuscripts.styled import PARAGRAPH, Styled

_TOKEN = re.compile(r"\w+|\s|[^\w\s]")
MOST_WORK = 4_000_000
"""How many pairs of words are compared at most; beyond, a change is told as one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Characters of the old text, and those of the new one in their place."""

    start: int
    end: int
    new_start: int
    new_end: int


def differences(old: Styled, new: Styled) -> tuple[Difference, ...]:
    """The changes from one text to another, in order: first by paragraphs, then by words inside changed ones."""
    if old == new:
        return ()
    found: list[Difference] = []
    old_parts, new_parts = _paragraphs(old), _paragraphs(new)
    old_at, new_at = _offsets(old_parts), _offsets(new_parts)
    for i1, i2, j1, j2 in _changed([_key(one) for one in old_parts], [_key(one) for one in new_parts]):
        start, end, begin, finish = old_at[i1], old_at[i2], new_at[j1], new_at[j2]
        found += _by_words(old.cut(start, end), new.cut(begin, finish), start, begin)
    return tuple(found)


def _by_words(old: Styled, new: Styled, start: int, begin: int) -> Iterator[Difference]:
    old_words, new_words = _words(old), _words(new)
    old_at, new_at = _offsets(old_words), _offsets(new_words)
    for i1, i2, j1, j2 in _changed([_key(one) for one in old_words], [_key(one) for one in new_words]):
        yield Difference(start + old_at[i1], start + old_at[i2], begin + new_at[j1], begin + new_at[j2])


def _changed(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int, int, int]]:
    low = 0
    while low < min(len(old), len(new)) and old[low] == new[low]:
        low += 1
    high = 0
    while high < min(len(old), len(new)) - low and old[-1 - high] == new[-1 - high]:
        high += 1
    old, new = old[low : len(old) - high], new[low : len(new) - high]
    if not old and not new:
        return
    if len(old) * len(new) > MOST_WORK:
        yield low, low + len(old), low, low + len(new)
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield low + i1, low + i2, low + j1, low + j2


def _paragraphs(text: Styled) -> list[Styled]:
    """The paragraphs, each with the newline before it, so that one that is added or removed takes one along."""
    cuts = [at for at, char in enumerate(text.text) if char == PARAGRAPH]
    edges = [0, *cuts, len(text)]
    return [text.cut(start, end) for start, end in pairwise(edges)]


def _words(text: Styled) -> list[Styled]:
    return [text.cut(found.start(), found.end()) for found in _TOKEN.finditer(text.text)]


def _offsets(parts: Sequence[Styled]) -> list[int]:
    found = [0]
    for part in parts:
        found.append(found[-1] + len(part))
    return found


def _key(part: Styled) -> tuple[str, str]:
    return part.text, part.marks
