"""An interruption cuts the line it names: where, and what was said and left unsaid."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

DASH = "—"
ALIKE = 0.8
FEWEST_TOLD, FEWEST_HELD = 4, 3
_ENDING = " ,;:.!?…-–—"
_BOUNDARY = re.compile(r"[,;:.!?…—–、。，！？；：]++")
LONGEST_MISQUOTE, MOST_COMPARED = 120, 200
"""How long a phrase may be that is looked for with its mistakes, and with how many places it is compared in full."""
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Cut:
    """A line in two: what everybody heard, ending in a dash, and what only its speaker meant to say."""

    said: str
    unsaid: str


def cut_line(content: str, phrase: str) -> Cut | None:
    """Cut `content` behind `phrase`.

    The phrase is matched regardless of case and punctuation, tolerating small misquotes. None if it is absent,
    or if nothing would be left unsaid.
    """
    end = _end_of(phrase, content)
    if end is None:
        return None
    unsaid = content[end:].strip()
    if not _WORD.search(unsaid):
        return None
    return Cut(said=content[:end].rstrip(_ENDING) + DASH, unsaid=unsaid.lstrip(_ENDING))


def part_to_tell(content: str) -> str | None:
    """The line up to its last phrase boundary that leaves some words to come; None for a line without one."""
    ends = [word.end() for word in _WORD.finditer(content)]
    if len(ends) < FEWEST_TOLD + FEWEST_HELD:
        return None
    first, last = ends[FEWEST_TOLD - 1], ends[-FEWEST_HELD - 1]
    told = 0
    for found in _BOUNDARY.finditer(content, first):
        if found.start() > last:
            break
        told = _phrase_end(content, found) or told
    return content[:told].rstrip() or None


def _phrase_end(content: str, marks: re.Match[str]) -> int | None:
    """Where a phrase ends at these marks: before a space, or before a letter or mark that needs none."""
    follows = content[marks.end() : marks.end() + 1]
    if follows.isspace() or follows > "\x7f":
        return marks.end()
    wide = len(marks[0].rstrip(",;:.!?")) - 1
    return marks.start() + wide if wide > 0 else None


def cut_where_told(content: str, told: str, phrase: str) -> Cut | None:
    """Cut a line where the others have heard it, if they were told the phrase."""
    if _end_of(phrase, told) is None:
        return None
    return Cut(said=told.rstrip(_ENDING) + DASH, unsaid=content[len(told) :].strip().lstrip(_ENDING))


def ends_with(content: str, phrase: str) -> bool:
    """Whether a line has the phrase, and nothing after it."""
    end = _end_of(phrase, content)
    return end is not None and not _WORD.search(content[end:])


def _end_of(phrase: str, content: str) -> int | None:
    """Where the words of the phrase end in the line: an exact run of words, else the one most like it."""
    wanted = [found[0].casefold() for found in _WORD.finditer(phrase)]
    spans = [(found[0].casefold(), found.end()) for found in _WORD.finditer(content)]
    if not wanted or not spans:
        return None
    words = [word for word, _ in spans]
    size = len(wanted)
    line = f" {' '.join(words)} "
    place = line.find(f" {' '.join(wanted)} ")
    if place >= 0:
        return spans[line.count(" ", 0, place) + size - 1][1]
    return _nearest(" ".join(wanted), size, words, [end for _, end in spans])


def _nearest(wanted: str, size: int, words: list[str], ends: list[int]) -> int | None:
    if size < 2 or len(wanted) > LONGEST_MISQUOTE:
        return None
    best, best_end, left = ALIKE, None, MOST_COMPARED
    seen: set[str] = set()
    for length in (size, size - 1, size + 1):
        for start in range(len(words) - length + 1):
            window = " ".join(words[start : start + length])
            if window in seen or left == 0 or _bound(len(wanted), len(window)) <= best:
                continue
            seen.add(window)
            compared = SequenceMatcher(None, wanted, window)
            if compared.quick_ratio() <= best:
                continue
            left -= 1
            if (likeness := compared.ratio()) > best:
                best, best_end = likeness, ends[start + length - 1]
    return best_end


def _bound(one: int, other: int) -> float:
    """How alike two texts of these lengths can be at most."""
    return 2 * min(one, other) / (one + other)
