"""A double of Ollama's own API, on a free port of 127.0.0.1 or, as a program, on the one it is told."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from typing import Any

from aiohttp import web

LAYERS = (("sha256:weights", 2_000_000_000), ("sha256:template", 1_500))
UNKNOWN = "no-such-model"


class OllamaServer:
    """Has some models, and gets any other, in pieces. A download stops halfway while it is held."""

    def __init__(self, *models: str, port: int = 0) -> None:
        self.models = list(models)
        self.asked: list[dict[str, Any]] = []
        self.left = asyncio.Event()
        """Set when a caller has left in the middle of a download."""
        self.begun = asyncio.Event()
        """Set when the first half of a download was sent."""
        self.instead: bytes | None = None
        """Sent after the first half instead of the second."""
        self.url = ""
        self._port = port
        self._go_on = asyncio.Event()
        self._go_on.set()

    async def __aenter__(self) -> OllamaServer:
        app = web.Application()
        app.router.add_get("/api/tags", self._tags)
        app.router.add_post("/api/pull", self._pull)
        app.router.add_get("/v1/models", self._list)
        app.router.add_post("/hold", self._hold)
        app.router.add_post("/release", self._release)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self.release()
        await self._runner.cleanup()

    def hold(self) -> None:
        self._go_on.clear()

    def release(self) -> None:
        self._go_on.set()

    async def _tags(self, request: web.Request) -> web.Response:
        details = {"parameter_size": "4.0B", "quantization_level": "Q4_K_M"}
        return web.json_response(
            {"models": [{"name": name, "size": 2_500_000_000, "details": details} for name in self.models]}
        )

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": name} for name in self.models]})

    async def _hold(self, request: web.Request) -> web.Response:
        self.hold()
        return web.json_response({})

    async def _release(self, request: web.Request) -> web.Response:
        self.release()
        return web.json_response({})

    async def _pull(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.asked.append(body)
        response = web.StreamResponse(headers={"content-type": "application/x-ndjson"})
        await response.prepare(request)
        try:
            await self._send(response, body["model"])
        except ConnectionError:
            self.left.set()
        except asyncio.CancelledError:
            self.left.set()
            raise
        return response

    async def _send(self, response: web.StreamResponse, model: str) -> None:
        await _write(response, {"status": "pulling manifest"})
        if model.startswith(UNKNOWN):
            await _write(response, {"error": "pull model manifest: file does not exist"})
            return
        for digest, total in LAYERS:
            line = {"status": f"pulling {digest}", "digest": digest, "total": total}
            await _write(response, line)
            await _write(response, {**line, "completed": total // 2})
            self.begun.set()
            await self._held(response)
            if self.instead is not None:
                await response.write(self.instead)
                return
            await _write(response, {**line, "completed": total})
        for status in ("verifying sha256 digest", "writing manifest", "success"):
            await _write(response, {"status": status})
        if model not in self.models:
            self.models.append(model)

    async def _held(self, response: web.StreamResponse) -> None:
        """Says the same again until it may go on, as Ollama does, and notices whoever leaves."""
        while not self._go_on.is_set():
            await response.write(b"\n")
            try:
                async with asyncio.timeout(0.05):
                    await self._go_on.wait()
            except TimeoutError:
                continue


async def _write(response: web.StreamResponse, line: dict[str, Any]) -> None:
    await response.write(json.dumps(line).encode() + b"\n")


@contextmanager
def ollama_in_a_thread(*models: str) -> Iterator[OllamaServer]:
    """The double for programs with a loop of their own."""
    serving: Future[OllamaServer] = Future()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        async with OllamaServer(*models) as server:
            serving.set_result(server)
            await over.wait()

    thread = Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield serving.result(timeout=10)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


async def _serve(port: int, models: list[str]) -> None:
    async with OllamaServer(*models, port=port):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), sys.argv[2:]))
