"""What has changed between two texts, in words: sentences are compared first, and the words inside those that differ.

The effort is bounded: where too much differs to be compared word by word, a whole passage is one change.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from dramaturg.workshop.patches.patch import shared_edges
from dramaturg.workshop.patches.splice import Splice

MOST_WORDS = 600
"""Of changed sentences that stand together; more than these are one change."""
DEEPEST = 8
"""How often the sentences between two that stay are compared again."""
_MARK = re.compile(r"\n++|[.!?…。！？]++[\"'”’»)\]*_]*+[ \t]*+")
_WIDE = "。！？"
_WORD = re.compile(r"\s++|[\w'’]++|[^\w\s]")


Span: TypeAlias = tuple[int, int, int, int]
"""From and to in the old text, from and to in the new one."""


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A run of words that is in both texts, only in the old one, or only in the new one."""

    kind: Literal["same", "old", "new"]
    text: str


def changes(old: str, new: str) -> list[Splice]:
    """The changes that make one text of the other, in order; places are those of the old text."""
    if old == new:
        return []
    lead, tail = _shared_lines(old, new)
    inner_old, inner_new = old[lead : len(old) - tail], new[lead : len(new) - tail]
    return [
        _trimmed(lead + start, inner_old[start:end], inner_new[first:last])
        for start, end, first, last in _by_sentence(inner_old, inner_new)
    ]


def word_diff(old: str, new: str) -> tuple[DiffPart, ...]:
    """The words of both texts, each with where it stands: first what goes, then what comes."""
    parts: list[DiffPart] = []
    at = 0
    for one in changes(old, new):
        parts.append(DiffPart("same", old[at : one.start]))
        parts.append(DiffPart("old", one.old))
        parts.append(DiffPart("new", one.new))
        at = one.start + len(one.old)
    parts.append(DiffPart("same", old[at:]))
    return tuple(part for part in parts if part.text)


def differences(left: Sequence[str], right: Sequence[str]) -> Iterator[Span]:
    """Where two rows of texts differ: between those that stand once in each and keep their order."""
    yield from _gaps(left, right, (0, len(left), 0, len(right)), DEEPEST)


def _shared_lines(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings and at their ends, in whole lines."""
    lead, tail = shared_edges(old, new)
    lead = old.rfind("\n", 0, lead) + 1
    line = old.find("\n", max(lead, len(old) - tail))
    return lead, len(old) - line - 1 if line >= 0 else 0


def _trimmed(start: int, old: str, new: str) -> Splice:
    lead, tail = shared_edges(old, new)
    return Splice(start=start + lead, old=old[lead : len(old) - tail], new=new[lead : len(new) - tail])


def _by_sentence(old: str, new: str) -> Iterator[Span]:
    left, right = _sentences(old), _sentences(new)
    starts, firsts = _offsets(left), _offsets(right)
    for a, b, c, d in differences(left, right):
        start, first = starts[a], firsts[c]
        for inner in _compared(_words(old[start : starts[b]]), _words(new[first : firsts[d]])):
            yield start + inner[0], start + inner[1], first + inner[2], first + inner[3]


def _sentences(text: str) -> list[str]:
    """A text in sentences and line breaks, with the spaces that follow them; joined, they are the text."""
    pieces: list[str] = []
    at = 0
    for mark in _MARK.finditer(text):
        start, end = mark.span()
        if text[start] == "\n":
            pieces += [text[at:start]] if at < start else []
            pieces.append(text[start:end])
        elif text[end - 1] in " \t" or text[end - 1] in _WIDE or text[end : end + 1] in ("", "\n"):
            pieces.append(text[at:end])
        else:
            continue
        at = end
    return [*pieces, text[at:]] if at < len(text) else pieces


def _words(text: str) -> list[str]:
    """A text in words and marks, each with the spaces before it; joined, they are the text."""
    pieces: list[str] = []
    for piece in _WORD.findall(text):
        if pieces and pieces[-1].isspace():
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


def _compared(left: Sequence[str], right: Sequence[str]) -> Iterator[Span]:
    """The places, in characters, where two rows of words differ."""
    starts, firsts = _offsets(left), _offsets(right)
    if max(len(left), len(right)) > MOST_WORDS:
        yield 0, starts[-1], 0, firsts[-1]
        return
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield starts[a], starts[b], firsts[c], firsts[d]


def _gaps(left: Sequence[str], right: Sequence[str], span: Span, depth: int) -> Iterator[Span]:
    """The differences within a span of both rows."""
    a, b, c, d = span
    while a < b and c < d and left[a] == right[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and left[b - 1] == right[d - 1]:
        b, d = b - 1, d - 1
    anchors = _anchors(left, right, (a, b, c, d)) if depth and a < b and c < d else []
    if not anchors:
        if a < b or c < d:
            yield a, b, c, d
        return
    for place, other in [*anchors, (b, d)]:
        yield from _gaps(left, right, (a, place, c, other), depth - 1)
        a, c = place + 1, other + 1


def _anchors(left: Sequence[str], right: Sequence[str], span: Span) -> list[tuple[int, int]]:
    """The longest row of sentences that stand once in each text, in the order of both."""
    a, b, c, d = span
    once, other = Counter(left[a:b]), Counter(right[c:d])
    there = {one: at for at, one in enumerate(right[c:d], start=c) if other[one] == 1}
    pairs = [(at, there[one]) for at, one in enumerate(left[a:b], start=a) if once[one] == 1 and one in there]
    tops: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for place, (_, end) in enumerate(pairs):
        pile = bisect_left(tops, end)
        before.append(last[pile - 1] if pile else None)
        tops[pile : pile + 1] = [end]
        last[pile : pile + 1] = [place]
    row: list[tuple[int, int]] = []
    at = last[-1] if last else None
    while at is not None:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _offsets(pieces: Sequence[str]) -> list[int]:
    found = [0]
    for piece in pieces:
        found.append(found[-1] + len(piece))
    return found
