"""Short ways for tests to ask: a hosted voice whose server is the local one."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import Settings, VoiceSettings
from dramaturg.voices.port import SpeechRequest, VoiceDelivery
from dramaturg.voices.providers.elevenlabs_voice import ElevenLabsVoice
from dramaturg.voices.providers.openai_voice import OpenAICompatibleVoice
from tests.voice_server.server import VoiceServer

KEY = "xi-0123456789-not-to-be-told"
ENV = {"ELEVENLABS_API_KEY": KEY, "HOUSE_KEY": KEY}
BOTH = ("elevenlabs", "openai-compatible")


@dataclass
class Booth:
    """A server, a voice that knows no other, and the clock that retries go by."""

    server: VoiceServer
    voice: Any
    clock: StillClock

    async def say(self, text: str = "Good evening.", voice: str = "ada", **delivery: Any) -> Any:
        return await self.voice.speak(SpeechRequest(text=text, voice=voice, delivery=VoiceDelivery(**delivery)))


def settings_for(engine: str, url: str, *, seed: int | None = None, **changes: Any) -> Settings:
    asked: dict[str, Any] = {"engine": engine, "base_url": url, "key_env": "HOUSE_KEY", "timeout": 20.0}
    if engine == "openai-compatible":
        asked["model"] = "house-voice"
    return Settings(voices=VoiceSettings(**{**asked, **changes}), seed=seed, env=ENV)


def open_voice(settings: Settings, clock: StillClock) -> Any:
    kind = ElevenLabsVoice if settings.voices.engine == "elevenlabs" else OpenAICompatibleVoice
    return kind(settings, clock=clock, chance=random.Random(4))


@asynccontextmanager
async def booth(engine: str, *, plan: int | None = None, **changes: Any) -> AsyncGenerator[Booth, None]:
    async with VoiceServer(plan=plan) as server:
        clock = StillClock()
        voice = open_voice(settings_for(engine, server.url, **changes), clock)
        try:
            yield Booth(server, voice, clock)
        finally:
            await voice.aclose()
