"""The door: for whom the server answers while it has no authentication, and how much may be brought in.

A server on this machine can be reached by every page in its user's browser. So a request must name a host
that is ours (a foreign name that resolves to this machine is refused), and a page of another site may not
make anything happen here.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dramaturg.server.errors import shaped

LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_BYTES = 1_000_000
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = 1008


class Doorkeeper:
    """Lets in what names one of our hosts (any host, if None), comes from no other site, and is not too large.

    `origins` are other sites whose pages may come in all the same.
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
            # A page of any site may open one; it counts as making something happen here.
            if self._turned_away("CONNECT", Headers(scope=scope)) is not None:
                await receive()
                await send({"type": "websocket.close", "code": POLICY})
            else:
                await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        turned_away = self._turned_away(scope["method"], Headers(scope=scope))
        if turned_away is not None:
            await turned_away(scope, receive, send)
        else:
            await self._app(scope, self._counted(receive), send)

    def _turned_away(self, method: str, headers: Headers) -> Response | None:
        host = _hostname(f"//{headers.get('host', '')}")
        if self._hosts is not None and host not in self._hosts:
            known = ", ".join(self._hosts)
            return shaped(403, "FORBIDDEN", f"This server answers to {known} only, not to '{host}'.")
        if method not in SAFE and "origin" in headers:
            allowed = self._hosts if self._hosts is not None else (host,)
            if headers["origin"] not in self._origins and _hostname(headers["origin"]) not in allowed:
                return shaped(403, "FORBIDDEN", "A page of another site may not do this.")
        length = headers.get("content-length", "")
        return self._too_large() if length.isdecimal() and int(length) > self._most else None

    def _counted(self, receive: Receive) -> Receive:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise HTTPException(413, f"More than {self._most // 1000} kB in one request is too much")
            return message

        return counted

    def _too_large(self) -> Response:
        return shaped(413, "CONTENT_TOO_LARGE", f"More than {self._most // 1000} kB in one request is too much.")


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
