"""A recogniser: `POST /v1/audio/transcriptions` on a free port, which hears what it is told and fails as told."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web


@dataclass(frozen=True, slots=True)
class HeardRequest:
    """One request as it came in."""

    fields: dict[str, str]
    sound: bytes
    name: str
    key: str


class EarsServer:
    """A recogniser for the time of an `async with` block."""

    def __init__(self) -> None:
        self.url = ""
        self.text = "What is courage?"
        self.refusals: list[tuple[int, object]] = []
        self.requests: list[HeardRequest] = []
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> EarsServer:
        app = web.Application(client_max_size=50_000_000)
        app.router.add_post("/v1/audio/transcriptions", self._hear)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner
        await self._runner.cleanup()

    async def _hear(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        fields = {key: value for key, value in form.items() if isinstance(value, str)}
        key = request.headers.get("Authorization", "")
        self.requests.append(HeardRequest(fields, file.file.read(), file.filename, key))
        if self.refusals:
            status, body = self.refusals.pop(0)
            return (
                web.Response(text=body, status=status)
                if isinstance(body, str)
                else web.json_response(body, status=status)
            )
        return web.json_response({"text": f" {self.text}\n", "language": "english"})
