"""One connection: how long a request may take to arrive, how large its headers may be, and how many connections there
may be. uvicorn limits none of this by itself.

Every limit is a timer of the event loop, which runs on a monotonic clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from dramaturg.kernel.settings import ServerSettings
from dramaturg.server.http.address_spending import limited_address
from dramaturg.server.http.errors import error_response
from dramaturg.server.http.security_headers import RAW
from dramaturg.server.http.websocket_protocol import RefusingProtocol

MOST_HEADERS = 100
_REFUSALS = {
    400: ("BAD_REQUEST", "This is not a request that HTTP allows."),
    408: ("REQUEST_TIMEOUT", "The request took too long to arrive."),
    431: ("HEADERS_TOO_LARGE", "The address and headers of the request are too large."),
    503: ("TOO_MANY_CONNECTIONS", "There are too many connections. Try again later."),
}
_NO_HANDSHAKE = (
    "This is not a WebSocket handshake that can be answered. Send GET with HTTP/1.1, one Sec-WebSocket-Key, "
    "Sec-WebSocket-Version: 13, no body and no line over 8 kB, once earlier requests have been answered."
)


class _RefusedHeadError(Exception):
    """Stops the parser: the headers are not acceptable."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits of every connection of a server."""

    settings: ServerSettings

    def protocol(self) -> Callable[..., asyncio.Protocol]:
        """What uvicorn makes one of for each connection."""
        return partial(LimitedProtocol, limits=self)

    def is_full(self, address: str, connected: list[str]) -> bool:
        """Whether there is no room for a connection from an address, given where the others are from."""
        if len(connected) >= self.settings.connections:
            return True
        return not self._is_proxy(address) and connected.count(address) >= self.settings.connections_per_address

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in ip_network(one, strict=False) for one in self.settings.proxies)


class LimitedProtocol(HttpToolsProtocol):
    """A connection that ends when a request takes too long, is too large, or when its client stops reading."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        limits: ConnectionLimits,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits
        self.timeout_keep_alive = limits.settings.idle_seconds  # type: ignore[assignment]
        self._arriving: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._in_head = True
        self._head_bytes = 0
        self._head_count = 0
        self._problem = (400, "")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        clients = [getattr(one, "client", None) for one in self.connections]
        others = [limited_address(client[0]) if client else "" for client in clients]
        super().connection_made(transport)
        if self._limits.is_full(limited_address(self.client[0]) if self.client else "", others):
            self._refuse(503)
        else:
            self._expect(self._limits.settings.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            if self._arriving is None:  # the first bytes after an idle time
                self._expect(self._limits.settings.header_seconds)
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self._limits.settings.header_bytes and not self.transport.is_closing():
            self._refuse(431)

    # What the parser finds.

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()
        self._in_head, self._head_count = True, 0
        if self._arriving is None:
            self._expect(self._limits.settings.header_seconds)

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(self.url))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + 4)
        if self._in_head:  # a trailer must not pass for a header
            super().on_header(name, value)
            if len(self.headers) > MOST_HEADERS:
                self._stop(431)

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._expect(self._limits.settings.body_seconds)
        if self.parser.get_http_version() not in ("1.0", "1.1"):
            self._stop(400)
        if self._is_handshake() and not self._can_open():
            self._stop(400, _NO_HANDSHAKE)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._expect(None)
        self._in_head, self._head_bytes = True, 0
        super().on_message_complete()
        if not self._is_handshake() and self.cycle.response_complete:  # uvicorn stopped its timer when the body came
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def handle_websocket_upgrade(self) -> None:
        self._expect(None)
        super().handle_websocket_upgrade()
        opening = self.transport.get_protocol()
        assert isinstance(opening, RefusingProtocol)
        opening.expect_answer(self._limits.settings.header_seconds)

    def _is_handshake(self) -> bool:
        return self.parser.should_upgrade() and self._should_upgrade()

    def _can_open(self) -> bool:
        """Whether the handshake is one that the library can read, and no earlier request is still being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            return False
        start = b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        lines = [start, *(name + b": " + value for name, value in self.headers)]
        reader = RefusingProtocol(self.config, self.server_state, self.app_state)
        return reader.can_open(b"\r\n".join(lines) + b"\r\n\r\n")

    def send_400_response(self, msg: str) -> None:
        self._refuse(*self._problem)

    # A client that does not read.

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self._limits.settings.stalled_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        super().resume_writing()

    def _expect(self, seconds: float | None) -> None:
        """Starts the timer for what must arrive next, in place of the one before. None for nothing."""
        if self._arriving is not None:
            self._arriving.cancel()
        self._arriving = None if seconds is None else self.loop.call_later(seconds, self._refuse, 408)

    def _count(self, size: int) -> None:
        self._head_count += size
        if self._head_count > self._limits.settings.header_bytes:
            self._stop(431)

    def _stop(self, status: int, message: str = "") -> None:
        self._problem = (status, message)
        raise _RefusedHeadError

    def _refuse(self, status: int, message: str = "") -> None:
        """Says why, unless a response has begun, and closes the connection."""
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            code, usual = _REFUSALS[status]
            body = bytes(error_response(status, code, message or usual).body)
            head = (b"content-type: application/json", b"content-length: %d" % len(body), b"connection: close")
            lines = [b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode()), *head]
            lines += [name + b": " + value for name, value in RAW]
            self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()
