"""One event loop for every target that needs one, a server that answers with given bytes, and our own app."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.settings import ServerSettings, read_settings
from dramaturg.server.app import create_app
from dramaturg.server.http.connection import ConnectionLimits
from dramaturg.server.http.websocket_protocol import RefusingProtocol
from tests.server.visitor import Insider, inside, write_story

T = TypeVar("T")

ROUTES: dict[str, tuple[str, str]] = {
    "scene": ("POST", "/v1/scenes"),
    "session": ("POST", "/v1/sessions"),
    "ensemble": ("POST", "/v1/ensemble/chat"),
    "reset": ("POST", "/v1/ensemble/reset"),
    "message": ("POST", "/v1/sessions/none/messages"),
    "fork": ("POST", "/v1/runs/none/fork"),
    "memory": ("PATCH", "/v1/characters/alice/memories/none"),
}


def in_loop(work: Coroutine[Any, Any, T]) -> T:
    return _runner().run(work)


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


def close() -> None:
    """Ends whatever the targets opened. The next target opens it anew."""
    in_loop(_OPEN.aclose())
    _runner().close()
    _insider.cache_clear()
    _runner.cache_clear()


_OPEN = AsyncExitStack()


@asynccontextmanager
async def answering(response: bytes) -> AsyncIterator[tuple[HttpPool, str]]:
    """A pool and the address of a server that answers every request with these bytes and closes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(response)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    pool = HttpPool(StillClock())
    try:
        yield pool, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        await pool.aclose()
        server.close()
        await server.wait_closed()


def requested(route: bytes, body: bytes) -> tuple[int, str]:
    """The status and body of the response to a request with this JSON."""
    names = sorted(ROUTES)
    name = route.decode("latin-1")
    method, path = ROUTES[name if name in ROUTES else names[sum(route) % len(names)]]
    answer = in_loop(_insider().ask(method, path, data=body, headers={"content-type": "application/json"}))
    return answer.status, answer.text


async def sent_to_server(data: bytes) -> bytes:
    """What a server replies to these bytes, until it closes the connection. Raises what its protocol raised."""
    loop, faults = asyncio.get_running_loop(), list[BaseException | None]()
    state, config = ServerState(), _served()
    limits = ConnectionLimits(ServerSettings(header_seconds=60, body_seconds=60, idle_seconds=60))
    made = partial(limits.protocol(), config=config, server_state=state, app_state={})
    loop.set_exception_handler(lambda _, fault: faults.append(fault.get("exception")))
    try:
        async with await loop.create_server(made, "127.0.0.1", 0) as listening:
            reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
            received = b""
            with suppress(ConnectionError):
                writer.write(data)
                writer.write_eof()
                received = await reader.read(-1)
            writer.close()
            await asyncio.gather(*state.tasks)
            assert not state.connections, "a connection is held"
    finally:
        loop.set_exception_handler(None)
    for fault in faults:
        raise fault or AssertionError("the event loop was told of a fault")
    return received


@cache
def _served() -> Config:
    config = Config(_answer_all, ws=RefusingProtocol, lifespan="off", log_config=None, access_log=False)
    config.load()
    return config


async def _answer_all(scope: Scope, receive: Receive, send: Send) -> None:
    """Opens every WebSocket, and answers every request with the length of its body."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    size, message = 0, await receive()
    while message["type"] == "http.request":
        size += len(message["body"])
        if not message["more_body"]:
            break
        message = await receive()
    body = b"%d" % size
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@cache
def _insider() -> Insider:
    folder = tempfile.TemporaryDirectory(prefix="dramaturg-fuzz-")
    _OPEN.callback(folder.cleanup)
    story = write_story(Path(folder.name) / "story")
    (story / "scenes" / "empty.json").write_text(json.dumps({"prompt": "x", "characters": ["nobody"]}))
    return in_loop(_OPEN.enter_async_context(inside(create_app(read_settings(story, {})))))
