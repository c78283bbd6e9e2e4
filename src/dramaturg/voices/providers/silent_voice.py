"""The silent double: silence of the right length. For tests, and for stages that only need the timing."""

from __future__ import annotations

from dramaturg.voices.port import Sound, SpeechRequest, VoiceListing, WordTime

RATE = 24_000
_LETTER, _WORD, _PAUSE = 0.055, 0.09, 0.25


class SilentVoice:
    """Takes as long as a person would. Accepts every voice."""

    engine = "silent"
    model = "silent-1"

    def known(self) -> tuple[VoiceListing, ...]:
        return ()

    async def speak(self, request: SpeechRequest) -> Sound:
        at, words = 0.0, []
        for word in request.text.split():
            length = (_WORD + _LETTER * sum(letter.isalnum() for letter in word)) / request.delivery.speed
            words.append(WordTime(word=word, start=round(at, 3), end=round(at + length, 3)))
            at += length + (_PAUSE / request.delivery.speed if word[-1] in ".!?…,;:—" else 0)
        return Sound(bytes(2 * round(at * RATE)), RATE, tuple(words), silent=True)

    async def aclose(self) -> None:
        """Nothing to close."""
