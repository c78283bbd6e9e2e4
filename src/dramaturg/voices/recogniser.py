"""The seam of ears: a recording in, its words out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Transcription:
    """What a recogniser heard. `language` is empty if it does not say."""

    text: str
    language: str = ""


class Recogniser(Protocol):
    """Speech to text."""

    @property
    def name(self) -> str: ...

    async def hear(self, sound: bytes, kind: str) -> Transcription:
        """Raises VoiceError."""
        ...

    async def aclose(self) -> None: ...
