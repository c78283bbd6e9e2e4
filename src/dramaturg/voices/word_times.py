"""When every word of a programme is heard: as the engine says, else estimated from syllables, and marked so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.voices.port import WordTime
from dramaturg.voices.programme import Placement

TimeSource = Literal["engine", "estimated"]
_VOWELS = re.compile(r"[aeiouyàâäáãåæèéêëìíîïòóôöõøœùúûüýÿ]+", re.IGNORECASE)
_PAUSES = {",": 1.0, ";": 1.5, ":": 1.5, "—": 1.5, "–": 1.5, ".": 2.5, "!": 2.5, "?": 2.5, "…": 2.5}


class ProgrammeWord(WireValue):
    """A word and when it is heard, in milliseconds from the first sample of the programme."""

    word: str
    start_ms: int
    end_ms: int


class SpokenPassage(WireValue):
    """One line: what its caption shows, when it is heard, and its words. `source` says how their times were found.

    Files of an older version have no text and no times of the line, only those of its words.
    """

    id: str
    speaker: str
    text: str = ""
    start_ms: int = 0
    end_ms: int = 0
    source: TimeSource = Field(description="engine: measured by the speech engine; estimated: from syllables")
    words: tuple[ProgrammeWord, ...]


class ProgrammeWords(WireValue):
    """The file of word times."""

    schema_name: Literal["dramaturg.words/1"] = Field("dramaturg.words/1", alias="schema")
    passages: tuple[SpokenPassage, ...]


def words_of(placed: Sequence[Placement]) -> ProgrammeWords:
    """Every word of every line; those behind a cut are left out."""
    return ProgrammeWords(passages=tuple(_passage(one) for one in placed))


def _passage(placement: Placement) -> SpokenPassage:
    recording, passage = placement.passage.recording, placement.passage
    source: TimeSource = "engine" if recording.words else "estimated"
    times = recording.words or tuple(estimated(recording.spoken, recording.duration_ms / 1000))
    words = [word for word in times if round(1000 * word.start) < passage.length_ms]
    return SpokenPassage(
        id=passage.id,
        speaker=passage.speaker,
        text=passage.text,
        start_ms=placement.start_ms,
        end_ms=placement.end_ms,
        source=source,
        words=tuple(
            ProgrammeWord(
                word=word.word,
                start_ms=placement.start_ms + round(1000 * word.start),
                end_ms=min(placement.end_ms, placement.start_ms + round(1000 * word.end)),
            )
            for word in words
        ),
    )


def estimated(spoken: str, seconds: float) -> Iterator[WordTime]:
    """The words spread over the sound by their syllables, with a rest after each mark."""
    words = spoken.split()
    beats = [syllables(word) for word in words]
    rests = [_PAUSES.get(word[-1], 0.15) for word in words]
    if rests:
        rests[-1] = 0.0
    whole = sum(beats) + sum(rests)
    at = 0.0
    for word, beat, rest in zip(words, beats, rests, strict=True):
        step = seconds / whole
        yield WordTime(word=word, start=round(at, 3), end=round(at + beat * step, 3))
        at += (beat + rest) * step


def syllables(word: str) -> float:
    """Groups of vowels; for other scripts, letters; for digits, about two each. At least one."""
    groups = len(_VOWELS.findall(word))
    digits = sum(letter.isdecimal() for letter in word)
    foreign = sum(letter.isalpha() and ord(letter) > 0x24F for letter in word)
    wide = sum("぀" <= letter <= "鿿" or "가" <= letter <= "힣" for letter in word)
    return max(1.0, groups + 2.0 * digits + 0.4 * (foreign - wide) + wide)
