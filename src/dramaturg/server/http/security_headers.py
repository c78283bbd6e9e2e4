"""The security headers of every response, whoever made it: a route, an error, a stream, a refused WebSocket."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For responses that are not pages: they load nothing and are framed by nobody."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
PAGE_POLICY = f"{_PAGE}; frame-ancestors 'none'"
"""For the pages of this server: they load only what it serves itself."""
RAW = tuple((name.lower().encode(), value.encode()) for name, value in HEADERS.items())


def framed_policy(origins: Sequence[str]) -> str:
    """The policy of a page that the pages of these sites may show in a frame, and no others."""
    named = " ".join(origins) or "'none'"
    return f"{_PAGE}; frame-ancestors {named}"


class SecurityHeaders:
    """The outermost layer. It adds what a response does not say itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await self._app(scope, receive, _WebSocketSend(scope, send))
        else:
            await self._app(scope, receive, send)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = _completed(message)
        await send(message)

    return sending


class _WebSocketSend:
    """Adds the headers to the handshake. A refusal becomes a response, since a bare close has no headers."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._can_respond = "websocket.http.response" in scope.get("extensions", {})
        self._accepted = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "websocket.accept":
            self._accepted = True
            message = _completed(message)
        elif message["type"] == "websocket.http.response.start":
            message = _completed(message)
        elif message["type"] == "websocket.close" and not self._accepted and self._can_respond:
            start: Message = {"type": "websocket.http.response.start", "status": 403, "headers": []}
            await self._send(_completed(start))
            message = {"type": "websocket.http.response.body", "body": b""}
        await self._send(message)


def _completed(message: Message) -> Message:
    headers = MutableHeaders(raw=list(message.get("headers", ())))
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    return {**message, "headers": headers.raw}
