"""Any server that implements `POST /audio/transcriptions` as OpenAI defined it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from secrets import token_hex

import orjson

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.settings import Settings
from dramaturg.voices.providers.speech_client import SpeechClient, SpeechResponse, checked_address, key_in
from dramaturg.voices.providers.voice_faults import voice_unreadable
from dramaturg.voices.recogniser import Transcription

ENGINE = "ears"
LONGEST_TEXT = 100_000
CONCURRENCY = 2


class TranscriptionServer:
    """One model behind `/audio/transcriptions`."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None, chance: random.Random | None = None) -> None:
        """Raises VoiceError if the settings cannot be used."""
        ears = settings.ears
        try:
            key = key_in(settings, ENGINE, ears.key_env) if ears.key_env else None
            address = checked_address(ENGINE, ears.base_url or "")
        except VoiceError as error:
            raise _of_ears(error) from None
        self._model, self._language = ears.model, ears.language
        self._boundary = token_hex(16)
        source = Source(ENGINE, self._model, address, (ears.key_env,) if ears.key_env else (), key)
        headers = {"content-type": f"multipart/form-data; boundary={self._boundary}"}
        headers |= {"authorization": f"Bearer {key}"} if key else {}
        own = settings.model_copy(update={"voices": settings.voices.model_copy(update={"timeout": ears.timeout})})
        self._client = _FormClient(own, source, headers, concurrency=CONCURRENCY, clock=clock, chance=chance)

    @property
    def name(self) -> str:
        return self._model

    async def hear(self, sound: bytes, kind: str) -> Transcription:
        """What is said in a recording of a kind, such as `wav`. Raises VoiceError."""
        fields = {"model": self._model, "response_format": "json", "temperature": "0"}
        fields |= {"language": self._language} if self._language else {}
        try:
            return await self._client.send(_form(self._boundary, fields, sound, f"question.{kind}"), self._heard)
        except VoiceError as error:
            raise _of_ears(error) from error

    async def aclose(self) -> None:
        await self._client.aclose()

    def _heard(self, response: SpeechResponse) -> Transcription:
        try:
            told = orjson.loads(response.body)
        except orjson.JSONDecodeError as error:
            raise voice_unreadable(self._client.source, "not JSON") from error
        text = told.get("text") if isinstance(told, dict) else None
        if not isinstance(text, str):
            raise voice_unreadable(self._client.source, "without a text")
        language = told.get("language")
        return Transcription(text.strip()[:LONGEST_TEXT], language if isinstance(language, str) else "")


class _FormClient(SpeechClient):
    """Sends forms instead of JSON."""

    async def send(self, form: bytes, read: Callable[[SpeechResponse], Transcription]) -> Transcription:
        return await self._request("POST", "/audio/transcriptions", {}, form, read)


def _form(boundary: str, fields: Mapping[str, str], sound: bytes, name: str) -> bytes:
    """A form with the fields and the sound. The boundary is not in the sound: it is random, and fresh for a server."""
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    head += "Content-Type: application/octet-stream\r\n\r\n"
    return b"".join((*parts, head.encode(), sound, f"\r\n--{boundary}--\r\n".encode()))


def _of_ears(error: VoiceError) -> VoiceError:
    """The same error, about the recogniser and its own settings."""
    said = error.message.replace("under [voices]", "under [ears]").replace("no speech from", "no transcription from")
    said = said.replace(', or use a local engine: `engine = "auto"`', "")
    error.message = said
    error.args = (said,)
    return error
