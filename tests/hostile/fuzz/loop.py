"""One event loop for every target that needs one, a server that answers with given bytes, and our own app."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
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


@cache
def _insider() -> Insider:
    folder = tempfile.TemporaryDirectory(prefix="dramaturg-fuzz-")
    _OPEN.callback(folder.cleanup)
    story = write_story(Path(folder.name) / "story")
    (story / "scenes" / "empty.json").write_text(json.dumps({"prompt": "x", "characters": ["nobody"]}))
    return in_loop(_OPEN.enter_async_context(inside(create_app(read_settings(story, {})))))
