"""ElevenLabs over its HTTP API: lines with word times, and whole dialogues in one request."""

from __future__ import annotations

import random
import re
from base64 import b64decode
from collections.abc import Sequence
from functools import partial

import orjson
from pydantic import JsonValue

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import VoiceRejected
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.settings import Settings
from dramaturg.voices.port import Sound, SpeechRequest, VoiceDelivery, VoiceListing
from dramaturg.voices.providers.alignment import characters_in, words_from
from dramaturg.voices.providers.dialogue import Render, renders_of, split_back
from dramaturg.voices.providers.pieces import joined, pieces_of
from dramaturg.voices.providers.samples import UnusableSoundError, from_pcm
from dramaturg.voices.providers.speech_client import (
    SpeechClient,
    SpeechResponse,
    checked_address,
    key_in,
)
from dramaturg.voices.providers.voice_faults import voice_unreadable

ENGINE = "elevenlabs"
HOME = "https://api.elevenlabs.io"
KEY_ENV = "ELEVENLABS_API_KEY"
USUAL_MODEL = "eleven_multilingual_v2"
USUAL_DIALOGUE_MODEL = "eleven_v3"
RATE = 24_000
# What the smallest plan allows. Starter allows 3, Creator 5, Pro 10, Scale and Business 15.
CONCURRENCY = 2
SLOWEST, FASTEST = 0.7, 1.2

# Characters per request by model prefix; the first match counts.
LIMITS = (
    ("eleven_flash_v2_5", 40_000),
    ("eleven_turbo_v2_5", 40_000),
    ("eleven_flash_v2", 30_000),
    ("eleven_turbo_v2", 30_000),
    ("eleven_multilingual_v2", 10_000),
    ("eleven_v4_turbo", 10_000),
)
USUAL_LIMIT = 3_000
_VOICE_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


class ElevenLabsVoice:
    """One model of ElevenLabs; a line's voice is the id of a voice in the account.

    Raw PCM is requested, since the length in ElevenLabs' WAV headers is never right. `settings.seed` is sent along;
    the provider treats it as best effort.
    """

    def __init__(self, settings: Settings, *, clock: Clock | None = None, chance: random.Random | None = None) -> None:
        voices = settings.voices
        variable = voices.key_env or KEY_ENV
        key = key_in(settings, ENGINE, variable)
        self._model = (voices.model or "").strip() or USUAL_MODEL
        self._seed = None if settings.seed is None else settings.seed % 2**32
        address = checked_address(ENGINE, voices.base_url or HOME).removesuffix("/v1")
        source = Source(ENGINE, self._model, address, (variable,), key)
        self._client = SpeechClient(
            settings, source, {"xi-api-key": key}, concurrency=CONCURRENCY, clock=clock, chance=chance
        )

    @property
    def engine(self) -> str:
        return ENGINE

    @property
    def model(self) -> str:
        return self._model

    @property
    def dialogue_model(self) -> str:
        """The model that renders dialogues: the configured one, if it can."""
        return self._model if _is_v3_or_later(self._model) else USUAL_DIALOGUE_MODEL

    def known(self) -> tuple[VoiceListing, ...]:
        return ()

    async def aclose(self) -> None:
        await self._client.aclose()

    async def listing(self) -> tuple[VoiceListing, ...]:
        """The voices of the account, as the server lists them. Raises VoiceError."""
        return await self._client.get("/v1/voices", self._listed)

    async def speak(self, request: SpeechRequest) -> Sound:
        """Raises VoiceError."""
        voice = self._checked(request)
        pieces = pieces_of(request.text, limit_of(self._model))
        sounds = []
        for place, text in enumerate(pieces):
            body: dict[str, JsonValue] = {"text": text, "model_id": self._model}
            if voice_settings := _voice_settings(request.delivery, self._model):
                body["voice_settings"] = voice_settings
            if len(pieces) > 1 and not _is_v3_or_later(self._model):
                # Models from v3 on reject the text around a piece.
                body |= {"previous_text": pieces[place - 1]} if place else {}
                body |= {"next_text": pieces[place + 1]} if place + 1 < len(pieces) else {}
            path = f"/v1/text-to-speech/{voice}/with-timestamps"
            sounds.append(
                await self._client.post(path, self._seeded(body), self._sound_in, output_format=f"pcm_{RATE}")
            )
        return joined(self._client.source, sounds)

    async def speak_dialogue(self, lines: Sequence[SpeechRequest]) -> tuple[Sound, ...]:
        """The lines rendered together, one sound for each, in order. Raises VoiceError.

        A dialogue takes as few requests as the limits allow: 10 voices, 2,000 characters each. Within a request the
        lines share the average of their delivery settings.
        """
        for line in lines:
            self._checked(line)
        sounds: list[list[Sound]] = [[] for _ in lines]
        for render in renders_of(lines):
            body: dict[str, JsonValue] = {
                "inputs": [{"text": one.text, "voice_id": lines[one.line].voice} for one in render.inputs],
                "model_id": self.dialogue_model,
            }
            if shared := _shared_settings([lines[one.line].delivery for one in render.inputs], self.dialogue_model):
                body["settings"] = shared
            parts = await self._client.post(
                "/v1/text-to-dialogue/with-timestamps",
                self._seeded(body),
                partial(self._dialogue_in, render=render),
                output_format=f"pcm_{RATE}",
            )
            for place, part in parts:
                sounds[place].append(part)
        return tuple(joined(self._client.source, of_line) for of_line in sounds)

    def _checked(self, request: SpeechRequest) -> str:
        name = self._client.source.name
        if not request.text.strip():
            raise VoiceRejected(f"{name}: there is nothing in the line to read aloud.", engine=ENGINE)
        if not _VOICE_ID.fullmatch(request.voice):
            raise VoiceRejected(
                f"{name}: '{request.voice}' is not the id of a voice. `dramaturg voices` lists the ids of this "
                "account; put one under [voices.cast].",
                engine=ENGINE,
                voice=request.voice,
            )
        return request.voice

    def _seeded(self, body: dict[str, JsonValue]) -> dict[str, JsonValue]:
        return body if self._seed is None else {**body, "seed": self._seed}

    def _sound_in(self, response: SpeechResponse) -> Sound:
        found, pcm = self._decoded(response)
        characters = characters_in(found.get("normalized_alignment")) or characters_in(found.get("alignment"))
        return Sound(pcm, RATE, words_from(characters, end=len(pcm) / 2 / RATE))

    def _dialogue_in(self, response: SpeechResponse, render: Render) -> list[tuple[int, Sound]]:
        found, pcm = self._decoded(response)
        try:
            return split_back(render, found, pcm, RATE)
        except ValueError as error:
            raise voice_unreadable(
                self._client.source, f"a dialogue whose lines cannot be separated: {error}"
            ) from error

    def _decoded(self, response: SpeechResponse) -> tuple[dict[str, object], bytes]:
        try:
            found = orjson.loads(response.body)
            encoded = found["audio_base64"]
            pcm = from_pcm(b64decode(encoded, validate=True), RATE).pcm
        except UnusableSoundError as error:
            raise voice_unreadable(self._client.source, str(error)) from error
        except (KeyError, TypeError, ValueError) as error:
            raise voice_unreadable(self._client.source, "no speech", response.body[:300]) from error
        return found, pcm

    def _listed(self, response: SpeechResponse) -> tuple[VoiceListing, ...]:
        try:
            return tuple(
                VoiceListing(name=row["voice_id"], description=_described(row))
                for row in orjson.loads(response.body)["voices"]
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise voice_unreadable(self._client.source, "no list of voices", response.body[:300]) from error


def limit_of(model: str) -> int:
    """How many characters one request may have; the lowest limit for an unknown model."""
    return next((limit for start, limit in LIMITS if model.startswith(start)), USUAL_LIMIT)


def _is_v3_or_later(model: str) -> bool:
    return re.match(r"eleven_v[3-9]", model) is not None


def _voice_settings(delivery: VoiceDelivery, model: str) -> dict[str, JsonValue]:
    if model.startswith("eleven_v3"):
        return {} if delivery.stability is None else {"stability": _snapped(delivery.stability)}
    wanted: dict[str, JsonValue] = {
        "stability": delivery.stability,
        "similarity_boost": delivery.similarity,
        "style": delivery.style,
        "speed": None if delivery.speed == 1.0 else min(max(delivery.speed, SLOWEST), FASTEST),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _shared_settings(deliveries: Sequence[VoiceDelivery], model: str) -> dict[str, JsonValue]:
    stability = _average([one.stability for one in deliveries])
    similarity = _average([one.similarity for one in deliveries])
    if model.startswith("eleven_v3"):
        return {} if stability is None else {"stability": _snapped(stability)}
    wanted: dict[str, JsonValue] = {"stability": stability, "similarity": similarity}
    return {name: value for name, value in wanted.items() if value is not None}


def _average(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return round(sum(given) / len(given), 3) if given else None


def _snapped(stability: float) -> float:
    """Version 3 accepts only creative, natural and robust."""
    return min((0.0, 0.5, 1.0), key=lambda step: abs(step - stability))


def _described(row: dict[str, object]) -> str:
    labels = row.get("labels")
    told = [row.get("name"), *(labels.values() if isinstance(labels, dict) else ())]
    return ", ".join(str(value) for value in told if value and isinstance(value, str | int | float))
