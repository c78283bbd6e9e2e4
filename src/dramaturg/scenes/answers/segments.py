"""An answer in segments: quotations, groups in brackets, and what stands outside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from dramaturg.scenes.answers.marks import DOUBLE_QUOTES

LONGEST_BRACKET = 2_000
MOST_STRANGE_BRACKETS = 8
"""After this many brackets that are not closed, brackets are read as words."""

_GROUPS = {"[": "]", "【": "】", "［": "］", "(": ")", "（": "）"}
_PAIRS = {
    '"': '"”', "＂": "＂", "“": '”"', "”": "”", "„": '“”"', "‟": "”", "«": "»", "»": "«",
    "「": "」", "『": "』", "〝": "〞〟",
}  # fmt: skip
_MARKS = re.compile(rf"[\[【［(（{DOUBLE_QUOTES}]")
_INSIDE = {mark: re.compile(rf"[{re.escape(mark + end)}{DOUBLE_QUOTES}]") for mark, end in _GROUPS.items()}
_ENDS = {mark: re.compile(rf"[{re.escape(mark + ends)}]") for mark, ends in _PAIRS.items()}
_SINGLE_OPEN = re.compile(r"(?:\A|(?<=\s))['‘‚](?=\S)")
_SINGLE_CLOSE = re.compile(r"(?<=[.!?,…—–-])['’‘](?=\s|\Z)")


class Segment(NamedTuple):
    """A part of an answer: `text` without its marks, `mark` the one that opened it."""

    kind: Literal["plain", "quote", "group"]
    text: str
    mark: str = ""


def segments(text: str) -> list[Segment]:
    """The segments of an answer. A quotation that is not closed goes on to the end."""
    found = list(_segments(text))
    if any(one.kind == "quote" for one in found):
        return found
    return [part for one in found for part in (_in_single_quotes(one.text) if one.kind == "plain" else [one])]


def _segments(text: str) -> Iterator[Segment]:
    at = position = strange = 0
    while (found := _MARKS.search(text, position)) is not None:
        mark, start = found[0], found.start()
        if mark in _GROUPS:
            end, clean = _closing(text, start, mark) if strange <= MOST_STRANGE_BRACKETS else (None, True)
            strange += end is None or not clean
        else:
            end = _end_of_quote(text, start) if _opens(text, start) else None
        if end is None:
            position = start + 1
            continue
        if text[at:start].strip():
            yield Segment("plain", text[at:start])
        yield Segment("group" if mark in _GROUPS else "quote", text[start + 1 : end], mark)
        at = position = end + 1
    if text[at:].strip():
        yield Segment("plain", text[at:])


def _closing(text: str, start: int, mark: str) -> tuple[int | None, bool]:
    """Where a bracket is closed, and whether it was without doubt: outside quotations, as deep as it was opened."""
    quoted, depth, end = False, 1, _GROUPS[mark]
    first = text.find(end, start, start + LONGEST_BRACKET)
    if first < 0:
        return None, False
    for found in _INSIDE[mark].finditer(text, start + 1, start + LONGEST_BRACKET):
        if found[0] not in (mark, end):
            quoted = not quoted
        elif not quoted:
            depth += 1 if found[0] == mark else -1
            if depth == 0:
                return found.start(), True
    return first, False


def _opens(text: str, start: int) -> bool:
    """Whether a quotation can begin here; a straight mark behind a letter is an inch, or the end of something."""
    if text[start] not in '"＂”»':
        return text[start] not in "」』〞"
    before = text[start - 1] if start else " "
    return before.isspace() or before in "([{—–-*_:,]】.!?…" or ord(before) > 0x2E80


def _end_of_quote(text: str, start: int) -> int:
    """Where a quotation is closed. Marks of the same kind inside it are counted; one that stays open ends the text."""
    mark, depth, last = text[start], 1, -1
    for found in _ENDS[mark].finditer(text, start + 1):
        at = found.start()
        if found[0] == mark and ((mark not in '"＂”»' and mark not in _PAIRS[mark]) or _opens_inside(text, at)):
            depth += 1
            continue
        depth, last = depth - 1, at
        if depth == 0:
            return at
    return last if last > 0 else len(text)


def _opens_inside(text: str, at: int) -> bool:
    return text[at] == '"' and text[at - 1].isspace() and at + 1 < len(text) and not text[at + 1].isspace()


def _in_single_quotes(text: str) -> list[Segment]:
    found: list[Segment] = []
    at = 0
    while (start := _SINGLE_OPEN.search(text, at)) is not None:
        end = _SINGLE_CLOSE.search(text, start.end())
        if end is None:
            break
        if text[at : start.start()].strip():
            found.append(Segment("plain", text[at : start.start()]))
        found.append(Segment("quote", text[start.end() : end.start()], "'"))
        at = end.end()
    rest = text[at:]
    if not found:
        whole = rest.strip()
        if len(whole) > 2 and whole[0] in "'‘‚" and whole[-1] in "'’‘" and whole[0] != whole[-1]:
            return [Segment("quote", whole[1:-1], "'")]
    return [*found, Segment("plain", rest)] if rest.strip() else found
