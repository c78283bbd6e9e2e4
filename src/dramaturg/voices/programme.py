"""A programme: separately recorded lines as one piece to listen to, and when each of them is heard.

Whatever is performed aloud (a scene, an ensemble's session) becomes a `Programme` of passages; from there on
everything is the same: the timeline here, the sound in `mixer`, the files in `export`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import groupby
from typing import Final, Literal

import orjson
from pydantic import Field

from dramaturg.kernel.values import Value, WireValue
from dramaturg.voices.recording import Recording

GAP_MS = 350
"""Between two lines that answer each other."""
LEAD_MS, TAIL_MS = 400, 900
WIDEST = 0.7
"""How far from the centre the outermost seats are; 1 would be heard in one ear only."""
QUESTION_ID: Final = "question"
"""The passage that asks what the others answer."""
SILENT: Final = "silent"
"""The engine that makes silence of the right length."""
MIXER: Final = 1
"""Raised when the same passages would give different bytes."""


class ProgrammePassage(Value):
    """A recorded line as a programme plays it.

    `seat` is its position, from -1 (left) to 1 (right). With `ends_at_ms` the recording is cut there; with
    `overlap_ms` the next passage begins that long before this one ends, and its own gap does not count. `text` is
    what a subtitle shows. Consecutive passages with the same `chapter` form one chapter.
    """

    id: str = Field(min_length=1)
    speaker: str
    text: str
    recording: Recording
    seat: float = Field(0.0, ge=-1, le=1)
    level: float = Field(0.0, ge=-40, le=6, description="louder or softer than other lines, in dB")
    gap_ms: int = Field(GAP_MS, ge=0, description="silence before it")
    ends_at_ms: int | None = Field(None, ge=1)
    overlap_ms: int = Field(0, ge=0)
    chapter: str = ""

    @property
    def length_ms(self) -> int:
        """How long it plays."""
        whole = self.recording.duration_ms
        return whole if self.ends_at_ms is None else min(whole, self.ends_at_ms)

    @property
    def is_cut(self) -> bool:
        return self.length_ms < self.recording.duration_ms


class MissingPassage(WireValue):
    """A line that could not be spoken and is therefore missing from the programme."""

    id: str
    speaker: str
    text: str
    reason: str


class Backdrop(Value):
    """What is heard beneath the lines. Levels are in dB; those of the music are relative to the lines."""

    room_tone_db: float | None = Field(-62.0, ge=-90, le=-40, description="of full scale; None for none")
    music: str = Field("", description="a sound file of any format and rate, repeated to the end")
    music_sha256: str = ""
    music_db: float = Field(-12.0, ge=-40, le=0, description="where nobody speaks")
    duck_db: float = Field(-24.0, ge=-60, le=0, description="under a line")


class Programme(Value):
    """Passages in playing order, and the lines that are missing."""

    title: str
    passages: tuple[ProgrammePassage, ...]
    missing: tuple[MissingPassage, ...] = ()
    lead_ms: int = Field(LEAD_MS, ge=0)
    tail_ms: int = Field(TAIL_MS, ge=0)
    backdrop: Backdrop | None = None

    @property
    def silent(self) -> bool:
        """Whether every line was made by the silent double."""
        return all(passage.recording.silent for passage in self.passages)

    def fingerprint(self) -> str:
        """Equal for programmes that give the same files."""
        plan = self.model_dump(mode="json", exclude={"passages": {"__all__": {"recording"}}, "backdrop": {"music"}})
        if self.backdrop is None:
            del plan["backdrop"]  # as it was before there was one
        sounds = [(passage.recording.sha256, passage.recording.duration_ms) for passage in self.passages]
        body = orjson.dumps([MIXER, plan, sounds], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(body).hexdigest()


class Placement(Value):
    """A passage on the timeline, in milliseconds from the first sample."""

    passage: ProgrammePassage
    start_ms: int
    end_ms: int


class Chapter(WireValue):
    """A part of a programme that a player can jump to."""

    title: str
    start_ms: int
    end_ms: int


class PassageRecord(WireValue):
    """A passage in the manifest: who, what, when, where, and from which file."""

    id: str
    speaker: str
    text: str
    start_ms: int
    end_ms: int
    cut: bool
    seat: float
    level: float
    engine: str
    voice: str
    profile: str | None
    path: str = Field(description="the recording, below the data folder")
    sha256: str


class ProgrammeManifest(WireValue):
    """`programme.json`: what was mixed, its measurements, and what is missing.

    `lufs` and `true_peak_db` describe the file as written; null if it is silent or too short to be measured.
    """

    schema_name: Literal["dramaturg.programme/1"] = Field("dramaturg.programme/1", alias="schema")
    title: str
    run: str
    kind: str
    wav: str
    captions: str
    chapters_file: str
    subtitles: str | None = None
    words: str | None = None
    backdrop: Backdrop | None = None
    duration_ms: int
    sample_rate: int
    channels: int
    bytes: int
    sha256: str
    lufs: float | None
    true_peak_db: float | None
    silent: bool
    fingerprint: str
    passages: tuple[PassageRecord, ...]
    chapters: tuple[Chapter, ...]
    missing: tuple[MissingPassage, ...] = ()

    @property
    def silence(self) -> str:
        """What cannot be heard because the silent double made it; empty if everything can."""
        many, total = sum(one.engine == SILENT for one in self.passages), len(self.passages)
        if not many:
            return ""
        which = "All lines" if many == total else f"{many} of {total} lines"
        return (
            f"{which} were made by the engine '{SILENT}', which is meant for tests: the timing is right, but nothing "
            f"can be heard. Have them spoken: dramaturg runs voice {self.run} --engine hibari"
        )


def timeline(programme: Programme) -> tuple[Placement, ...]:
    """Every passage with its time. Starts are in order; only a passage with an overlap is spoken over."""
    placed: list[Placement] = []
    high = 0
    for passage in programme.passages:
        start = _start(placed[-1], high, passage) if placed else programme.lead_ms
        placed.append(Placement(passage=passage, start_ms=start, end_ms=start + passage.length_ms))
        high = max(high, placed[-1].end_ms)
    return tuple(placed)


def _start(before: Placement, high: int, passage: ProgrammePassage) -> int:
    overlap = min(before.passage.overlap_ms, before.passage.length_ms // 2)
    return max(before.start_ms, before.end_ms - overlap) if overlap else high + passage.gap_ms


def duration_ms(programme: Programme, placed: Sequence[Placement]) -> int:
    """Up to the end of the last passage, plus the tail."""
    return max((placement.end_ms for placement in placed), default=programme.lead_ms) + programme.tail_ms


def chapters_of(programme: Programme, placed: Sequence[Placement]) -> tuple[Chapter, ...]:
    """Chapters without gaps, from the first sample to the last."""
    groups = [(title, list(group)) for title, group in groupby(placed, lambda placement: placement.passage.chapter)]
    starts = [0, *(group[0].start_ms for _, group in groups[1:])]
    ends = [*starts[1:], duration_ms(programme, placed)]
    return tuple(
        Chapter(title=title or programme.title, start_ms=start, end_ms=end)
        for (title, _), start, end in zip(groups, starts, ends, strict=True)
    )


def seats(count: int) -> tuple[float, ...]:
    """The positions of that many speakers, left to right: symmetric, evenly spread, wider the more there are.

    A single speaker sits in the centre; six fill the stage.
    """
    if count < 2:
        return (0.0,) * count
    width = WIDEST * min(1.0, (count + 1) / 6)
    return tuple(round(width * (2 * place / (count - 1) - 1), 4) for place in range(count))
