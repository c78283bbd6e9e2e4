"""A minimal HTTP/1.1 client: one POST and its complete response, over keep-alive connections.

A scene does hardly anything else on the network, and a general-purpose client spends two thirds of its time on
features that a scene does not need (cookies, redirects, streamed bodies). Proxies and streams are left to aiohttp; see
`HttpPool`. A connection that holds anything but the response to its request is never used again.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import httptools
from yarl import URL

from dramaturg.kernel.models.providers.http_body import (
    ResponseLimits,
    SmallReads,
    Unpacker,
    UnusableResponse,
    is_left_over,
)

IDLE_SECONDS = 30.0
"""How long an idle connection is kept. Most servers keep theirs longer."""
HEAD_START = 0.25
"""Seconds before the next address of a server is tried in parallel (RFC 8305)."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes."""

    host: str
    port: int
    secure: bool
    authority: str
    path: str


@dataclass(slots=True)
class HttpResponse:
    """A complete response. The names in `headers` are lower-case."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def address_of(url: str) -> Address | None:
    """The address in a URL; None if this client does not support it."""
    try:
        parts = URL(url)
        if parts.scheme not in ("http", "https") or not parts.raw_host or parts.user or parts.password:
            return None
        host, port, authority = parts.raw_host, parts.port, parts.host_port_subcomponent
    except ValueError:
        return None
    return Address(host, port or 0, parts.scheme == "https", authority or "", parts.raw_path_qs) if port else None


class HttpClient:
    """Sends requests over reusable connections. Concurrency and timeouts are up to the model wrappers."""

    def __init__(
        self, connect_seconds: float, limits: ResponseLimits | None = None, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._connect_seconds = connect_seconds
        self._limits = limits or ResponseLimits()
        self._idle_seconds = idle_seconds
        self._idle: defaultdict[Address, list[_Connection]] = defaultdict(list)
        self._open: set[_Connection] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._trust: ssl.SSLContext | None = None

    async def post(self, address: Address, headers: Mapping[str, str], body: bytes) -> HttpResponse:
        """Returns the response, whatever its status. Raises OSError if there is none, TimeoutError while connecting.

        A kept connection that fails before the first byte of a response is replaced by a fresh one, once: servers
        close idle connections, and may do so just as one is used again.
        """
        request = _head(address, headers, len(body)) + body
        if kept := self._kept(address):
            try:
                return await self._exchange(kept, address, request)
            except OSError:
                if kept.received:
                    raise
        return await self._exchange(await self._connected(address), address, request)

    async def aclose(self) -> None:
        self._idle.clear()
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for connection in tuple(self._open):
            connection.drop()
        await asyncio.sleep(0)  # transports close in the next loop iteration

    async def _exchange(self, connection: _Connection, address: Address, request: bytes) -> HttpResponse:
        try:
            response = await connection.ask(request)
        except BaseException:  # reason: an unread response would be taken for the next request's
            connection.drop()
            raise
        if connection.reusable:
            connection.idle_since = connection.loop.time()
            self._idle[address].append(connection)
            if self._sweep is None:
                self._sweep = connection.loop.call_later(self._idle_seconds, self._close_idle, connection.loop)
        else:
            connection.drop()
        return response

    def _kept(self, address: Address) -> _Connection | None:
        idle = self._idle[address]
        while idle:
            connection = idle.pop()
            fresh = connection.loop.time() - connection.idle_since < self._idle_seconds
            if fresh and connection.reusable and not connection.has_input():
                return connection
            connection.drop()
        return None

    def _close_idle(self, loop: asyncio.AbstractEventLoop) -> None:
        """Closes the connections that were idle for too long, and comes back for the next."""
        self._sweep = None
        now, oldest = loop.time(), None
        for address, idle in tuple(self._idle.items()):
            for connection in idle:
                if now - connection.idle_since >= self._idle_seconds:
                    connection.drop()
                else:
                    oldest = min(oldest or now, connection.idle_since)
            self._idle[address] = [connection for connection in idle if connection.reusable]
        if oldest is not None:
            self._sweep = loop.call_at(oldest + self._idle_seconds, self._close_idle, loop)

    async def _connected(self, address: Address) -> _Connection:
        loop = asyncio.get_running_loop()
        connect = partial(
            loop.create_connection,
            lambda: _Connection(loop, self._open, self._limits),
            address.host,
            address.port,
            ssl=self._trusted() if address.secure else None,
        )
        connection: _Connection
        async with asyncio.timeout(self._connect_seconds):
            if isinstance(loop, asyncio.BaseEventLoop):
                _, connection = await connect(happy_eyeballs_delay=HEAD_START)
            else:  # uvloop, common under servers, does not support happy eyeballs
                _, connection = await connect()
        return connection

    def _trusted(self) -> ssl.SSLContext:
        if self._trust is None:
            self._trust = ssl.create_default_context()
            self._trust.set_alpn_protocols(["http/1.1"])
        return self._trust


class _Connection(SmallReads):
    """One request at a time; the parser calls the `on_` methods.

    `received` counts the bytes that came in response to the current request.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, opened: set[_Connection], limits: ResponseLimits) -> None:
        self.loop = loop
        self.idle_since = 0.0
        self.reusable = False
        self.received = 0
        self._opened = opened
        self._limits = limits
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._pending: asyncio.Future[HttpResponse] | None = None
        self._response = HttpResponse()
        self._body = bytearray()
        self._unpacker: Unpacker | None = None
        self._headers_complete = False
        self._framing = 0  # bytes that are not body: headers, trailers, the framing of chunks
        self._last_piece = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._opened.add(self)

    def ask(self, request: bytes) -> asyncio.Future[HttpResponse]:
        """Sends a request; the future holds the response or the OSError."""
        self.received = self._framing = 0
        self._pending = pending = self.loop.create_future()
        if self._transport is None or self._transport.is_closing():
            self._fail(ConnectionResetError("the server closed the connection"))
        else:
            self._transport.write(request)
        return pending

    def drop(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def has_input(self) -> bool:
        """Whether something waits to be read, which nobody asked for: bytes, or the end of the connection."""
        socket = self._transport.get_extra_info("socket") if self._transport is not None else None
        return socket is None or is_readable(socket.fileno())

    def buffer_updated(self, count: int) -> None:
        data, pending = bytes(self._arrived[:count]), self._pending
        if pending is None:  # unsolicited data: not a response to any request
            self.drop()
            return
        self.received += count
        self._framing += count
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._refuse(ConnectionError(f"not an HTTP response: {error}"))
        except httptools.HttpParserUpgrade:
            self._refuse(ConnectionError("not an HTTP response: the server switched to another protocol"))
        if self._pending is not pending:  # answered, or refused
            if is_left_over(data, self._last_piece, chunked="transfer-encoding" in self._response.headers):
                self.drop()
        elif not self._last_piece and self._framing > self._limits.headers:
            self._refuse(self._limits.headers_too_large())
        elif self.received > self._limits.total:
            self._refuse(self._limits.body_too_large())
        elif self._framing > self._limits.headers + self._limits.overhead:
            self._refuse(self._limits.too_many_pieces())

    def eof_received(self) -> None:
        """Some servers mark the end of a response by closing the connection."""
        headers = self._response.headers
        has_length = "content-length" in headers or "transfer-encoding" in headers
        if self._pending is not None and self._headers_complete and not has_length:
            self.on_message_complete()

    def connection_lost(self, error: Exception | None) -> None:
        self.reusable = False
        self._opened.discard(self)
        self._fail(error if isinstance(error, OSError) else ConnectionResetError("the server closed the connection"))

    def on_message_begin(self) -> None:
        if self._pending is None:  # a second response, right behind the first
            self.drop()
        self._response, self._body, self._headers_complete = HttpResponse(), bytearray(), False
        self._unpacker, self._last_piece = None, b""

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._headers_complete:  # trailers change nothing
            self._response.headers[name.decode("latin-1").lower()] = value.decode("utf-8", "surrogateescape")

    def on_headers_complete(self) -> None:
        self._headers_complete = True
        self._response.status = self._parser.get_status_code()
        headers = self._response.headers
        if self.received > self._limits.headers and sum(map(_length, headers.items())) > self._limits.headers:
            self._refuse(self._limits.headers_too_large())
        elif int(headers.get("content-length", 0)) > self._limits.body:
            self._refuse(self._limits.body_too_large())
        else:
            try:
                self._unpacker = Unpacker(headers.get("content-encoding", ""), self._limits)
            except UnusableResponse as error:
                self._refuse(error)

    def on_body(self, piece: bytes) -> None:
        self._last_piece = piece
        self._framing -= len(piece)
        if self._unpacker is not None and self._pending is not None:
            try:
                for part in self._unpacker.feed(piece):
                    self._body += part
            except UnusableResponse as error:
                self._refuse(error)

    def on_message_complete(self) -> None:
        response, pending = self._response, self._pending
        if pending is None or 100 <= response.status < 200:  # 1xx precedes the actual response
            return
        try:
            if self._unpacker is not None:
                self._unpacker.finish()
            response.body = bytes(self._body)
        except UnusableResponse as error:
            self._refuse(error)
            return
        self._pending, self._response, self._body = None, HttpResponse(headers=response.headers), bytearray()
        self.reusable = self._transport is not None and self._parser.should_keep_alive()
        if not pending.done():
            pending.set_result(response)

    def _refuse(self, error: OSError) -> None:
        self._fail(error)
        self.drop()

    def _fail(self, error: OSError) -> None:
        pending, self._pending = self._pending, None
        if pending is not None and not pending.done():
            pending.set_exception(error)


def _head(address: Address, headers: Mapping[str, str], length: int) -> bytes:
    own = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    if own.count("\n") != len(headers) or "\0" in own:
        raise ValueError("a header contains a line break; check the API key")
    return (
        f"POST {address.path} HTTP/1.1\r\nhost: {address.authority}\r\n{own}accept: */*\r\n"
        f"accept-encoding: identity\r\nuser-agent: dramaturg\r\ncontent-length: {length}\r\n\r\n"
    ).encode()


def _length(header: tuple[str, str]) -> int:
    return len(header[0]) + len(header[1]) + 4


def is_readable(descriptor: int) -> bool:
    """Whether a socket has bytes to read, or was closed by the other side."""
    if descriptor < 0:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
