"""The HTTP client for SDKs that accept one, with the limits of our own clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx2

from dramaturg.kernel.models.providers.http_body import STEP, ResponseLimits, Unpacker, UnusableResponse

READ_SECONDS = 1200.0
"""`Timed` ends a request long before; this is for whoever forgets it."""
CONNECT_SECONDS = 5.0


def sdk_client(limits: ResponseLimits | None = None) -> httpx2.AsyncClient:
    """A client whose responses are unpacked by us. Reading one raises UnusableResponse. Headers end at 100 kB."""
    allowed = limits or ResponseLimits()

    async def limit(response: httpx2.Response) -> None:
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise UnusableResponse("its body cannot be read piece by piece")
        if int(response.headers.get("content-length", 0)) > allowed.body:
            raise allowed.body_too_large()
        unpacker = Unpacker(response.headers.get("content-encoding", ""), allowed)
        response.headers.pop("content-encoding", None)
        response.stream = _LimitedStream(response.stream, unpacker, allowed)

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS), event_hooks={"response": [limit]}
    )


class _LimitedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, unpacker: Unpacker, limits: ResponseLimits) -> None:
        self._inner = inner
        self._unpacker = unpacker
        self._limits = limits

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = pieces = 0
        async for piece in self._inner:
            received, pieces = received + len(piece), pieces + 1
            if received > self._limits.body:
                raise self._limits.body_too_large()
            if pieces > self._limits.body // 256:  # the parser is in Python: each costs much
                raise self._limits.too_many_pieces()
            for part in self._unpacker.feed(piece):
                yield part
                if len(part) == STEP or pieces % 16 == 0:
                    await asyncio.sleep(0)
        self._unpacker.finish()

    async def aclose(self) -> None:
        await self._inner.aclose()
