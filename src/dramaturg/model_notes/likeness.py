"""How alike two lines are, and when they are too alike to appear in one scene."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

TOO_ALIKE = 0.3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


@lru_cache(maxsize=4096)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _words(text)
    size = 3 if len(words) >= 3 else len(words)
    return frozenset(words[place : place + size] for place in range(len(words) - size + 1))


def likeness(one: str, other: str, common: tuple[str, ...] = ()) -> float:
    """The share of three-word runs in common, relative to the shorter line; 1.0 for the same words."""
    first, second = _runs(one), _runs(other)
    if first == second or not first or not second:
        return 1.0 if first == second else 0.0
    shared = (first & second).difference(*(_runs(phrase) for phrase in common))
    return len(shared) / min(len(first), len(second))


@dataclass
class SpokenLines:
    """The lines said so far. Phrases in `common` may be repeated."""

    common: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.lines.append(text)

    def copy(self) -> SpokenLines:
        return SpokenLines(self.common, list(self.lines))

    def fresh(self, text: str, *, strict: bool = True) -> bool:
        """Whether a line repeats none before it; if strict, it must not begin like one of the last three either."""
        if any(likeness(text, line, self.common) > TOO_ALIKE for line in self.lines):
            return False
        return not strict or not self._begins_like(text, self.lines[-3:])

    @staticmethod
    def _begins_like(text: str, lines: Iterable[str]) -> bool:
        head = _words(text)[:2]
        return any(_words(line)[:2] == head for line in lines)
