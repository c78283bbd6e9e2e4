"""A recorded line: what was spoken, by which voice, and the measurements of its file."""

from __future__ import annotations

from operator import not_

from pydantic import Field

from dramaturg.kernel.values import Value
from dramaturg.voices.port import WordTime


class Recording(Value):
    """A WAV file among the artifacts, and its measurements. `lufs` is None if the line is too short to be measured."""

    path: str = Field(description="below the data folder, with forward slashes")
    engine: str
    voice: str
    profile: str | None = None
    spoken: str = Field(description="the words that were read aloud")
    duration_ms: int
    sample_rate: int
    bytes: int
    sha256: str
    lufs: float | None = None
    peak_db: float | None = None
    words: tuple[WordTime, ...] = ()
    cached: bool = False
    language: str = Field(
        "", description="the language it was spoken in, such as en; empty if it was not told apart", exclude_if=not_
    )
    floor_db: float | None = Field(
        None, description="the noise between the words, in dBFS; None without a pause", exclude_if=not_
    )
    silent: bool = Field(False, description="made by the silent double, so there is nothing to hear")
