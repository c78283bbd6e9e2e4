"""A minimal HTTP/1.1 client: one POST and its complete response, over keep-alive connections.

A scene does hardly anything else on the network, and a general-purpose client spends two thirds of its time on
features that a scene does not need (cookies, redirects, streamed bodies). Proxies, streams and credentials in URLs
are left to aiohttp; see `HttpPool`.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import httptools
from yarl import URL

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

    def __init__(self, connect_seconds: float) -> None:
        self._connect_seconds = connect_seconds
        self._idle: defaultdict[Address, list[_Connection]] = defaultdict(list)
        self._open: set[_Connection] = set()
        self._trust: ssl.SSLContext | None = None

    async def post(self, address: Address, headers: Mapping[str, str], body: bytes) -> HttpResponse:
        """Returns the response, whatever its status. Raises OSError if there is none, TimeoutError while connecting."""
        connection = self._kept(address) or await self._connected(address)
        try:
            response = await connection.ask(_head(address, headers, len(body)) + body)
        except BaseException:  # reason: an unread response would be taken for the next request's
            connection.drop()
            raise
        if connection.reusable:
            connection.idle_since = connection.loop.time()
            self._idle[address].append(connection)
        else:
            connection.drop()
        return response

    async def aclose(self) -> None:
        self._idle.clear()
        for connection in tuple(self._open):
            connection.drop()
        await asyncio.sleep(0)  # transports close in the next loop iteration

    def _kept(self, address: Address) -> _Connection | None:
        idle = self._idle[address]
        while idle:
            connection = idle.pop()
            if connection.reusable and connection.loop.time() - connection.idle_since < IDLE_SECONDS:
                return connection
            connection.drop()
        return None

    async def _connected(self, address: Address) -> _Connection:
        loop = asyncio.get_running_loop()
        connect = partial(
            loop.create_connection,
            lambda: _Connection(loop, self._open),
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


class _Connection(asyncio.Protocol):
    """One request at a time; the parser calls the `on_` methods."""

    def __init__(self, loop: asyncio.AbstractEventLoop, opened: set[_Connection]) -> None:
        self.loop = loop
        self.idle_since = 0.0
        self.reusable = False
        self._opened = opened
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._pending: asyncio.Future[HttpResponse] | None = None
        self._response = HttpResponse()
        self._pieces: list[bytes] = []
        self._headers_complete = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._opened.add(self)

    def ask(self, request: bytes) -> asyncio.Future[HttpResponse]:
        """Sends a request; the future holds the response or the OSError."""
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

    def data_received(self, data: bytes) -> None:
        if self._pending is None:  # unsolicited data: not a response to any request
            self.drop()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(ConnectionError(f"not an HTTP response: {error}"))
            self.drop()

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
        self._response, self._pieces, self._headers_complete = HttpResponse(), [], False

    def on_header(self, name: bytes, value: bytes) -> None:
        self._response.headers[name.decode("latin-1").lower()] = value.decode("utf-8", "surrogateescape")

    def on_headers_complete(self) -> None:
        self._headers_complete = True
        self._response.status = self._parser.get_status_code()

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        response, pending = self._response, self._pending
        if pending is None or response.status < 200:  # 1xx precedes the actual response
            return
        self._pending = None
        self.reusable = self._transport is not None and self._parser.should_keep_alive()
        try:
            response.body = _unpacked(b"".join(self._pieces), response.headers.get("content-encoding", ""))
        except (zlib.error, ConnectionError) as error:
            if not pending.done():
                pending.set_exception(ConnectionError(str(error)))
            return
        if not pending.done():
            pending.set_result(response)

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


def _unpacked(body: bytes, encoding: str) -> bytes:
    """The decompressed body. No compression is requested, but some servers use it anyway."""
    if encoding in ("", "identity"):
        return body
    if encoding in ("gzip", "deflate"):
        return zlib.decompress(body, zlib.MAX_WBITS | 32)
    raise ConnectionError(f"the response is encoded as '{encoding}', which was not requested")
