"""The token: what a request must carry where the server has one. Compared in constant time, and never written down."""

from __future__ import annotations

import hmac
import re
from urllib.parse import parse_qsl, urlencode

from fastapi import Security
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import Settings
from dramaturg.server.errors import shaped

SHORTEST_TOKEN = 16
GUARDED = "/v1"
IN_QUERY = "access_token"
# A browser's EventSource and WebSocket cannot set headers.
_STREAMS = re.compile(r"/v1/(?:[\w-]+/)*events")
BEARER = Security(
    HTTPBearer(
        auto_error=False,
        description="wanted where the server has a token; an EventSource may send it as `?access_token=` instead",
    )
)


def token_of(settings: Settings) -> str | None:
    """The token of this server; None if it has none. Raises InvalidSettings where one is named and is not sound."""
    name = settings.server.token_env
    if name is None:
        return None
    token = settings.env.get(name, "").strip()
    make_one = f'Make one: {name}=$(python -c "import secrets; print(secrets.token_urlsafe(32))")'
    if not token:
        raise InvalidSettings(f"[server] token_env names {name}, and that is not set. {make_one}", variable=name)
    if len(token) < SHORTEST_TOKEN or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise InvalidSettings(
            f"The token in {name} must have {SHORTEST_TOKEN} characters or more, without spaces, in ASCII. {make_one}",
            variable=name,
        )
    return token


class TokenCheck:
    """Lets through what carries the token; everything, where there is none. What is not below /v1 stays open."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._token is None or scope["type"] not in ("http", "websocket") or not _guarded(scope["path"]):
            await self._app(scope, receive, send)
        elif self._carries(scope, self._token):
            await self._app(_without_token(scope), receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "the token is missing or wrong"})
        else:
            await _refusal(scope)(scope, receive, send)

    def _carries(self, scope: Scope, token: str) -> bool:
        kind, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        if kind.casefold() == "bearer" and _same(given.strip(), token):
            return True
        is_stream = scope["type"] == "websocket" or (scope["method"] == "GET" and _STREAMS.fullmatch(scope["path"]))
        return bool(is_stream) and any(_same(value, token) for key, value in _query(scope) if key == IN_QUERY)


def _guarded(path: str) -> bool:
    return path == GUARDED or path.startswith(f"{GUARDED}/")


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _without_token(scope: Scope) -> Scope:
    """The request without the token in its address, so that nothing further in can write it down."""
    if IN_QUERY.encode() not in scope.get("query_string", b""):
        return scope
    kept = [(key, value) for key, value in _query(scope) if key != IN_QUERY]
    return {**scope, "query_string": urlencode(kept).encode("latin-1")}


def _refusal(scope: Scope) -> ASGIApp:
    carried = "authorization" in Headers(scope=scope)
    what = "is not the right one" if carried else "is missing"
    response = shaped(401, "UNAUTHORIZED", f"The token {what}. Send it as 'Authorization: Bearer …'.")
    error = ', error="invalid_token"' if carried else ""
    response.headers["WWW-Authenticate"] = f'Bearer realm="dramaturg"{error}'
    return response
