"""How a player talks, judged by rules: confident, hesitant, playful, warm, and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import words


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    phrases: dict[str, list[tuple[str, ...]]]
    """By their first word."""
    pattern: re.Pattern[str] | None


@cache
def _kinds() -> tuple[_Kind, ...]:
    return tuple(
        _Kind(
            name,
            _by_first_word(row["phrases"].split("|")),
            re.compile(row["pattern"], re.IGNORECASE) if "pattern" in row else None,
        )
        for name, row in table(__package__, "signals.toml").items()
    )


def _by_first_word(phrases: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in filter(None, map(words, phrases)):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def signal_kinds() -> tuple[str, ...]:
    """Every kind of signal."""
    return tuple(kind.name for kind in _kinds())


@lru_cache(maxsize=4096)
def signals_in(text: str) -> tuple[str, ...]:
    """The kinds of signal in a text, in the order of the lexicon."""
    said = words(text)
    return tuple(kind.name for kind in _kinds() if _shows(kind, text, said))


def _shows(kind: _Kind, text: str, said: tuple[str, ...]) -> bool:
    if kind.pattern is not None and kind.pattern.search(text):
        return True
    return any(
        said[place : place + len(phrase)] == phrase
        for place, word in enumerate(said)
        for phrase in kind.phrases.get(word, ())
    )
