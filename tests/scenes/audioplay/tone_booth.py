"""A booth that records tones: one pitch a voice, real files, words spread evenly; and it fails where it is told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.queue import ANY_TIME, SpeechOrder
from dramaturg.voices.recording import Recording
from tests.voices.tone_lines import tone_line

PITCHES = {"low": 180.0, "middle": 260.0, "high": 390.0, "teller": 140.0, "spare": 520.0}


@dataclass
class ToneBooth:
    root: Path
    timed: bool = True
    fails_on: str | None = None
    asked: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    engine: str = "tone"
    tells: str = "teller"

    def casting(self, pins: Sequence[str | None]) -> tuple[str, ...]:
        if unknown := next((pin for pin in pins if pin and pin not in PITCHES), None):
            raise VoiceError(f"tone has no voice '{unknown}'.")
        free = iter([name for name in PITCHES if name not in pins])
        return tuple(pin or next(free) for pin in pins)

    def narrator(self) -> str:
        return self.casting([self.tells])[0]

    async def record(
        self,
        text: str,
        to: str,
        *,
        profile: str | None = None,
        voice: str | None = None,
        language: str = "",
        order: SpeechOrder = ANY_TIME,
    ) -> Recording:
        self.asked.append((text, profile, voice))
        if self.fails_on is not None and self.fails_on in text:
            raise VoiceError("The engine lost its voice.")
        words = text if self.timed else ""
        made = tone_line(self.root, to, 200 * len(text.split()), pitch=PITCHES[voice or "low"], words=words)
        return made.model_copy(update={"voice": voice, "profile": profile, "spoken": text})
