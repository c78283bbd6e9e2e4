"""The server itself: it logs, counts, waits, fails as told, and answers."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from aiohttp import web

from tests.model_server.faults import NEVER_WHOLE, STATUSES, Fault
from tests.model_server.protocols import Anthropic, Counted, OpenAI, blocks_of, prompt_of, tokens
from tests.model_server.replies import Asked, ToolCall, stock_reply

Hook = Callable[[int, dict[str, Any]], Awaitable[None] | None]
SMALLEST_CACHED = 64


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in: its number from 1, protocol, headers, body, and the body's very bytes."""

    n: int
    api: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes = field(repr=False)


class ModelServer:
    """A provider on a free port of 127.0.0.1, for the time of an `async with` block."""

    def __init__(
        self,
        *,
        latency: float = 0.0,
        models: tuple[str, ...] = ("character", "judge"),
        complete_after: int = 0,
        port: int = 0,
    ) -> None:
        self.latency = latency
        self.models = models
        self.complete_after = complete_after
        self.reply: Callable[[Asked], str | ToolCall] | None = None
        self.refuse = False
        self.usage = True
        self.on_request: Hook | None = None
        self.on_event: Callable[[bytes], Awaitable[None]] | None = None
        self.url = ""
        self._port = port
        self._runner: web.AppRunner | None = None
        self.reset()

    async def __aenter__(self) -> ModelServer:
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._gone.set()
        self.release()
        assert self._runner
        await self._runner.cleanup()

    def reset(self) -> None:
        """Forget requests, faults, caches and holds."""
        self.requests: list[Received] = []
        self.under_way = self.most_under_way = 0
        self._faults: list[Fault] = []
        self._verbatim: list[web.Response] = []
        self._cached: dict[str, set[tuple[str, ...]]] = {}
        self._hold_at = 0
        self._released = asyncio.Event()
        self._arrived = asyncio.Condition()
        self._gone = asyncio.Event()

    def fault(self, kind: str, **how: Any) -> None:
        self._faults.append(Fault(kind, **how))

    def verbatim(self, body: object, *, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        """Answer the next request with exactly this: bytes as they are, anything else as JSON."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._verbatim.append(web.Response(body=raw, status=status, content_type=kind, headers=headers))

    def hold(self, at: int = 1) -> None:
        """Let the `at`-th request and all later ones wait for `release`."""
        self._hold_at = at
        self._released.clear()

    def release(self) -> None:
        self._hold_at = 0
        self._released.set()

    async def received(self, count: int) -> None:
        """Wait until so many requests have arrived."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        routes: list[tuple[str, str, Any]] = [
            ("POST", "/v1/messages", self._messages),
            ("POST", "/v1/chat/completions", self._chat),
            ("GET", "/v1/models", self._list_models),
            ("GET", "/requests", self._log),
            ("GET", "/stats", self._stats),
            ("GET", "/wait", self._wait),
            ("POST", "/fault", self._take_fault),
            ("POST", "/hold", self._take_hold),
            ("POST", "/release", self._take_release),
            ("POST", "/reset", self._take_reset),
        ]
        for method, path, handler in routes:
            app.router.add_route(method, path, handler)
        return app

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(Anthropic, request)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(OpenAI, request)

    async def _answer(self, api: Any, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw)
        number = len(self.requests) + 1
        self.requests.append(Received(number, api.name, request.path, dict(request.headers), body, raw))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            async with self._arrived:
                self._arrived.notify_all()
            if self.on_request and inspect.isawaitable(waiting := self.on_request(number, body)):
                await waiting
            if self._hold_at and number >= self._hold_at:
                await self._released.wait()
            if self.latency:
                await asyncio.sleep(self.latency)
            return await self._respond(api, request, body, number)
        finally:
            self.under_way -= 1

    async def _respond(self, api: Any, request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        if self._verbatim:
            return self._verbatim.pop(0)
        fault = self._next_fault()
        if fault and (failed := await self._fail(api, request, fault)):
            return failed
        asked = Asked(api.name, body["model"], prompt_of(body), body)
        text = self.reply(asked) if self.reply else stock_reply(asked, self.complete_after)
        message = api.message(body, text, self._count(api, body), number, self.refuse)
        if not self.usage:
            message.pop("usage")
        if not body.get("stream"):
            if fault and fault.kind == "cut-body":
                return await _cut_after(request, json.dumps(message).encode()[:20], length=10_000)
            if fault and fault.kind in NEVER_WHOLE:
                return await _never_whole(request, [json.dumps(message).encode()], fault)
            return web.json_response(message)
        if not self.usage:
            message["usage"] = {"output_tokens": 0}
        events = api.events({**body, "stream_options": {}} if not self.usage else body, message)
        if fault and fault.kind in NEVER_WHOLE:
            return await _never_whole(request, events, fault)
        cut = bool(fault and fault.kind == "cut-stream")
        return await _stream(request, _broken(api, events, fault), self.on_event, cut=cut)

    def _next_fault(self) -> Fault | None:
        for fault in self._faults:
            if fault.after > 0:
                fault.after -= 1
                return None
            if fault.times > 0:
                fault.times -= 1
                return fault
        return None

    async def _fail(self, api: Any, request: web.Request, fault: Fault) -> web.StreamResponse | None:
        if fault.kind in STATUSES:
            headers = {"retry-after": fault.retry_after} if fault.retry_after else {}
            return web.json_response(fault.body(), status=int(fault.kind), headers=headers)
        if fault.kind == "hang":
            await self._gone.wait()
        if fault.kind in ("cut", "hang"):
            if request.transport:
                request.transport.abort()
            return web.Response()
        if fault.kind == "garbage":
            return web.Response(text="<html><body>Welcome to the hotel</body></html>", content_type="text/html")
        return web.json_response(fault.body()) if fault.kind == "error-in-body" else None

    def _count(self, api: Any, body: dict[str, Any]) -> Counted:
        """Anthropic caches where it is told to; OpenAI caches every prefix of whole blocks."""
        blocks = blocks_of(body)
        texts = [text for text, _ in blocks]
        total = tokens("".join(texts))
        known = self._cached.setdefault(f"{api.name}/{body['model']}", set())
        ends = [n + 1 for n, (_, marked) in enumerate(blocks) if marked or api is OpenAI]
        sizes = {end: tokens("".join(texts[:end])) for end in range(1, len(texts) + 1)}
        hit = max((n for n in sizes if tuple(texts[:n]) in known), default=0) if ends else 0
        kept = [end for end in ends if sizes[end] >= SMALLEST_CACHED]
        known.update(tuple(texts[:end]) for end in kept)
        read = sizes[hit] if hit else 0
        written = max(0, sizes[kept[-1]] - read) if kept and api is Anthropic else 0
        return Counted(total, read, written)

    async def _list_models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})

    async def _log(self, request: web.Request) -> web.Response:
        shown = [{key: value for key, value in asdict(one).items() if key != "raw"} for one in self.requests]
        return web.json_response(shown)

    async def _stats(self, request: web.Request) -> web.Response:
        by_api = {api: sum(one.api == api for one in self.requests) for api in ("anthropic", "openai")}
        return web.json_response(
            {
                "requests": len(self.requests),
                "by_api": by_api,
                "streams": sum(bool(one.body.get("stream")) for one in self.requests),
                "under_way": self.under_way,
                "most_under_way": self.most_under_way,
            }
        )

    async def _wait(self, request: web.Request) -> web.Response:
        await self.received(int(request.query["requests"]))
        return web.json_response({"requests": len(self.requests)})

    async def _take_fault(self, request: web.Request) -> web.Response:
        self._faults.append(Fault(**await request.json()))
        return web.json_response({"ok": True})

    async def _take_hold(self, request: web.Request) -> web.Response:
        self.hold(int(request.query.get("at", "1")))
        return web.json_response({"ok": True})

    async def _take_release(self, request: web.Request) -> web.Response:
        self.release()
        return web.json_response({"ok": True})

    async def _take_reset(self, request: web.Request) -> web.Response:
        self.reset()
        return web.json_response({"ok": True})


def _broken(api: Any, events: list[bytes], fault: Fault | None) -> list[bytes]:
    if fault and fault.kind == "error-in-stream":
        return [*events[:4], api.error_event(fault.body())]
    if fault and fault.kind in ("no-end", "cut-stream"):
        return events[:4]
    return events


async def _stream(
    request: web.Request, events: list[bytes], before: Callable[[bytes], Awaitable[None]] | None, *, cut: bool
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    for event in events:
        if before is not None:
            await before(event)
        await response.write(event)
    if cut:
        assert request.transport
        request.transport.close()
    return response


async def _never_whole(request: web.Request, events: list[bytes], fault: Fault) -> web.StreamResponse:
    """An answer whose end nobody sees: it comes byte by byte, or its middle comes again and again."""
    is_stream = len(events) > 1
    kind = "text/event-stream; charset=utf-8" if is_stream else "application/json"
    response = web.StreamResponse(headers={"content-type": kind})
    await response.prepare(request)
    with suppress(ConnectionError):
        if fault.kind == "drip":
            for byte in b"".join(events):
                await response.write(bytes([byte]))
                await asyncio.sleep(fault.pause)
            return response
        await response.write(events[0] if is_stream else b'{"choices": "')
        while True:
            await response.write(events[len(events) // 2] if is_stream else b"o" * 1000)
    return response


async def _cut_after(request: web.Request, start: bytes, *, length: int) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "application/json", "content-length": str(length)})
    await response.prepare(request)
    await response.write(start)
    assert request.transport
    request.transport.close()
    return response
