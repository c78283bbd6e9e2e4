"""Headings that only their shape and their company show: numbered titles, and titles set off from the prose.

One such line proves nothing: a list in the prose has numbers, and a sign on a door has capitals. A row of them does, if
its numbers count and there is prose behind each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from dramaturg.workshop.manuscripts.division.numerals import bare_letters, number
from dramaturg.workshop.manuscripts.readers.source_text import SourceBlock

PROSE_BEHIND = 60
"""How many words there must be for each numbered title, and more for one without a number."""
PROSE_BEHIND_TITLE = 200
FEWEST = 2
FEWEST_TITLES = 3
MOST_WORDS = 10
LONGEST = 80
_NUMBERED = re.compile(r"(?P<number>\d{1,3}|[IVXLC]{1,8})(?P<mark>[.):]|[ \t]*[–—-])[ \t]+(?P<title>\S.*)")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_SPOKEN = "“\"'‘„«»"
_DASHES = "-–—"
_ENDS = (".", ",", ";", ":", "…", "”", '"', "»", "’")
_FRAMES = "=~-–—|•+"
_BRACKETS = {"[": "]", "<": ">"}
_LONGEST_FRAME = 6


def unframed(line: str) -> str:
    """A line without what is drawn around it: `- 3 -`, `[Chapter 1]`, `=== Lamps ===`."""
    if len(line) > 2 and line[-1] == _BRACKETS.get(line[0]):
        inner = line[1:-1].strip()
    else:
        front = line[: len(line) - len(line.lstrip(_FRAMES))]
        back = line[len(line.rstrip(_FRAMES)) :]
        if not front or front != back or len(front) > _LONGEST_FRAME or len(line) <= 2 * len(front):
            return line
        inner = line[len(front) : -len(back)].strip()
    return inner if inner[:1].isalnum() else line


def title_lines(blocks: Sequence[SourceBlock]) -> Mapping[int, str]:
    """The lines that are titles of chapters by their shape, with their titles; empty if there is no row of them."""
    numbered = _numbered(blocks)
    if numbered:
        return numbered
    for is_shaped in (_is_framed, _is_counted(blocks), _is_capital, _is_set_off(blocks)):
        found = [at for at, one in enumerate(blocks) if _is_line(one) and is_shaped(at, one)]
        found = [at for at in found if at + 1 < len(blocks) and at + 1 not in found]
        if len(found) >= FEWEST_TITLES and _has_prose(blocks, found, PROSE_BEHIND_TITLE):
            return {at: unframed(_text(blocks[at])) for at in found}
    return {}


def _text(block: SourceBlock) -> str:
    return " ".join(block.plain.split()).strip("*_ ")


def _is_line(block: SourceBlock) -> bool:
    """Whether a block can be a title: one short line that does not end like a sentence."""
    text = _text(block)
    if block.kind != "paragraph" or not text or "\n" in block.plain.strip():
        return False
    return len(text.split()) <= MOST_WORDS and len(text) <= LONGEST and text[0] not in _SPOKEN


# Numbers with titles.


def _numbered(blocks: Sequence[SourceBlock]) -> dict[int, str]:
    rows: dict[str, list[tuple[int, int]]] = {}
    for at, block in enumerate(blocks):
        found = _NUMBERED.fullmatch(_text(block))
        if found is None or not _is_line(block) or not _is_numbered_title(found["title"]):
            continue
        shape = f"{found['number'].isdecimal()}{found['mark'].strip()}"
        value = int(found["number"]) if found["number"].isdecimal() else roman(found["number"])
        rows.setdefault(shape, []).append((at, value))
    best = max((_counting(row) for row in rows.values()), key=len, default=[])
    if len(best) < FEWEST or not _has_prose(blocks, best, PROSE_BEHIND):
        return {}
    return {at: _text(blocks[at]) for at in best}


def _is_numbered_title(title: str) -> bool:
    return not title.endswith((",", ";", ":")) and not title[0].islower() and not title.endswith(("...", "…"))


def _counting(row: Sequence[tuple[int, int]]) -> list[int]:
    """The places whose numbers count upwards one by one; a new part may begin again at one."""
    found: list[int] = []
    last = 0
    for at, value in row:
        if value == last + 1 or (value == 1 and last > 1) or (value == 0 and not found):
            found.append(at)
            last = value
    return found


def roman(text: str) -> int:
    """The value of a Roman numeral."""
    values = [_ROMAN[letter] for letter in text]
    return sum(-one if one < max(values[at + 1 :], default=0) else one for at, one in enumerate(values))


# Titles without numbers.


def _is_framed(_at: int, block: SourceBlock) -> bool:
    """Dashes around a line do not count: that may be talk."""
    text = _text(block)
    return text[0] not in _DASHES and unframed(text) != text


def _is_capital(_at: int, block: SourceBlock) -> bool:
    text = _text(block)
    return text.isupper() and sum(letter.isalpha() for letter in text) > 1 and not text.endswith(_ENDS)


def _is_counted(blocks: Sequence[SourceBlock]) -> Callable[[int, SourceBlock], bool]:
    """Lines of one word and a number, as `Day One` and `Day Two`, that share the word."""
    found = {at: word for at, one in enumerate(blocks) if _is_line(one) and (word := _counted_word(_text(one)))}
    most = Counter(found.values()).most_common(1)
    return lambda at, _block: bool(most) and found.get(at) == most[0][0]


def _counted_word(text: str) -> str:
    found = _counted().match(bare_letters(text))
    return found["word"] if found and text[0].isupper() and not text.endswith(_ENDS) else ""


@cache
def _counted() -> re.Pattern[str]:
    return re.compile(rf"(?P<word>[^\W\d_]{{2,14}})[ \t]+{number()}(?:[:–—-][ \t]*\S.*|[ \t]+[–—-][ \t]+\S.*)?$")


def _is_set_off(blocks: Sequence[SourceBlock]) -> Callable[[int, SourceBlock], bool]:
    """Lines with a gap before them that is wider than usual, and wider than the one behind."""
    usual = Counter(one.gap for one in blocks[1:]).most_common(1)[0][0] if len(blocks) > 1 else 0

    def is_set_off(at: int, block: SourceBlock) -> bool:
        text = _text(block)
        wide = block.gap > usual + 1 and at + 1 < len(blocks) and blocks[at + 1].gap < block.gap
        return wide and not text.endswith(_ENDS) and not text[0].islower()

    return is_set_off


def _has_prose(blocks: Sequence[SourceBlock], places: Sequence[int], fewest: int) -> bool:
    """Whether there is prose behind each title, and enough of it."""
    counts = list(_words_behind(blocks, places))
    return min(counts, default=0) > 0 and sum(counts) >= fewest * len(counts)


def _words_behind(blocks: Sequence[SourceBlock], places: Sequence[int]) -> Iterator[int]:
    for at, end in zip(places, [*places[1:], len(blocks)], strict=True):
        yield sum(len(one.plain.split()) for one in blocks[at + 1 : end] if one.kind == "paragraph")
