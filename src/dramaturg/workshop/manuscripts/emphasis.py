"""Emphasis in Markdown: which stars and underlines are marks, and what they emphasise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_MARK = 3


@dataclass(frozen=True, slots=True)
class ShownChar:
    """A character and the part of the source that it stands for; `is_mark` if it may begin or end emphasis."""

    text: str
    start: int
    end: int
    is_mark: bool = False


@dataclass(frozen=True, slots=True)
class EmphasisSpan:
    """Emphasised words with their marks, as places of the source: marks at `start` and before `end`."""

    start: int
    inner_start: int
    inner_end: int
    end: int


@dataclass(frozen=True, slots=True)
class _Mark:
    char: str
    first: int
    count: int
    opens: bool
    closes: bool


def emphasised(chars: Sequence[ShownChar]) -> tuple[str, tuple[EmphasisSpan, ...], list[ShownChar]]:
    """The emphasis of each character that is shown, the spans, and the characters without their marks."""
    pairs = _pairs(_marks(chars))
    hidden: set[int] = set()
    deeper: dict[int, list[int]] = {}
    spans: list[EmphasisSpan] = []
    for opening, closing in pairs:
        hidden.update(range(opening.first, opening.first + opening.count))
        hidden.update(range(closing.first, closing.first + closing.count))
        deeper.setdefault(opening.first, []).append(opening.count)
        deeper.setdefault(closing.first, []).append(-opening.count)
        last = closing.first + closing.count - 1
        after = chars[opening.first + opening.count - 1].end
        spans.append(EmphasisSpan(chars[opening.first].start, after, chars[closing.first].start, chars[last].end))
    kept: list[ShownChar] = []
    marks: list[str] = []
    italic = bold = 0
    for at, char in enumerate(chars):
        for weight in deeper.get(at, ()):
            step = 1 if weight > 0 else -1
            italic += step * (abs(weight) & 1)
            bold += step * (abs(weight) >> 1)
        if at not in hidden:
            kept.append(char)
            marks.append(str(int(italic > 0) + 2 * int(bold > 0)))
    return "".join(marks), tuple(spans), kept


def _marks(chars: Sequence[ShownChar]) -> list[_Mark]:
    found: list[_Mark] = []
    at = 0
    while at < len(chars):
        if not chars[at].is_mark:
            at += 1
            continue
        end = at
        while end < len(chars) and chars[end].is_mark and chars[end].text == chars[at].text:
            end += 1
        if end - at <= LONGEST_MARK:
            before = chars[at - 1].text if at else " "
            after = chars[end].text if end < len(chars) else " "
            found.append(_mark(chars[at].text, at, end - at, before, after))
        at = end
    return found


def _mark(char: str, first: int, count: int, before: str, after: str) -> _Mark:
    opens = not after.isspace() and (_is_word(after) or not _is_word(before))
    closes = not before.isspace() and (_is_word(before) or not _is_word(after))
    if char == "_":
        opens, closes = opens and not _is_word(before), closes and not _is_word(after)
    return _Mark(char, first, count, opens, closes)


def _is_word(char: str) -> bool:
    return char.isalnum()


def _pairs(marks: Sequence[_Mark]) -> list[tuple[_Mark, _Mark]]:
    """Marks that open and close the same emphasis, innermost first; one inside another must differ in weight."""
    waiting: list[_Mark] = []
    pairs: list[tuple[_Mark, _Mark]] = []
    for mark in marks:
        opener = _opener(waiting, mark) if mark.closes else None
        if opener is not None:
            pairs.append((waiting[opener], mark))
            del waiting[opener:]
        elif mark.opens:
            waiting.append(mark)
    return pairs


def _opener(waiting: Sequence[_Mark], mark: _Mark) -> int | None:
    for at in range(len(waiting) - 1, max(-1, len(waiting) - 9), -1):
        held = waiting[at]
        if held.char == mark.char and held.count == mark.count and held.first + held.count < mark.first:
            return at
    return None
