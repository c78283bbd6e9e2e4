"""The voice seam: text and a voice in, sound out.

An engine is a `Voice` with one method that speaks. Everything around it (what of a text is read aloud, which
voice a profile means, trimming, loudness, the file, the cache) is the booth's and the same for all engines.
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


class Delivery(Value):
    """How a line is to be spoken. An engine takes what it knows and leaves the rest."""

    speed: float = Field(1.0, ge=0.5, le=2.0, description="1 is the voice's own pace")
    stability: float | None = Field(None, ge=0, le=1, description="hosted engines: lower is livelier")
    similarity: float | None = Field(None, ge=0, le=1, description="hosted engines: nearness to the recorded voice")
    style: float | None = Field(None, ge=0, le=1, description="hosted engines: how far the style is carried")
    instructions: str = Field("", max_length=400, description="hosted engines that take a direction in words")


class Utterance(Value):
    """What an engine is asked for: words as they are read aloud, in one of its own voices."""

    text: str = Field(min_length=1)
    voice: str
    delivery: Delivery = Delivery()


@dataclass(frozen=True, slots=True)
class Sound:
    """What an engine gave: 16-bit little-endian mono samples as they came, neither trimmed nor levelled.

    `words` where the engine knows them. `silent` is the double's own word that nothing can be heard.
    """

    pcm: bytes
    sample_rate: int
    words: tuple[WordTime, ...] = ()
    silent: bool = False


class VoiceListing(Value):
    """A voice that an engine has."""

    name: str
    description: str = ""


class Voice(Protocol):
    """The seam. `engine` is its name in the settings, `model` what a cache must tell apart."""

    @property
    def engine(self) -> str: ...

    @property
    def model(self) -> str: ...

    def known(self) -> tuple[VoiceListing, ...]:
        """The voices it can be asked for; empty where only its server knows."""
        ...

    async def speak(self, utterance: Utterance) -> Sound:
        """The line, spoken. Raises VoiceError, and never gives silence for speech."""
        ...
