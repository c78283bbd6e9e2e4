"""Speech: OpenAI's protocol in front of the voices."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import Response
from pydantic import ConfigDict, Field, JsonValue

from dramaturg.characters import load_card
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.values import Value
from dramaturg.server.completions.targets import VOICE
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.studio import Studio
from dramaturg.voices.booth import Booth
from dramaturg.voices.wav import read_wav

router = api_router(prefix="/v1", tags=["compatible"])
LONGEST = 4096
FOLDER = "artifacts/tts/speech"
FOREIGN_MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
FOREIGN_VOICES = (
    "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse",
)  # fmt: skip
"""OpenAI's own voices, which chat programs ask for unless told otherwise. Each stands for one of the engine's."""
EXAMPLE: dict[str, JsonValue] = {"model": VOICE, "voice": "character/alice", "input": "You opened my letter, Bob."}


class VoiceId(Value):
    """A voice by its id."""

    id: str = Field(min_length=1, max_length=200)


class SpeechWish(Value):
    """A request as OpenAI defines it. Fields that are not listed here are accepted and have no effect."""

    model_config = ConfigDict(frozen=True, extra="allow", json_schema_extra={"examples": [EXAMPLE]})

    model: str = Field(max_length=200, description="`voice/default`, or `voice/` and the engine that speaks here")
    input: str = Field(min_length=1, max_length=LONGEST, description="the text to speak")
    voice: str | VoiceId = Field(
        description="a voice or a profile of `GET /v1/ensemble`, `character/NAME` for that of a card, or one of "
        "OpenAI's names",
        examples=["character/alice"],
    )
    response_format: Literal["wav", "pcm", "mp3", "opus", "aac", "flac"] | None = Field(
        None, description="`wav` (the default here) or `pcm`; the others cannot be made here"
    )

    @property
    def voice_name(self) -> str:
        return self.voice if isinstance(self.voice, str) else self.voice.id


@router.post(
    "/audio/speech",
    summary="Speak a text",
    response_class=Response,
    responses={
        200: {
            "description": "The sound: mono, 16 bit, at -16 LUFS.",
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}} for kind in ("audio/wav", "audio/pcm")
            },
        },
        **declared_errors(404, 413, 422, 502, 503, json=False),
    },
)
async def speak_text(wish: SpeechWish, studio: OpenStudio) -> Response:
    """Speak a text with a voice of this server, levelled as every line here is."""
    if wish.response_format not in (None, "wav", "pcm"):
        raise InvalidConfig(
            f"'{wish.response_format}' cannot be made here. Ask for the response_format 'wav' or 'pcm'."
        )
    booth = await studio.booth.open()
    if wish.model not in (VOICE, f"voice/{booth.engine}", *FOREIGN_MODELS):
        raise NotFound(
            f"There is no '{wish.model[:100]}' to speak with. Use {VOICE}; the engine here is {booth.engine}.",
            model=wish.model[:100],
        )
    voice, speaker = await _voice(wish.voice_name, booth, studio)
    to = f"{FOLDER}/{new_id(studio.resources.clock.now())}.wav"
    path = studio.artifacts.path(to)
    try:
        await booth.record(wish.input, to, voice=voice, speaker=speaker, keep=False)
        data = await asyncio.to_thread(path.read_bytes)
    finally:
        await asyncio.to_thread(path.unlink, missing_ok=True)
    if wish.response_format == "pcm":
        return Response(read_wav(data).pcm, media_type="audio/pcm")
    return Response(data, media_type="audio/wav")


async def _voice(name: str, booth: Booth, studio: Studio) -> tuple[str | None, str | None]:
    """The voice to pin, and the speaker whose voice it is. Raises CharacterLoadError, VoiceError."""
    if name.startswith("character/"):
        card = await asyncio.to_thread(load_card, studio.settings.project, name.removeprefix("character/"))
        return card.voice, card.name
    known = [one.name for one in booth.voice.known()]
    if name in FOREIGN_VOICES and name not in known:
        return (known[FOREIGN_VOICES.index(name) % len(known)], None) if known else (None, None)
    return name, None
