"""The host and origin check, and the limit on the size of a request.

Every page in a user's browser can reach a server on the same machine. Therefore a request must name one of the server's
own hosts (which stops DNS rebinding), and pages of other origins can neither change nor read anything (which stops
cross-site request forgery). Another port of the same host is another origin. A health check by any other name is told a
status and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dramaturg.kernel.addresses import PORTS
from dramaturg.server.http.errors import error_response

LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_BYTES = 1_000_000
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = 1008
HEALTH = "/healthz"
"""Answered to any host name: whoever checks a container asks for it by its address."""
SINGLE = (
    "host", "origin", "authorization", "content-length", "content-type", "x-player-token", "x-seat-token",
    "idempotency-key",
)  # fmt: skip
"""Headers that a request may have once. Two of them could mean one thing to a proxy and another here."""
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


class OriginGuard:
    """Middleware that refuses foreign hosts (unless `hosts` is None), foreign origins, repeated headers and oversized
    requests. `origins` are other sites whose pages are allowed; `*` stands for all. `uploads` are paths to which more
    may be sent, with `*` for any name in them."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None = LOOPBACK,
        most_bytes: int = MOST_BYTES,
        origins: Collection[str] = (),
        uploads: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._app = app
        self._origins = origins
        self._hosts = hosts
        self._most = most_bytes
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            if self._refusal(scope) is not None:
                await receive()
                await send({"type": "websocket.close", "code": POLICY})
            else:
                await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        if not self._is_ours(Headers(scope=scope).get("host", "")):
            send = _status_alone(send)
        await self._app(scope, self._counted(receive, self._limit(scope)), send)

    def _limit(self, scope: Scope) -> int:
        allowed = (most for pattern, most in self._uploads.items() if fnmatchcase(scope["path"], pattern))
        return next(allowed, self._most)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        repeated = next((name for name in SINGLE if len(headers.getlist(name)) > 1), None)
        if repeated is not None:
            return error_response(400, "BAD_REQUEST", f"The header '{repeated}' is there more than once.")
        given = headers.get("host", "")
        if not self._is_ours(given) and not _is_health_check(scope):
            return error_response(403, "FORBIDDEN", "This server does not answer to that host name.")
        if not _HOST.fullmatch(given):
            return error_response(400, "BAD_REQUEST", "The Host header is missing or not a host name.")
        if "origin" in headers and not self._is_allowed(headers["origin"], given):
            return error_response(403, "FORBIDDEN", "Pages of other sites may not do this.")
        length = headers.get("content-length", "")
        most = self._limit(scope)
        return _too_large(most) if length.isdecimal() and int(length[:20]) > most else None

    def _is_ours(self, host: str) -> bool:
        return self._hosts is None or _hostname(f"//{host}") in self._hosts

    def _is_allowed(self, origin: str, host: str) -> bool:
        return "*" in self._origins or origin in self._origins or is_same_origin(origin, host)

    def _counted(self, receive: Receive, most: int) -> Receive:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise HTTPException(413, f"A request may have at most {most // 1000} kB")
            return message

        return counted


def _is_health_check(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and scope["path"] == HEALTH


def _status_alone(send: Send) -> Send:
    """Sends an answer without its body."""

    async def bare(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message["headers"] if not name.startswith(b"content-")]
            message = {**message, "headers": [*kept, (b"content-length", b"0")]}
        elif message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return bare


def _too_large(most: int) -> Response:
    return error_response(413, "CONTENT_TOO_LARGE", f"A request may have at most {most // 1000} kB.")


def is_same_origin(origin: str, host: str) -> bool:
    """Whether an origin is the host and port that the request names. Behind a proxy, the scheme may be another."""
    try:
        theirs, ours = urlsplit(origin), urlsplit(f"//{host}")
        default = PORTS[theirs.scheme]
        return bool(theirs.hostname) and (theirs.hostname, theirs.port or default) == (
            ours.hostname,
            ours.port or default,
        )
    except (ValueError, KeyError):
        return False


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
