"""Sounds for the tests of what is done with sound, made without an engine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.mastering import sixteen_bits
from dramaturg.voices.port import Sound, SpeechRequest, VoiceListing, WordTime

RATE = 24_000


def babble(seconds: float, *, level: float = 0.2, rate: int = RATE, seed: int = 1) -> np.ndarray:
    """Noise in syllables, four to a second, as unsteady as speech."""
    chance = np.random.default_rng(seed)
    count = round(seconds * rate)
    at = np.arange(count) / rate
    syllables = (0.55 + 0.45 * np.sin(2 * np.pi * 4 * at)) ** 2
    tone = np.sin(2 * np.pi * 140 * at) + 0.5 * np.sin(2 * np.pi * 700 * at) + 0.2 * chance.standard_normal(count)
    return (level * syllables * tone / 1.7).astype(np.float32)


def line(*parts: np.ndarray | float, words: Sequence[WordTime] = (), rate: int = RATE) -> Sound:
    """Pieces of sound, and numbers for seconds of silence."""
    whole = [np.zeros(round(part * rate), np.float32) if isinstance(part, float) else part for part in parts]
    return Sound(sixteen_bits(np.concatenate(whole)), rate, tuple(words))


class BabblingVoice:
    """An engine that babbles, counts what it was asked for, and fails or falls silent on demand."""

    engine = "hibari"
    model = "babble"

    def __init__(self) -> None:
        self.asked: list[SpeechRequest] = []
        self.at_once = self.most_at_once = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.closed = False

    def known(self) -> tuple[VoiceListing, ...]:
        return (VoiceListing(name="heart"), VoiceListing(name="deep"))

    async def speak(self, request: SpeechRequest) -> Sound:
        self.asked.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(0)
            await self.gate.wait()
        finally:
            self.at_once -= 1
        if "fail" in request.text:
            raise VoiceError("The babbler lost its voice.")
        if "silence" in request.text:
            return line(1.0)
        length = 0.3 + 0.05 * len(request.text)
        return line(0.3, babble(length, seed=len(request.text)), 0.6, words=(_word(request.text, length),))

    async def aclose(self) -> None:
        self.closed = True


def _word(text: str, length: float) -> WordTime:
    return WordTime(word=text.split()[-1], start=0.3, end=0.3 + length + 0.5)
