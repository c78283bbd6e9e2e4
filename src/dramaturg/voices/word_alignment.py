"""The words of a text, and when they are heard: what is shown is not always what is said."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from dramaturg.voices.port import WordTime


class Span(NamedTuple):
    """From when to when something is heard, in milliseconds."""

    start: int
    end: int


def token_times(tokens: Sequence[str], words: Sequence[WordTime], length_ms: int) -> list[Span]:
    """When each token of a text is heard. Those that nobody says share the time between their neighbours."""
    heard = [(_bare(word.word), word) for word in words if _bare(word.word)]
    matcher = SequenceMatcher(None, [_bare(token) for token in tokens], [bare for bare, _ in heard], autojunk=False)
    known: dict[int, Span] = {}
    at = 0
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            word = heard[block.b + step][1]
            start = min(max(at, round(1000 * word.start)), length_ms)
            at = min(max(start, round(1000 * word.end)), length_ms)
            known[block.a + step] = Span(start, at)
    return _filled(tokens, known, length_ms)


def _filled(tokens: Sequence[str], known: dict[int, Span], length_ms: int) -> list[Span]:
    spans: list[Span] = []
    place = 0
    while place < len(tokens):
        if place in known:
            spans.append(known[place])
            place += 1
            continue
        after = next((other for other in range(place, len(tokens)) if other in known), len(tokens))
        begin = spans[-1].end if spans else 0
        end = known[after].start if after in known else length_ms
        spans.extend(_shared(tokens[place:after], begin, max(begin, end)))
        place = after
    return spans


def _shared(tokens: Sequence[str], begin: int, end: int) -> list[Span]:
    whole = sum(map(len, tokens)) or 1
    found: list[Span] = []
    done = 0
    for token in tokens:
        start = begin + (end - begin) * done // whole
        done += len(token)
        found.append(Span(start, begin + (end - begin) * done // whole))
    return found


def _bare(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())
