"""Kokoro is broken off in the middle of a line: whoever closes it does not wait for the rest."""

import asyncio

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.port import SpeechRequest
from dramaturg.voices.providers.kokoro_voice import KokoroVoice, fault

LONG = "The door was open all night, and nobody came in but the rain, which sat down and told us about the sea. " * 8


async def test_a_line_that_is_being_spoken_ends_when_the_engine_is_closed() -> None:
    if reason := fault():  # reads 90 MB, so it is not asked where tests are collected
        pytest.skip(reason)
    voice = KokoroVoice(threads=1)
    assert (await voice.speak(SpeechRequest(text="Hi.", voice="af_heart"))).pcm
    line = asyncio.create_task(voice.speak(SpeechRequest(text=LONG, voice="af_heart")))
    await asyncio.sleep(0.05)
    await voice.aclose()
    with pytest.raises((VoiceError, asyncio.CancelledError)):
        await line
