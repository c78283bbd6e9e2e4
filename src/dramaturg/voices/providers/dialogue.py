"""Dialogue rendered as a whole: grouped into as few requests as possible, and split back into its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from pydantic import BaseModel, Field, FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from dramaturg.voices.port import Sound, SpeechRequest
from dramaturg.voices.providers.alignment import CharacterTime, characters_in, words_from
from dramaturg.voices.providers.pieces import pieces_of

MOST_CHARACTERS = 2_000
MOST_VOICES = 10


class DialogueInput(NamedTuple):
    """A line, or a piece of one too long for a request; `line` is the index of its line."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Render:
    """The inputs of one request, in order."""

    inputs: tuple[DialogueInput, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines in it, each once."""
        return tuple(dict.fromkeys(one.line for one in self.inputs))


class _Segment(BaseModel):
    """When one input is heard, and which characters belong to it."""

    place: NonNegativeInt = Field(alias="dialogue_input_index")
    start: FiniteFloat = Field(alias="start_time_seconds")
    end: FiniteFloat = Field(alias="end_time_seconds")
    first: NonNegativeInt = Field(alias="character_start_index")
    last: NonNegativeInt = Field(alias="character_end_index")


_SEGMENTS = TypeAdapter(list[_Segment])


def renders_of(lines: Sequence[SpeechRequest]) -> list[Render]:
    """As few renders as the limits allow; a line is split only if it does not fit into one render."""
    renders: list[Render] = []
    group: list[DialogueInput] = []
    for place, line in enumerate(lines):
        for text in pieces_of(line.text, MOST_CHARACTERS):
            voices = {lines[one.line].voice for one in group} | {line.voice}
            if group and (
                sum(len(one.text) for one in group) + len(text) > MOST_CHARACTERS or len(voices) > MOST_VOICES
            ):
                renders.append(Render(tuple(group)))
                group = []
            group.append(DialogueInput(place, text))
    return [*renders, Render(tuple(group))] if group else renders


def split_back(render: Render, found: Mapping[str, object], pcm: bytes, rate: int) -> list[tuple[int, Sound]]:
    """Each line of a render with its part of the sound. Raises ValueError if they cannot be separated.

    The cut falls in the middle of the pause between two lines, or of the time in which both are heard.
    """
    segments = _segments(found.get("voice_segments"))
    spans = [_span(render, line, segments) for line in render.lines]
    between = [(max(one.end for one in a) + min(one.start for one in b)) / 2 for a, b in pairwise(spans)]
    cuts = [0.0, *between, len(pcm) // 2 / rate]
    starts = [min(one.start for one in span) for span in spans]
    if starts != sorted(starts) or any(later <= earlier for earlier, later in pairwise(cuts)):
        raise ValueError("its lines are not heard in the order they were written")
    heard = _indexed_characters(found, segments)
    own = ([one for segment in span for one in heard[segment.first : segment.last]] for span in spans)
    return [
        (line, _part(pcm, rate, moments, words))
        for line, moments, words in zip(render.lines, pairwise(cuts), own, strict=True)
    ]


def _span(render: Render, line: int, segments: Sequence[_Segment]) -> list[_Segment]:
    inputs = {place for place, one in enumerate(render.inputs) if one.line == line}
    own = [one for one in segments if one.place in inputs]
    if not own:
        raise ValueError(f"line {line + 1} is nowhere in it")
    return own


def _part(pcm: bytes, rate: int, between: tuple[float, float], heard: Sequence[CharacterTime]) -> Sound:
    begin, end = (round(moment * rate) for moment in between)
    own = pcm[begin * 2 : end * 2]
    if not own.strip(b"\0"):
        raise ValueError("one of its lines is silent")
    return Sound(own, rate, words_from(heard, begin=begin / rate, end=end / rate))


def _indexed_characters(found: Mapping[str, object], segments: Sequence[_Segment]) -> tuple[CharacterTime, ...]:
    """The alignment that the segments index: the one of exactly their length. None is better than a wrong one."""
    total = max(one.last for one in segments)
    both = (characters_in(found.get(name)) for name in ("normalized_alignment", "alignment"))
    return next((heard for heard in both if len(heard) == total), ())


def _segments(found: object) -> list[_Segment]:
    try:
        return _SEGMENTS.validate_python(found)
    except ValidationError as error:
        raise ValueError("it does not say who is heard when") from error
