"""The tables of words beside this file, in `lexicon/`: one way to read them, and each is read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from dramaturg.kernel.text.tables import table


@cache
def lexicon(name: str) -> Mapping[str, tuple[str, ...]]:
    """A table of rows of words, by the names of its rows."""
    return {key: tuple(row) for key, row in table(__package__, f"lexicon/{name}.toml").items()}


@cache
def row_set(table: str, row: str) -> frozenset[str]:
    """One row of a table, to look words up in."""
    return frozenset(lexicon(table)[row])


def meets(said: Sequence[str], phrases: Sequence[str]) -> bool:
    """Whether one of these phrases stands among the words, word for word."""
    line = f" {' '.join(said)} "
    return any(f" {phrase} " in line for phrase in phrases)


def begins(said: Sequence[str], phrases: Sequence[str]) -> bool:
    """Whether the words begin with one of these phrases."""
    longest = max((phrase.count(" ") for phrase in phrases), default=0) + 1
    line = f"{' '.join(said[:longest])} "
    return any(line.startswith(f"{phrase} ") for phrase in phrases)
