"""aiohttp's connections with a meter on the wire.

aiohttp limits neither the size of a response nor how many interim responses precede it, and hands a kept connection on
whatever arrived on it meanwhile. The meter counts every byte, so that the limits hold here as in `HttpClient`.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING

import aiohttp

from dramaturg.kernel.models.providers.http_body import STEP, ResponseLimits, SmallReads, UnusableResponse, is_left_over
from dramaturg.kernel.models.providers.http_client import is_readable

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

FIRST_READS = 512 * 1024
"""How much of a body may arrive with its headers, before aiohttp hands over the response."""
TAIL = 64
"""How many bytes are compared to find the end of a response."""


class Exchange:
    """One request and what arrived for it. `kept` is true if it went over a connection that was used before."""

    def __init__(self, limits: ResponseLimits, *, fresh: bool = False) -> None:
        self.fresh = fresh
        self.kept = False
        self.received = 0
        self.excess: UnusableResponse | None = None
        self._limits = limits
        self._content: aiohttp.StreamReader | None = None
        self._chunked = False
        self._last_piece = b""
        self._allowed = limits.headers + FIRST_READS
        self._meter: _Meter | None = None

    def begin(self, meter: _Meter, *, kept: bool) -> None:
        self._meter, self.kept = meter, kept
        meter.exchange = self

    def take(self, size: int) -> bool:
        """Counts what arrived; False if that is too much."""
        if self._content and self.received - self._content.total_bytes > self._limits.headers + self._limits.overhead:
            self.excess = self._limits.too_many_pieces()
        self.received += size
        if self.received > self._allowed:
            self.excess = self._limits.body_too_large() if self._content else self._limits.headers_too_large()
        return self.excess is None

    def check_headers(self, response: aiohttp.ClientResponse) -> None:
        """From here on the body arrives. Raises ResponseTooLarge."""
        if sum(len(name) + len(value) + 4 for name, value in response.raw_headers) > self._limits.headers:
            raise self._limits.headers_too_large()
        if (response.content_length or 0) > self._limits.body:
            raise self._limits.body_too_large()
        self._content, self._allowed = response.content, self._limits.total
        self._chunked = "transfer-encoding" in response.headers

    async def next_piece(self, content: aiohttp.StreamReader) -> bytes:
        """The next part of the body as sent, b"" at its end. Raises UnusableResponse."""
        piece = await content.readany()
        if piece:
            self._last_piece = piece[-TAIL:]
        elif self.excess:  # a body may end with the connection, so that cutting it looks like its end
            raise self.excess
        return piece

    def lose(self, reason: BaseException | None) -> None:
        """The connection is gone, which aiohttp does not tell the reader of a body that its parser gave up on."""
        if self._content and not self._content.is_eof() and self._content.exception() is None:
            self._content.set_exception(ConnectionError(f"not an HTTP response: {reason}"))

    def has_left_over(self) -> bool:
        """Whether the connection received more than the response."""
        return self._meter is None or is_left_over(self._meter.last, self._last_piece, chunked=self._chunked)

    def end(self, *, complete: bool) -> None:
        """Whatever arrives from now on was not asked for."""
        if self._meter is not None and self._meter.exchange is self:
            self._meter.exchange = None
            if not complete or self.has_left_over():
                self._meter.abort()


EXCHANGE: ContextVar[Exchange] = ContextVar("EXCHANGE")
"""The exchange that a connection is wanted for; set by whoever sends the request."""


class MeteredConnector(aiohttp.TCPConnector):
    """Never hands out a kept connection on which something has arrived meanwhile."""

    def __init__(self, keepalive_timeout: float) -> None:
        super().__init__(limit=0, keepalive_timeout=keepalive_timeout)

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout) -> Connection:
        exchange = EXCHANGE.get()
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol, transport = connection.protocol, connection.transport
            if protocol is None or transport is None:  # closed at once; sending will fail
                return connection
            meter = transport.get_protocol()
            if not isinstance(meter, _Meter):
                meter = _Meter(protocol, transport)
                transport.set_protocol(meter)
                exchange.begin(meter, kept=False)
                return connection
            before = meter.exchange  # released by aiohttp, but not ended yet
            dirty = protocol.should_close or _has_input(transport) or (before is not None and before.has_left_over())
            if not exchange.fresh and not dirty:
                exchange.begin(meter, kept=True)
                return connection
            connection.close()


class _Meter(SmallReads):
    """Stands between a transport and aiohttp's own protocol."""

    def __init__(self, inner: ResponseHandler, transport: asyncio.Transport) -> None:
        self.exchange: Exchange | None = None
        self.last = b""
        self._inner = inner
        self._transport = transport

    def buffer_updated(self, count: int) -> None:
        data = bytes(self._arrived[:count])
        self.last = (self.last + data)[-TAIL:] if count < STEP else b""  # TLS may hold more, unseen by `_has_input`
        if self.exchange is not None and self.exchange.take(count):
            self._inner.data_received(data)
        else:
            self.abort()

    def abort(self) -> None:
        self._transport.abort()

    def eof_received(self) -> None:
        self._inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        reason = self._inner.exception() or error
        self._inner.connection_lost(error)
        if self.exchange is not None:
            self.exchange.lose(reason)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()


def _has_input(transport: asyncio.Transport) -> bool:
    socket = transport.get_extra_info("socket")
    return socket is None or is_readable(socket.fileno())
