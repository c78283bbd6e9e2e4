"""The server itself: two protocols over one set of faults."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.voice_server.sounds import PAUSE, RATE, SECONDS, alignment, spoken, wav

# What each refusal looks like: its status and the body ElevenLabs or OpenAI sends with it.
FAULTS: dict[str, tuple[int, Any]] = {
    "no-place": (
        429,
        {"detail": {"status": "too_many_concurrent_requests", "message": "Too many concurrent requests."}},
    ),
    "system-busy": (429, {"detail": {"status": "system_busy", "message": "The system is experiencing heavy traffic."}}),
    "rate-limit": (429, {"error": {"message": "Slow down.", "type": "requests", "code": "rate_limit_exceeded"}}),
    "no-quota": (429, {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}),
    "bad-key": (401, {"detail": {"status": "invalid_api_key", "message": "Invalid API key"}}),
    "quota": (401, {"detail": {"status": "quota_exceeded", "message": "You have 3 credits remaining, 40 required."}}),
    "no-voice": (
        404,
        {"detail": {"type": "not_found", "code": "voice_not_found", "message": "A voice was not found."}},
    ),
    "too-long": (400, {"detail": {"status": "max_character_limit_exceeded", "message": "Over 2500 characters."}}),
    "invalid": (
        422,
        {"detail": [{"loc": ["body", "voice_settings", "speed"], "msg": "Input should be at most 1.2", "type": "x"}]},
    ),
    "no-wav": (400, {"error": {"message": "response_format must be one of mp3, pcm", "code": "invalid_value"}}),
    "no-model": (404, {"error": {"message": "The model `tts-9` does not exist", "code": "model_not_found"}}),
    "moved": (308, {}),
    "500": (500, {"detail": "Internal Server Error"}),
    "502": (502, "<html><body><h1>Bad gateway</h1></body></html>"),
}


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class VoiceServer:
    """Both protocols on a free port of 127.0.0.1, for the time of an `async with` block."""

    def __init__(self, *, plan: int | None = None) -> None:
        self.plan = plan
        self.url = ""
        self.normalized = True
        self.segments: list[dict[str, Any]] | None = None
        self.requests: list[Received] = []
        self.under_way = self.most_under_way = 0
        self._faults: list[tuple[str, dict[str, str]]] = []
        self._open = asyncio.Event()
        self._open.set()
        self._moved = asyncio.Condition()
        self._gone = asyncio.Event()

    async def __aenter__(self) -> VoiceServer:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/text-to-speech/{voice}/with-timestamps", self._answer(self._speech))
        app.router.add_post("/v1/text-to-dialogue/with-timestamps", self._answer(self._dialogue))
        app.router.add_get("/v1/voices", self._answer(self._voices))
        app.router.add_post("/v1/audio/speech", self._answer(self._audio_speech))
        app.router.add_post("/api/v1/audio/speech", self._answer(self._audio_speech))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._gone.set()
        self.release()
        await self._runner.cleanup()

    def fault(self, kind: str, times: int = 1, **headers: str) -> None:
        """Fail so many of the next requests: a name of FAULTS, or cut, cut-body, garbage, hang."""
        self._faults += [(kind, {name.replace("_", "-"): value for name, value in headers.items()})] * times

    def verbatim(self, body: bytes, *, kind: str = "audio/wav", status: int = 200) -> None:
        """Answer the next request with exactly this."""
        self._faults.append(("verbatim", {"body": body.hex(), "content-type": kind, "status": str(status)}))

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    async def until(self, *, asked: int = 0, under_way: int | None = None) -> None:
        """Wait until so many requests have come, and until just so many are under way."""
        async with self._moved:
            await self._moved.wait_for(
                lambda: len(self.requests) >= asked and under_way in (None, self.under_way),
            )

    def _answer(self, speak: Any) -> Any:
        async def answer(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            body = json.loads(raw) if raw else None
            headers = {name.lower(): value for name, value in request.headers.items()}
            self.requests.append(Received(request.method, request.path, dict(request.query), headers, body))
            if self.plan is not None and self.under_way >= self.plan:
                await self._tell()
                return self._refuse("no-place", {})
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            await self._tell()
            try:
                await self._open.wait()
                await asyncio.sleep(0)
                if self._faults:
                    return await self._fail(request, *self._faults.pop(0))
                return speak(request, body)
            finally:
                self.under_way -= 1
                await asyncio.shield(self._tell())

        return answer

    async def _tell(self) -> None:
        async with self._moved:
            self._moved.notify_all()

    async def _fail(self, request: web.Request, kind: str, how: dict[str, str]) -> web.StreamResponse:
        if kind == "hang":
            await self._gone.wait()
        if kind in ("cut", "hang"):
            if request.transport:
                request.transport.abort()
            return web.Response()
        if kind == "cut-body":
            response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "9999"})
            await response.prepare(request)
            await response.write(b'{"audio_base64": "AAAA')
            assert request.transport
            request.transport.close()
            return response
        if kind == "garbage":
            return web.Response(text="<html><body>Welcome to the hotel</body></html>", content_type="text/html")
        if kind == "verbatim":
            headers = {"content-type": how["content-type"]}
            return web.Response(body=bytes.fromhex(how["body"]), status=int(how["status"]), headers=headers)
        return self._refuse(kind, how)

    def _refuse(self, kind: str, headers: dict[str, str]) -> web.Response:
        status, body = FAULTS[kind]
        if isinstance(body, str):
            return web.Response(text=body, status=status, content_type="text/html")
        return web.json_response(body, status=status, headers=headers)

    def _speech(self, request: web.Request, body: dict[str, Any]) -> web.Response:
        text = body["text"]
        return web.json_response(
            {
                "audio_base64": b64encode(spoken(request.match_info["voice"], text)).decode(),
                "alignment": alignment(text.upper()),
                "normalized_alignment": alignment(text) if self.normalized else None,
            }
        )

    def _dialogue(self, request: web.Request, body: dict[str, Any]) -> web.Response:
        """One line after the other, with a pause between them."""
        pcm, at, count = b"", 0.0, 0
        heard: dict[str, list[Any]] = alignment("")
        segments = []
        for place, one in enumerate(body["inputs"]):
            text, voice = one["text"], one["voice_id"]
            pcm += b"\0\0" * round(RATE * PAUSE) if place else b""
            at += PAUSE if place else 0.0
            for name, values in alignment(text, at).items():
                heard[name] += values
            segments.append(
                {
                    "voice_id": voice,
                    "start_time_seconds": at,
                    "end_time_seconds": at + len(text) * SECONDS,
                    "character_start_index": count,
                    "character_end_index": count + len(text),
                    "dialogue_input_index": place,
                }
            )
            pcm, at, count = pcm + spoken(voice, text), at + len(text) * SECONDS, count + len(text)
        return web.json_response(
            {
                "audio_base64": b64encode(pcm).decode(),
                "alignment": heard,
                "normalized_alignment": heard,
                "voice_segments": segments if self.segments is None else self.segments,
            }
        )

    def _voices(self, request: web.Request, body: None) -> web.Response:
        voice = {"voice_id": "id-1", "name": "Rachel", "labels": {"accent": "american", "age": "young"}}
        return web.json_response({"voices": [voice, {"voice_id": "id-2", "name": None, "labels": None}]})

    def _audio_speech(self, request: web.Request, body: dict[str, Any]) -> web.Response:
        """As the real ones do: a WAV whose length nobody knew when its header was written."""
        pcm = spoken(body["voice"], body["input"])
        if body["response_format"] == "wav":
            return web.Response(body=wav(pcm, size=0xFFFFFFFF), content_type="audio/wav")
        return web.Response(body=pcm, headers={"content-type": "audio/pcm;rate=24000;channels=1"})
