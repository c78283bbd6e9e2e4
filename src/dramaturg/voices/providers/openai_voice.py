"""Any server that implements `POST /audio/speech` as OpenAI defined it.

Kokoro-FastAPI, speaches, LocalAI, OpenRouter and others do. OpenAI's own service does too, but all of its speech
models are announced to end on 2027-01-06; so there are no defaults: the author sets the address and the model.
"""

from __future__ import annotations

import random
import re
from contextlib import suppress
from functools import partial
from typing import Literal

import orjson
from pydantic import JsonValue

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import VoiceRejected, VoiceUnavailable
from dramaturg.kernel.models.providers.faults import Source, status_in
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.digits import whole_number
from dramaturg.voices.port import Sound, SpeechRequest, VoiceListing
from dramaturg.voices.providers.pieces import joined, pieces_of
from dramaturg.voices.providers.samples import (
    CutShortError,
    Samples,
    UnusableSoundError,
    from_pcm,
    from_wav,
    is_wav,
    other_sound,
)
from dramaturg.voices.providers.speech_client import SpeechClient, SpeechResponse, checked_address, key_in
from dramaturg.voices.providers.voice_faults import voice_refusal, voice_unreadable

ENGINE = "openai-compatible"
LONGEST_INPUT = 4096
SLOWEST, FASTEST = 0.25, 4.0
USUAL_RATE = 24_000
CONCURRENCY = 4
FEW_WORDS, SHORTEST_WORD = 3, 0.04
"""Nobody speaks more than a few words in so many seconds each, not even four times as fast: a sound is cut short."""

Form = Literal["wav", "pcm"]

_VERSION = re.compile(r"/v\d\w*$")


class OpenAICompatibleVoice:
    """One model behind `/audio/speech`; a line's voice is the server's own name for it.

    WAV is requested first, since it states its sample rate; a server that rejects it is asked for raw PCM from then
    on. The protocol has no word times.
    """

    def __init__(self, settings: Settings, *, clock: Clock | None = None, chance: random.Random | None = None) -> None:
        voices = settings.voices
        if not voices.base_url:
            raise VoiceRejected(
                f"{ENGINE}: `base_url` under [voices] is not set. Set it to the server's address, such as "
                '"http://127.0.0.1:8880/v1".',
                engine=ENGINE,
            )
        if not (voices.model or "").strip():
            raise VoiceRejected(
                f"{ENGINE}: `model` under [voices] is not set, and the protocol has no default. "
                "Name one that the server knows.",
                engine=ENGINE,
            )
        key = key_in(settings, ENGINE, voices.key_env) if voices.key_env else None
        self._model = (voices.model or "").strip()
        source = Source(
            ENGINE, self._model, _address(voices.base_url), (voices.key_env,) if voices.key_env else (), key
        )
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = SpeechClient(settings, source, headers, concurrency=CONCURRENCY, clock=clock, chance=chance)
        self._form: Form = "wav"

    @property
    def engine(self) -> str:
        return ENGINE

    @property
    def model(self) -> str:
        return self._model

    def known(self) -> tuple[VoiceListing, ...]:
        return ()

    async def aclose(self) -> None:
        await self._client.aclose()

    async def speak(self, request: SpeechRequest) -> Sound:
        """Raises VoiceError."""
        pieces = pieces_of(request.text, LONGEST_INPUT)
        if not pieces:
            raise VoiceRejected(
                f"{self._client.source.name}: there is nothing in the line to read aloud.", engine=ENGINE
            )
        return joined(self._client.source, [await self._spoken(request, piece) for piece in pieces])

    async def _spoken(self, request: SpeechRequest, text: str) -> Sound:
        form = self._form
        try:
            return await self._rendered(request, text, form)
        except VoiceRejected as error:
            if form != "wav" or not _is_about_the_format(error):
                raise
            self._form = "pcm"
            return await self._rendered(request, text, "pcm")

    async def _rendered(self, request: SpeechRequest, text: str, form: Form) -> Sound:
        body = self._body(request, text, form)
        read = partial(self._sound_in, form=form, words=len(text.split()))
        return await self._client.post("/audio/speech", body, read)

    def _body(self, request: SpeechRequest, text: str, form: Form) -> dict[str, JsonValue]:
        delivery = request.delivery
        body: dict[str, JsonValue] = {
            "model": self._model,
            "input": text,
            "voice": request.voice,
            "response_format": form,
        }
        if delivery.instructions and not self._model.startswith("tts-1"):
            body["instructions"] = delivery.instructions
        if delivery.speed != 1.0:
            body["speed"] = min(max(delivery.speed, SLOWEST), FASTEST)
        return body

    def _sound_in(self, response: SpeechResponse, form: Form, words: int) -> Sound:
        try:
            samples = self._samples(response, form)
            seconds = len(samples.pcm) / 2 / samples.rate
            if words > FEW_WORDS and seconds < SHORTEST_WORD * words:
                raise CutShortError(f"{seconds:.2f} seconds of sound for {words} words")
        except CutShortError as error:
            raise VoiceUnavailable(
                f"{self._client.source.name}: the server sent {error}. Asking again usually helps.", engine=ENGINE
            ) from error
        except UnusableSoundError as error:
            raise voice_unreadable(self._client.source, str(error)) from error
        return Sound(samples.pcm, samples.rate)

    def _samples(self, response: SpeechResponse, form: Form) -> Samples:
        if is_wav(response.body):
            return from_wav(response.body)
        self._reject_text(response)
        # Raw samples may begin with the same bytes as an MP3; then only the content type counts.
        if name := other_sound(response.body, guess=form == "wav" or "mp" in response.content_type):
            raise UnusableSoundError(f"{name}, where {form.upper()} was asked for")
        if form == "wav" and "pcm" not in response.content_type and "l16" not in response.content_type:
            raise UnusableSoundError(
                f"no WAV file, though it was asked for ({response.content_type}, {len(response.body)} bytes)"
            )
        return from_pcm(response.body, _number(response, "rate", USUAL_RATE), _number(response, "channels", 1))

    def _reject_text(self, response: SpeechResponse) -> None:
        """Some servers answer 200 with an error message as text; captive portals return HTML."""
        if "json" not in response.content_type and not response.content_type.startswith("text/"):
            return
        with suppress(orjson.JSONDecodeError):
            found = orjson.loads(response.body)
            if isinstance(found, dict) and found.get("error"):
                raise voice_refusal(self._client.source, status_in(found["error"]), response.body, {}, 0.0)
        raise voice_unreadable(self._client.source, "text instead of sound", response.body)


def _is_about_the_format(error: VoiceRejected) -> bool:
    """Whether the server rejected the WAV format."""
    return error.context.get("status") in (400, 422) and re.search(r"format|wav", str(error), re.I) is not None


def _address(base_url: str) -> str:
    """The API root, given with or without its version, or as the full address of the endpoint."""
    address = checked_address(ENGINE, base_url).removesuffix("/audio/speech")
    return address if _VERSION.search(address) else f"{address}/v1"


def _number(response: SpeechResponse, name: str, usual: int) -> int:
    said = whole_number(response.parameters.get(name, ""))
    return usual if said is None else said
