"""How a player talks, judged by rules: confident, hesitant, playful, warm, and so on."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from dramaturg.kernel.text.words import words


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    phrases: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str] | None


@cache
def _kinds() -> tuple[_Kind, ...]:
    table = tomllib.loads((files(__package__) / "signals.toml").read_text(encoding="utf-8"))
    return tuple(
        _Kind(
            name,
            tuple(words(phrase) for phrase in row["phrases"].split("|") if words(phrase)),
            re.compile(row["pattern"], re.IGNORECASE) if "pattern" in row else None,
        )
        for name, row in table.items()
    )


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
    return any(_has(said, phrase) for phrase in kind.phrases)


def _has(said: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(said[place : place + size] == phrase for place in range(len(said) - size + 1))
