"""The host and origin check, and the limit on the size of a request.

Every page in a user's browser can reach a server on the same machine. Therefore a request must name one of the server's
own hosts (which stops DNS rebinding), and pages of other sites cannot change anything (which stops cross-site request
forgery).
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dramaturg.server.http.errors import error_response

LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_BYTES = 1_000_000
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = 1008


class OriginGuard:
    """Middleware that refuses foreign hosts (unless `hosts` is None), foreign origins and oversized requests.

    `origins` are other sites whose pages are allowed.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None = LOOPBACK,
        most_bytes: int = MOST_BYTES,
        origins: Collection[str] = (),
    ) -> None:
        self._app = app
        self._origins = origins
        self._hosts = hosts
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # Browsers let any page open a WebSocket, so it is checked like a request that changes something.
            if self._refusal("CONNECT", Headers(scope=scope)) is not None:
                await receive()
                await send({"type": "websocket.close", "code": POLICY})
            else:
                await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, send)
        else:
            await self._app(scope, self._counted(receive), send)

    def _refusal(self, method: str, headers: Headers) -> Response | None:
        host = _hostname(f"//{headers.get('host', '')}")
        if self._hosts is not None and host not in self._hosts:
            known = ", ".join(self._hosts)
            return error_response(403, "FORBIDDEN", f"This server answers only to {known}, not to '{host}'.")
        if method not in SAFE and "origin" in headers:
            allowed = self._hosts if self._hosts is not None else (host,)
            if headers["origin"] not in self._origins and _hostname(headers["origin"]) not in allowed:
                return error_response(403, "FORBIDDEN", "Pages of other sites may not do this.")
        length = headers.get("content-length", "")
        return self._too_large() if length.isdecimal() and int(length) > self._most else None

    def _counted(self, receive: Receive) -> Receive:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise HTTPException(413, f"A request may have at most {self._most // 1000} kB")
            return message

        return counted

    def _too_large(self) -> Response:
        return error_response(413, "CONTENT_TOO_LARGE", f"A request may have at most {self._most // 1000} kB.")


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
