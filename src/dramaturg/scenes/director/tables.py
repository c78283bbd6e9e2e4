"""The tables of words beside this file, in `lexicon/`: one way to read them, and each is read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files


@cache
def lexicon(name: str) -> Mapping[str, tuple[str, ...]]:
    """A table of rows of words, by the names of its rows."""
    text = (files(__package__) / "lexicon" / f"{name}.toml").read_text(encoding="utf-8")
    return {key: tuple(row) for key, row in tomllib.loads(text).items()}


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
    line = f"{' '.join(said)} "
    return any(line.startswith(f"{phrase} ") for phrase in phrases)
