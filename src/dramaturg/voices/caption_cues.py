"""Cues that can be read: a long line is split where its sentences and clauses end, at the times of its words.

A cue has at most two rows of 42 columns and stays for at most seven seconds. Letters of East Asian scripts take two
columns, as on a screen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.voices.port import WordTime
from dramaturg.voices.word_alignment import token_times

COLUMNS, LONGEST_MS = 42, 7_000
WIDEST_LEAD = 20
"""What may stand before the words of the first row, in columns."""
_SHORTEST_MS = 1_000
_LINGER_MS = 700
"""A pause up to which a cue stays until the next one comes."""
# What it costs to part a line there: the sum over all cues is kept low.
_SENTENCE, _CLAUSE, _TIE, _AMID, _AFTER_A_SMALL_WORD = 0, 2, 7, 12, 16
_EACH_CUE, _TOO_SHORT = 3, 6
_ENDS_A_CLAUSE = re.compile(r"[,;:—–،؛、，；：.!?…。！？؟|\-][\"'”’»)\]」』]*$")
_TIES = frozenset(
    "and or but nor because that which who when where if while than as und oder aber weil dass wenn als y o pero "
    "porque que cuando si et ou mais parce quand و أو لكن".split()
)
_OPENING, _CLOSING = ("“", "„", "«", "(", "–", "—"), ("”", "»", ")")
_SMALL = 3
"""An article or a preposition, at the end of a row, belongs to what follows."""
_KANA, _KANJI = "\u3041-\u309f", "\u3400-\u9fff\uf900-\ufaff"
_CLOSES = "、。，．！？：；」』）】ー…‥・"
"""No row begins with one of these."""
_PIECE = re.compile(
    rf"[「『（【]*(?:[\u30a0-\u30ff\uff66-\uff9f]+[{_KANA}]*|[{_KANJI}々]+[{_KANA}]*|[{_KANA}]+|[^\u3000-\u9fff\uf900-\uffef]+|.)"
    rf"[{_CLOSES}]*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class TimedRows:
    """What is on the screen at one time: one row or two, of which the first may be empty if something leads it."""

    rows: tuple[str, ...]
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """Text that is never parted, when it is heard, and what a break after it costs."""

    text: str
    spaced: bool
    start_ms: int
    end_ms: int
    after: int
    columns: int


class _Edge(NamedTuple):
    ms: int
    columns: int


def columns(text: str) -> int:
    """The width of a text on a screen: wide letters count twice, marks that are set over others not at all."""
    return sum(_column(letter) for letter in text)


def split_line(
    text: str, start_ms: int, end_ms: int, words: Sequence[WordTime] = (), lead: int = 0
) -> tuple[TimedRows, ...]:
    """A line as cues in order, none of which overlaps another; together they have all its words.

    `words` are the times of what is heard, in seconds from `start_ms`; words of the text that are not among them are
    shown with their neighbours. `lead` columns of the first row are left free.
    """
    units = _units(text, end_ms - start_ms, words)
    if not units:
        return (TimedRows(("",), start_ms, min(end_ms, start_ms + LONGEST_MS)),)
    lead = min(lead, WIDEST_LEAD)
    groups = _grouped(units, lead)
    if len(groups) > end_ms - start_ms:  # less than a millisecond for each
        groups = [units]
    rows = [_rows(group, lead if number == 0 else 0) for number, group in enumerate(groups)]
    times = _times(groups, end_ms - start_ms)
    return tuple(
        TimedRows(row, start_ms + start, start_ms + end) for row, (start, end) in zip(rows, times, strict=True)
    )


def _units(text: str, length_ms: int, words: Sequence[WordTime]) -> list[_Unit]:
    tokens = text.split()
    ends = _sentence_tokens(text, tokens)
    units: list[_Unit] = []
    for place, (token, (start, end)) in enumerate(zip(tokens, token_times(tokens, words, length_ms), strict=True)):
        pieces = [part for piece in _PIECE.findall(token) for part in _narrow(piece)]
        edges = _edges(start, end, pieces)
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            cost = _border(piece, following, is_end=place in ends) if last else _border_inside(piece)
            spaced = number == 0 and place > 0
            width = edges[number + 1].columns - edges[number].columns + spaced
            units.append(_Unit(piece, spaced, edges[number].ms, edges[number + 1].ms, cost, width))
    return units


def _sentence_tokens(text: str, tokens: Sequence[str]) -> frozenset[int]:
    """The places of the tokens with which a sentence ends."""
    lengths = list(accumulate(map(len, tokens)))
    letters = list(accumulate((not letter.isspace() for letter in text), initial=0))
    ends = {letters[end] for end in sentence_ends(text)}
    return frozenset(place for place, length in enumerate(lengths) if length in ends)


def _narrow(piece: str) -> Iterator[str]:
    """The piece in parts that fit a row."""
    part, width = "", 0
    for letter in piece:
        width += _column(letter)
        if width > COLUMNS:
            kept = len(part.rstrip(_CLOSES)) - 1 if letter in _CLOSES else len(part)
            yield part[:kept] if kept > 0 else part
            part = part[kept:] if kept > 0 else ""
            width = columns(part) + _column(letter)
        part += letter
    yield part


@lru_cache(4096)
def _column(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _edges(start: int, end: int, pieces: Sequence[str]) -> list[_Edge]:
    """Where the pieces of a token begin and end, in time and in columns; its time is divided by their width."""
    parts = list(accumulate(map(columns, pieces), initial=0))
    whole = parts[-1] or 1
    return [_Edge(start + (end - start) * part // whole, part) for part in parts]


def _border(piece: str, following: str, *, is_end: bool) -> int:
    if is_end:
        return _SENTENCE
    if _ENDS_A_CLAUSE.search(piece) and len(piece) > 1:
        return _CLAUSE
    if following.casefold() in _TIES or following.startswith(_OPENING) or piece.endswith(_CLOSING):
        return _TIE
    return _AFTER_A_SMALL_WORD if len(piece) <= _SMALL else _AMID


def _border_inside(piece: str) -> int:
    if piece[-1] in "。！？":
        return _SENTENCE
    return _CLAUSE if _ENDS_A_CLAUSE.search(piece) and len(piece) > 1 else _AMID


def _grouped(units: Sequence[_Unit], lead: int) -> list[Sequence[_Unit]]:
    """The units in cues, at the least cost of all the ways to part them."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for after in range(1, len(units) + 1):
        found = (float("inf"), after - 1)
        width = 0
        for first in range(after - 1, -1, -1):
            width += units[first].columns
            if width > 2 * COLUMNS + 2 or (
                first < after - 1 and not _fits(units[first:after], lead if first == 0 else 0)
            ):
                break
            found = min(found, (best[first][0] + _cost(units[first], units[after - 1]), first))
        best.append(found)
    groups: list[Sequence[_Unit]] = []
    after = len(units)
    while after:
        first = best[after][1]
        groups.append(units[first:after])
        after = first
    return groups[::-1]


def _cost(first: _Unit, last: _Unit) -> float:
    return _EACH_CUE + last.after + (_TOO_SHORT if last.end_ms - first.start_ms < _SHORTEST_MS else 0)


def _fits(group: Sequence[_Unit], lead: int) -> bool:
    if group[-1].end_ms - group[0].start_ms > LONGEST_MS:
        return False
    return _width(group) + lead <= COLUMNS or bool(_row_breaks(group, lead))


def _width(group: Sequence[_Unit]) -> int:
    return sum(unit.columns for unit in group) - (group[0].spaced if group else 0)


def _row_breaks(group: Sequence[_Unit], lead: int) -> list[int]:
    """The places at which two rows fit; 0 leaves the first one to what leads it."""
    whole, widths = _width(group), list(accumulate((unit.columns for unit in group), initial=-int(group[0].spaced)))
    if whole + lead > 2 * COLUMNS + 1:
        return []
    alone = [0] if lead and whole <= COLUMNS else []
    return alone + [
        place
        for place in range(1, len(group))
        if widths[place] + lead <= COLUMNS and whole - widths[place] - group[place].spaced <= COLUMNS
    ]


def _rows(group: Sequence[_Unit], lead: int) -> tuple[str, ...]:
    if _width(group) + lead <= COLUMNS:
        return (_joined(group),)
    breaks = _row_breaks(group, lead)
    if not breaks:
        return (_joined(group),)

    def badness(place: int) -> int:
        if place == 0:
            return 4 * COLUMNS
        upper, lower = _width(group[:place]) + lead, _width(group[place:])
        return 2 * group[place - 1].after + abs(upper - lower)

    place = min(breaks, key=badness)
    return _joined(group[:place]), _joined(group[place:])


def _joined(group: Sequence[_Unit]) -> str:
    return "".join((" " if unit.spaced else "") + unit.text for unit in group).strip()


def _times(groups: Sequence[Sequence[_Unit]], length_ms: int) -> list[tuple[int, int]]:
    """A cue comes with its first word, and stays until the next, unless there is a pause between them."""
    starts = [0, *(group[0].start_ms for group in groups[1:])]
    for number in range(1, len(starts)):
        starts[number] = max(starts[number], starts[number - 1] + 1)
    limit = length_ms
    for number in range(len(starts) - 1, -1, -1):
        starts[number] = min(starts[number], limit - 1)
        limit = starts[number]
    found: list[tuple[int, int]] = []
    for group, (start, after) in zip(groups, pairwise([*starts, length_ms]), strict=True):
        heard = max(group[-1].end_ms, start + 1)
        end = after if after - heard <= _LINGER_MS else heard + _LINGER_MS
        found.append((start, min(end, after, start + LONGEST_MS)))
    return found
