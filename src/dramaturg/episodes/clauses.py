"""How the clauses of a sentence in another language than English are meant, as far as a few words of each tell.

"No fue Ida, fuiste tú" denies one thing and asserts another, so what stands between commas is read by itself. A
condition and somebody else's word hold for all of it, up to a "but"; a denial, for a clause that depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.episodes.language import UNSPACED, Tongue, tongues
from dramaturg.episodes.stance import Stance

_BREAK = re.compile(r"[,;:()、，；：]|\s[-–—]{1,3}\s|—")
_WORD = re.compile(r"[^\W_]+")
_EVERYTHING = frozenset(("todo", "alles", "tout", "tutto", "tudo", "всё"))
"""What points to somebody says so, and is no hearsay: "todo dice que fuiste tú"."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, from `start` to `end`, and how it is meant."""

    text: str
    start: int
    end: int
    stance: Stance


@lru_cache(maxsize=2048)
def clauses_of(sentence: str, language: str) -> tuple[Clause, ...]:
    """The clauses of a sentence in lower case; all are asserted in a language that is not known."""
    tongue = tongues().get(language)
    if tongue is None:
        return (Clause(sentence, 0, len(sentence), "asserted"),)
    bare = tongue.firm.sub(lambda found: " " * len(found[0]), sentence) if tongue.firm else sentence
    reader = _Reader(tongue, is_unspaced=language in UNSPACED)
    return tuple(clause for start, end in reader.halves(bare) for clause in reader.clauses(bare, start, end))


def speaks_to_you(text: str, language: str) -> bool:
    """Whether a word shows that whoever is spoken with is meant."""
    tongue = tongues().get(language)
    if tongue is None:
        return False
    if language in UNSPACED:
        return any(mark in text for mark in tongue.you)
    ends = tongue.you_ends is not None and tongue.you_ends.search(text) is not None
    return ends or not tongue.you.isdisjoint(_WORD.findall(text))


@dataclass(frozen=True, slots=True)
class _Reader:
    tongue: Tongue
    is_unspaced: bool

    def halves(self, text: str) -> list[tuple[int, int]]:
        """What stands before and after a "but"."""
        if not self.tongue.but:
            return [(0, len(text))]
        words = "|".join(re.escape(word) for word in self.tongue.but)
        pattern = words if self.is_unspaced else rf"\b(?:{words})\b"
        return _between([found.span() for found in re.finditer(pattern, text)], 0, len(text))

    def clauses(self, text: str, start: int, end: int) -> list[Clause]:
        spans = _between([found.span() for found in _BREAK.finditer(text, start, end)], start, end)
        whole: Stance = "asserted"
        if self._supposes(text[start:end]):
            whole = "supposed"
        elif any(self._reports(text[a:b]) for a, b in spans) and not self._agrees(text):
            whole = "reported"
        found: list[Clause] = []
        for a, b in spans:
            said = self._said(text[a:b])
            depends = bool(found) and found[-1].stance == "denied" and bool(said) and said[0] in self.tongue.opens
            denied = depends or self._denies(text[a:b], said)
            found.append(Clause(text[a:b], a, b, whole if whole != "asserted" else "denied" if denied else "asserted"))
        return found

    def _said(self, text: str) -> Sequence[str]:
        return _WORD.findall(text)

    def _has(self, text: str, marks: frozenset[str]) -> bool:
        if self.is_unspaced:
            return any(mark in text for mark in marks)
        return not marks.isdisjoint(self._said(text))

    def _supposes(self, text: str) -> bool:
        return self._has(text, self.tongue.supposes) or bool(self.tongue.when and self.tongue.when.search(text.strip()))

    def _reports(self, text: str) -> bool:
        if self._has(text, self.tongue.heard):
            return True
        said = self._said(text)
        if not self._has(text, self.tongue.reports) or not self.tongue.mine.isdisjoint(said):
            return False
        return not any(
            word in self.tongue.reports and not _EVERYTHING.isdisjoint(said[max(0, place - 2) : place])
            for place, word in enumerate(said)
        )

    def _agrees(self, text: str) -> bool:
        return self.tongue.agrees is not None and self.tongue.agrees.search(text) is not None

    def _denies(self, text: str, said: Sequence[str]) -> bool:
        if self.is_unspaced:
            return self._has(text, self.tongue.denies)
        places = [place for place, word in enumerate(said) if word in self.tongue.denies]
        return bool(places) and self.tongue.knows.isdisjoint(said[places[0] + 1 :])


def _between(breaks: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """The spans between breaks that hold anything."""
    edges = [start, *(place for span in breaks for place in span), end]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
