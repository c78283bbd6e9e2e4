"""The voice seam: text and a voice in, sound out.

An engine is a `Voice` with one method that speaks. Everything around it (which part of a text is read aloud, which
voice a profile stands for, trimming, loudness, the file, the cache) is done by the booth, the same for all engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from dramaturg.kernel.values import Value


class WordTime(Value):
    """When a word is heard, in seconds from the first sample."""

    word: str
    start: float
    end: float


class VoiceDelivery(Value):
    """How a line is to be spoken. An engine ignores what it does not support."""

    speed: float = Field(1.0, ge=0.5, le=2.0, description="1 is the voice's own pace")
    stability: float | None = Field(None, ge=0, le=1, description="hosted engines: lower is livelier")
    similarity: float | None = Field(None, ge=0, le=1, description="hosted engines: closeness to the recorded voice")
    style: float | None = Field(None, ge=0, le=1, description="hosted engines: how strong the style is")
    instructions: str = Field("", max_length=400, description="hosted engines that accept directions in words")


class SpeechRequest(Value):
    """A request to an engine: the words to read aloud, and one of its own voices."""

    text: str = Field(min_length=1)
    voice: str
    delivery: VoiceDelivery = VoiceDelivery()


@dataclass(frozen=True, slots=True)
class Sound:
    """The raw result of an engine: 16-bit little-endian mono samples, neither trimmed nor levelled.

    `words` if the engine gives word times. `silent` is set by the silent double only.
    """

    pcm: bytes
    sample_rate: int
    words: tuple[WordTime, ...] = ()
    silent: bool = False


class VoiceListing(Value):
    """A voice of an engine."""

    name: str
    description: str = ""


class Voice(Protocol):
    """The seam. `engine` is its name in the settings; `model` is part of the cache key."""

    @property
    def engine(self) -> str: ...

    @property
    def model(self) -> str: ...

    def known(self) -> tuple[VoiceListing, ...]:
        """The voices it offers; empty if only its server knows them."""
        ...

    async def speak(self, request: SpeechRequest) -> Sound:
        """Synthesize the line. Raises VoiceError, and never returns silence for speech."""
        ...
