"""Names in prose: where a known name stands, in any script, without taking a common word for a person.

A name matches as it is written, or in capitals. A single name that is also a word ("Will", "Hope", "May") counts only
with its capital and inside a sentence, where nothing else explains the capital; where it may be a month it never does.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from dramaturg.kernel.text.words import common_words, function_words, lexicon, stem

_TOKEN = re.compile(r"[^\W_]+")
_OPENING = " \t\"'“”‘’«»‹›„‚([{*_—–-"
_ENDS = ".!?…:;。！？\n#>"
_TITLES = frozenset(
    "mr mrs ms miss dr prof sir dame lady lord captain st herr frau uncle aunt señor señora mme m".split()
)
_MONTHS = frozenset("april may june august mai juni juli".split())
_BEFORE_MONTH = frozenset(
    "in of since until till by last next this early mid late every during im seit bis ende anfang".split()
)
_QUOTE_REACH = 160


@dataclass(frozen=True, slots=True)
class NameFound:
    """A name in a text, from `start` to `end`."""

    name: str
    start: int
    end: int


class NameIndex:
    """Names to look for; reading takes time in proportion to the text, not to the number of names."""

    def __init__(self, names: Iterable[str], *, words: frozenset[str] = frozenset()) -> None:
        """`words` are those that the text itself writes in lower case."""
        self._first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._unspaced: list[str] = []
        self._words = words
        for name in dict.fromkeys(names):
            tokens = tuple(_TOKEN.findall(name))
            if not tokens or sum(map(len, tokens)) < 2:
                continue
            if name.lower() == name.upper():
                self._unspaced.append(name)
            else:
                self._first.setdefault(tokens[0].casefold(), []).append((tokens, name))
        for held in self._first.values():
            held.sort(key=lambda one: -len(one[0]))

    def find(self, text: str) -> Iterator[NameFound]:
        """Every place of every name; of several at one place, the longest."""
        tokens = list(_TOKEN.finditer(text))
        place = 0
        while place < len(tokens):
            found = self._at(text, tokens, place)
            if found is not None:
                yield found[0]
            place += found[1] if found is not None else 1
        for name in self._unspaced:
            start = text.find(name)
            while start >= 0:
                yield NameFound(name, start, start + len(name))
                start = text.find(name, start + len(name))

    def _at(self, text: str, tokens: list[re.Match[str]], place: int) -> tuple[NameFound, int] | None:
        for wanted, name in self._first.get(tokens[place][0].casefold(), ()):
            here = tokens[place : place + len(wanted)]
            if len(here) < len(wanted) or not all(
                _is_written(one[0], part) for one, part in zip(here, wanted, strict=True)
            ):
                continue
            if not _together(text, here):
                continue
            if len(wanted) == 1 and self._is_word(wanted[0]) and not _stands_as_name(text, tokens, place):
                continue
            return NameFound(name, here[0].start(), here[-1].end()), len(wanted)
        return None

    def _is_word(self, name: str) -> bool:
        return name.casefold() in self._words or is_common(name)


def is_common(name: str) -> bool:
    """Whether a name is a word of everyday language too."""
    word = name.casefold()
    return word in function_words() or word in _namesakes() or stem(word) in common_words()


def words_in_lower_case(text: str) -> frozenset[str]:
    """The words that a text writes without a capital."""
    return frozenset(word for word in _TOKEN.findall(text) if word.islower())


def quote_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a place starts and ends, verbatim; a long one is cut at words near the place."""
    low = max(0, start - _QUOTE_REACH)
    breaks = [at for at in (text.rfind(mark, low, start) for mark in ".!?…\n。！？") if at >= 0]
    first = max(breaks) + 1 if breaks else low
    if not breaks and low:
        first = next((at + 1 for at in range(low, start) if text[at].isspace()), start)
    high = min(len(text), end + _QUOTE_REACH)
    ends = [at for at in (text.find(mark, end, high) for mark in ".!?…\n。！？") if at >= 0]
    last = min(ends) + 1 if ends else high
    if not ends and high < len(text):
        last = next((at for at in range(high, end, -1) if text[at].isspace()), end)
    while first < start and (text[first].isspace() or text[first] in "”’»"):
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


@cache
def _namesakes() -> frozenset[str]:
    return frozenset(word for row in lexicon("names", __package__) for word in row)


def _is_written(token: str, part: str) -> bool:
    if token == part:
        return True
    if part.islower():
        return token.lower() == part
    return len(part) > 1 and token == part.upper()


def _together(text: str, tokens: list[re.Match[str]]) -> bool:
    """Whether the words of a name follow one another; a full stop may be that of an initial or a title."""
    for one, other in itertools.pairwise(tokens):
        gap = text[one.end() : other.start()]
        allowed = " \t\n-'’." if len(one[0]) == 1 or one[0].casefold() in _TITLES else " \t\n-'’"
        if len(gap) > 3 or gap.strip(allowed) or gap.count("\n") > 1:
            return False
    return True


def _stands_as_name(text: str, tokens: list[re.Match[str]], place: int) -> bool:
    token = tokens[place]
    word = token[0]
    if not word[0].isupper() or (len(word) > 1 and word.isupper()):
        return False
    before = tokens[place - 1][0].casefold() if place else ""
    if before in _TITLES:
        return True
    if word.casefold() in _MONTHS and _may_be_month(tokens, place, before):
        return False
    at = token.start() - 1
    while at >= 0 and text[at] in _OPENING:
        at -= 1
    return at >= 0 and text[at] not in _ENDS and not _opens_speech(text, at, token.start())


def _opens_speech(text: str, at: int, start: int) -> bool:
    """Whether a quotation mark opens right before the name: then its capital is that of a sentence."""
    return any(mark in "\"“«„‹‘'" for mark in text[at + 1 : start])


def _may_be_month(tokens: list[re.Match[str]], place: int, before: str) -> bool:
    following = tokens[place + 1][0] if place + 1 < len(tokens) else ""
    return before in _BEFORE_MONTH or before.isdecimal() or following[:1].isdecimal() or before[:1].isdecimal()
