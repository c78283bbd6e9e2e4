"""What tests of spoken sessions need: a studio whose voices come from a local speech server."""

from __future__ import annotations

import wave
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from dramaturg.episodes import wire
from dramaturg.episodes.wire import AudioEvent, StreamEvent
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.settings import EpisodeSettings, VoiceSettings, read_settings
from dramaturg.studio import Studio
from tests.episodes.staging import FLIRT, spoken, studio_of
from tests.voice_server.server import VoiceServer

TALK: dict[str, object] = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
TWO = spoken("You took your time, my friend. Sit down where I can see you.")


@asynccontextmanager
async def voiced(
    project: Path, model: Model, server: VoiceServer, template: Mapping[str, object] = TALK, **episodes: Any
) -> AsyncIterator[Studio]:
    settings = read_settings(project, {"HOUSE_KEY": "k" * 20}).model_copy(
        update={
            "voices": VoiceSettings(
                engine="openai-compatible", base_url=server.url, model="house-voice", key_env="HOUSE_KEY"
            ),
            "episodes": EpisodeSettings(**{"voice": True, **episodes}),
            "seed": 1,
        }
    )
    async with studio_of(project, model, template, settings=settings) as studio:
        yield studio


def asked(server: VoiceServer) -> list[str]:
    return [one.body["input"] for one in server.requests]


async def shown(studio: Studio, session: str) -> list[StreamEvent]:
    """Everything that its player is shown of a session at rest, apart from pieces of answers."""
    await studio.episodes.settle(session)
    opened = await studio.episodes.session(session)
    found = (wire.shown(entry, opened.state) for entry in opened.run.entries)
    return [event for event in found if event is not None]


def audio(events: list[StreamEvent]) -> list[AudioEvent]:
    return [one for one in events if isinstance(one, AudioEvent)]


def folder(studio: Studio, session: str) -> Path:
    return studio.artifacts.path(f"sessions/{session}")


def files(studio: Studio, session: str) -> list[str]:
    return sorted(path.name for path in folder(studio, session).glob("*"))


def check_wav(path: Path, event: AudioEvent) -> None:
    """The file is a WAV file, and is what the event says."""
    data = path.read_bytes()
    assert (len(data), sha256(data).hexdigest()) == (event.bytes, event.sha256)
    with wave.open(str(path)) as wav:
        assert wav.getframerate() == event.sample_rate
        assert abs(wav.getnframes() / wav.getframerate() * 1000 - event.duration_ms) <= 1
        assert any(wav.readframes(wav.getnframes()))
