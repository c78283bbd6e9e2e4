"""Word times from the times of single characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pydantic import BaseModel, FiniteFloat, ValidationError

from dramaturg.voices.port import WordTime


class CharacterTime(NamedTuple):
    """A character, and when it is heard."""

    character: str
    start: float
    end: float


class _Alignment(BaseModel):
    characters: list[str]
    character_start_times_seconds: list[FiniteFloat]
    character_end_times_seconds: list[FiniteFloat]


def characters_in(found: object) -> tuple[CharacterTime, ...]:
    """The characters of an alignment; empty if it is missing or inconsistent."""
    try:
        rows = _Alignment.model_validate(found)
        starts, ends = rows.character_start_times_seconds, rows.character_end_times_seconds
        return (
            tuple(map(CharacterTime, rows.characters, starts, ends))
            if len(rows.characters) == len(starts) == len(ends)
            else ()
        )
    except ValidationError:
        return ()


def words_from(heard: Sequence[CharacterTime], *, begin: float = 0.0, end: float) -> tuple[WordTime, ...]:
    """The words between two moments of a recording, timed from the first moment.

    Text in square brackets is a direction and not a word; neither is a dash between two words.
    """
    length = end - begin
    words: list[WordTime] = []
    for word in _by_word(_without_directions(heard)):
        text = "".join(one.character for one in word)
        if any(map(str.isalnum, text)):
            start = min(max(min(one.start for one in word) - begin, 0.0), length)
            stop = min(max(max(one.end for one in word) - begin, start), length)
            words.append(WordTime(word=text, start=round(start, 4), end=round(stop, 4)))
    return tuple(words)


def _by_word(heard: Sequence[CharacterTime]) -> Iterator[list[CharacterTime]]:
    for is_space, run in groupby(heard, lambda one: not one.character.strip()):
        if not is_space:
            yield list(run)


def _without_directions(heard: Sequence[CharacterTime]) -> list[CharacterTime]:
    """An unclosed bracket counts as text."""
    kept: list[CharacterTime] = []
    opened: int | None = None
    for one in heard:
        if one.character == "[" and opened is None:
            opened = len(kept)
        kept.append(one)
        if one.character == "]" and opened is not None:
            kept[opened:] = [one._replace(character=" ")]
            opened = None
    return kept
