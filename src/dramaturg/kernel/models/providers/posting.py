"""One POST and its answer, whole: HTTP/1.1 over kept connections.

A scene does hardly anything else on the network, and a general client spends two thirds of its time on what
a scene does not need (cookies, redirects, streamed bodies). What this does not do (proxies, streams, names and
passwords in an address) stays with aiohttp; see `wire.Line`.
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
"""How long a connection is kept for the next request. Most servers keep theirs for longer."""
HEAD_START = 0.25
"""Seconds the first address of a server is tried before the next one is tried beside it (RFC 8305)."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes."""

    host: str
    port: int
    secure: bool
    authority: str
    path: str


@dataclass(slots=True)
class Reply:
    """An answer as it came. The names of `headers` are in small letters."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def address_of(url: str) -> Address | None:
    """The address in a URL; None if it is one that this module leaves alone."""
    try:
        parts = URL(url)
        if parts.scheme not in ("http", "https") or not parts.raw_host or parts.user or parts.password:
            return None
        host, port, authority = parts.raw_host, parts.port, parts.host_port_subcomponent
    except ValueError:
        return None
    return Address(host, port or 0, parts.scheme == "https", authority or "", parts.raw_path_qs) if port else None


class Posting:
    """Sends and keeps connections. How many at once, and for how long, is for the wrappers to say."""

    def __init__(self, connect_seconds: float) -> None:
        self._connect_seconds = connect_seconds
        self._idle: defaultdict[Address, list[_Connection]] = defaultdict(list)
        self._open: set[_Connection] = set()
        self._trust: ssl.SSLContext | None = None

    async def post(self, address: Address, headers: Mapping[str, str], body: bytes) -> Reply:
        """The answer, whatever its status. Raises OSError where there is none, TimeoutError while connecting."""
        connection = self._kept(address) or await self._connected(address)
        try:
            reply = await connection.ask(_head(address, headers, len(body)) + body)
        except BaseException:  # reason: an answer nobody waits for would be taken for the next one's
            connection.drop()
            raise
        if connection.reusable:
            connection.idle_since = connection.loop.time()
            self._idle[address].append(connection)
        else:
            connection.drop()
        return reply

    async def aclose(self) -> None:
        self._idle.clear()
        for connection in tuple(self._open):
            connection.drop()
        await asyncio.sleep(0)  # transports close a turn later

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
            else:  # uvloop, which servers like to run on, gives no head start
                _, connection = await connect()
        return connection

    def _trusted(self) -> ssl.SSLContext:
        if self._trust is None:
            self._trust = ssl.create_default_context()
            self._trust.set_alpn_protocols(["http/1.1"])
        return self._trust


class _Connection(asyncio.Protocol):
    """One question at a time; the parser calls the `on_` methods."""

    def __init__(self, loop: asyncio.AbstractEventLoop, opened: set[_Connection]) -> None:
        self.loop = loop
        self.idle_since = 0.0
        self.reusable = False
        self._opened = opened
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._asked: asyncio.Future[Reply] | None = None
        self._reply = Reply()
        self._pieces: list[bytes] = []
        self._headed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._opened.add(self)

    def ask(self, request: bytes) -> asyncio.Future[Reply]:
        """Sends a request; the future has the answer, or the OSError that came instead."""
        self._asked = asked = self.loop.create_future()
        if self._transport is None or self._transport.is_closing():
            self._fail(ConnectionResetError("the server hung up"))
        else:
            self._transport.write(request)
        return asked

    def drop(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._asked is None:  # nobody asked, so this is no answer to anything
            self.drop()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(ConnectionError(f"not an answer in HTTP: {error}"))
            self.drop()

    def eof_received(self) -> None:
        """Some servers mark the end of an answer by hanging up."""
        told = self._reply.headers
        if self._asked is not None and self._headed and not ("content-length" in told or "transfer-encoding" in told):
            self.on_message_complete()

    def connection_lost(self, error: Exception | None) -> None:
        self.reusable = False
        self._opened.discard(self)
        self._fail(error if isinstance(error, OSError) else ConnectionResetError("the server hung up"))

    def on_message_begin(self) -> None:
        self._reply, self._pieces, self._headed = Reply(), [], False

    def on_header(self, name: bytes, value: bytes) -> None:
        self._reply.headers[name.decode("latin-1").lower()] = value.decode("utf-8", "surrogateescape")

    def on_headers_complete(self) -> None:
        self._headed = True
        self._reply.status = self._parser.get_status_code()

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        reply, asked = self._reply, self._asked
        if asked is None or reply.status < 200:  # "go on" comes before the answer
            return
        self._asked = None
        self.reusable = self._transport is not None and self._parser.should_keep_alive()
        try:
            reply.body = _unpacked(b"".join(self._pieces), reply.headers.get("content-encoding", ""))
        except (zlib.error, ConnectionError) as error:
            if not asked.done():
                asked.set_exception(ConnectionError(str(error)))
            return
        if not asked.done():
            asked.set_result(reply)

    def _fail(self, error: OSError) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and not asked.done():
            asked.set_exception(error)


def _head(address: Address, headers: Mapping[str, str], length: int) -> bytes:
    own = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    if own.count("\n") != len(headers) or "\0" in own:
        raise ValueError("a header holds a line break; look at the key")
    return (
        f"POST {address.path} HTTP/1.1\r\nhost: {address.authority}\r\n{own}accept: */*\r\n"
        f"accept-encoding: identity\r\nuser-agent: dramaturg\r\ncontent-length: {length}\r\n\r\n"
    ).encode()


def _unpacked(body: bytes, encoding: str) -> bytes:
    """The body in plain bytes. Nobody asked for it to be packed; some servers pack all the same."""
    if encoding in ("", "identity"):
        return body
    if encoding in ("gzip", "deflate"):
        return zlib.decompress(body, zlib.MAX_WBITS | 32)
    raise ConnectionError(f"the answer is packed as '{encoding}', which was not asked for")
