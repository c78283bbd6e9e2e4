"""Dialogue by dashes: which parts of a line are spoken and which tell, in the customs of several languages.

Spanish: `—No —dijo Marta—. Ya no.` Russian: `— Нет, — сказал Иван. — Не скажу.` Portuguese and Polish:
`— Não — disse Ana.` French: `— Non, dit Odette.` A dash that only parts the words of a speaker (`— Он — дурак.`) ends
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dramaturg.workshop.dialogue.tags import REACH, begins_tag, inverted_tag

_OPENING = re.compile(r"[ \t]*(?:[—–―]\s*|-\s+)(?=\S)")
_MARK = re.compile(r"[—―]|(?<!\w)–|–(?!\w)|(?<=\s)-(?=\s)")
_PAUSE = re.compile(r"[,!?…](?=\s)")
_STOPS = tuple(",.!?…;:")


def opens_with_dash(line: str) -> bool:
    """Whether a line begins with a dash and words behind it."""
    return _OPENING.match(line) is not None


def dashed_spans(line: str) -> list[tuple[int, int]]:
    """Where the spoken parts of a line stand that opens with a dash, in order; none if it does not."""
    opening = _OPENING.match(line)
    if opening is None:
        return []
    return [span for start, end in _between_marks(line, opening.end()) if (span := _trimmed(line, start, end))]


def _between_marks(line: str, start: int) -> Iterator[tuple[int, int]]:
    has_hyphens = line.lstrip().startswith("-")
    is_spoken, is_bare = True, False
    for mark in _MARK.finditer(line, start):
        if mark[0] == "-" and not has_hyphens:
            continue
        before = line[mark.start() - 2 : mark.start()]
        last = before.rstrip()[-1:]
        if is_spoken and _closes(line, mark, before):
            end = _end_of_words(line, start, mark.start())
            yield start, end
            start, is_spoken = mark.end(), end < mark.start()
            is_bare = last not in _STOPS
        elif not is_spoken and (is_bare or not before[-1:].isspace() or last in _STOPS):
            start, is_spoken = mark.end(), True
    if is_spoken:
        yield start, _end_of_words(line, start, len(line))


def _closes(line: str, mark: re.Match[str], before: str) -> bool:
    behind = line[mark.end() : mark.end() + REACH]
    if not before[-1:].isspace():
        return begins_tag(behind)
    return not behind[:1].isspace() or before.rstrip()[-1:] in _STOPS or begins_tag(behind)


def _end_of_words(line: str, start: int, end: int) -> int:
    """Where the words end, if a tag follows them without a dash: `— Quatre, dit Ruth.`"""
    for pause in _PAUSE.finditer(line, start, end):
        if inverted_tag(line[pause.end() : min(end, pause.end() + REACH)]) is not None:
            return pause.end()
    return end


def _trimmed(line: str, start: int, end: int) -> tuple[int, int] | None:
    """A span without the space around it, and without the stop that ends what was told before it: `él—. Ya no.`"""
    words = line[start:end]
    first = start + len(words) - len(words.lstrip(" \t.,;:"))
    last = end - (len(words) - len(words.rstrip()))
    return (first, last) if first < last else None
