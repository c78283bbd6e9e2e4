"""A booth that writes small, real WAV files: the length of the words, a tone for each voice."""

from __future__ import annotations

import asyncio
import io
import math
import struct
import wave
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256

from dramaturg.kernel.store import Artifacts
from dramaturg.voices.port import WordTime
from dramaturg.voices.profiles import casting
from dramaturg.voices.queue import ANY_TIME, SpeechOrder
from dramaturg.voices.recording import Recording

RATE = 8000
Fault = Callable[[int, str], Exception | None]


class ToneBooth:
    """Records a tone instead of speech. `fault(n, text)` may fail the n-th recording, `gate` holds all of them up."""

    def __init__(self, artifacts: Artifacts, fault: Fault | None = None, gate: asyncio.Event | None = None) -> None:
        self._artifacts, self._fault, self._gate = artifacts, fault, gate
        self.recorded: list[tuple[str, str, str | None, str | None]] = []
        self.languages: list[str] = []
        self.orders: list[SpeechOrder] = []
        self.engine, self.remark = "silent", ""

    def casting(self, pins: Sequence[str | None]) -> tuple[str, ...]:
        return casting(self.engine, pins)

    def lane(self, name: str) -> AbstractContextManager[None]:
        return nullcontext()

    async def copy_at(self, recording: Recording, rate: int, to: str) -> Recording:
        await asyncio.to_thread(self._artifacts.write_bytes, to, self._artifacts.path(recording.path).read_bytes())
        return recording.model_copy(update={"path": to, "sample_rate": rate})

    async def record(
        self,
        text: str,
        to: str,
        *,
        profile: str | None,
        voice: str | None,
        language: str = "",
        order: SpeechOrder = ANY_TIME,
    ) -> Recording:
        self.recorded.append((text, to, profile, voice))
        self.languages.append(language)
        self.orders.append(order)
        number = len(self.recorded)
        if self._gate is not None:
            await self._gate.wait()
        if self._fault is not None and (error := self._fault(number, text)) is not None:
            raise error
        words = text.split()
        data = tone(max(1, len(words)) * 0.02, 3 + sum((voice or "a").encode()) % 7)
        await asyncio.to_thread(self._artifacts.write_bytes, to, data)
        times = tuple(
            WordTime(word=word, start=place * 0.02, end=(place + 1) * 0.02) for place, word in enumerate(words)
        )
        return Recording(
            path=to, engine="tone", voice=voice or "a", profile=profile, spoken=text, sample_rate=RATE,
            duration_ms=max(1, len(words)) * 20, bytes=len(data), lufs=-16.0, words=times,
            sha256=sha256(data).hexdigest(),
        )  # fmt: skip


def tone(seconds: float, period: int = 4) -> bytes:
    frames = (int(8000 * math.sin(n / period)) for n in range(int(RATE * seconds)))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", frame) for frame in frames))
    return out.getvalue()
