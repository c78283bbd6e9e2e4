"""The two faces of the server: everything is the author's, and needs the server's token if there is one; players need
their own token for what a host has opened to them. The server's token is compared in constant time and never logged."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from fastapi import Security
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import Settings
from dramaturg.server.http.errors import AUTHOR, error_response
from dramaturg.server.http.logins import Logins
from dramaturg.server.http.player_tokens import LONGEST_TOKEN

SHORTEST_TOKEN = 16
GUARDED = "/v1"
IN_QUERY = "access_token"
PLAYER_BEARER = "dramaturg.player-bearer"
"""The key of a request's scope with a bearer token that is not the server's, where a player's may come as one."""
# A browser's EventSource and WebSocket cannot set headers.
_STREAMS = re.compile(r"/v1/(?:[\w-]+/)*events")
BEARER = Security(
    HTTPBearer(
        auto_error=False,
        description="required if the server has a token; an EventSource may send it as `?access_token=` instead",
    )
)


def is_author(scope: Scope) -> bool:
    """Whether a request below /v1 came with the server's token, or the server has none."""
    return bool(scope.get(AUTHOR, False))


def token_of(settings: Settings) -> str | None:
    """The server's token, or None. Raises InvalidSettings if the named variable is unset or unsuitable."""
    name = settings.server.token_env
    if name is None:
        return None
    token = settings.env.get(name, "").strip()
    make_one = f'Generate one with {name}=$(python3 -c "import secrets; print(secrets.token_urlsafe(32))")'
    if not token:
        raise InvalidSettings(f"[server] token_env names {name}, but that is not set. {make_one}", variable=name)
    if len(token) < SHORTEST_TOKEN or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise InvalidSettings(
            f"The token in {name} must have at least {SHORTEST_TOKEN} characters, in ASCII, no spaces. {make_one}",
            variable=name,
        )
    return token


class TokenCheck:
    """Middleware that requires the token, if there is one, on every path below /v1, except where players may go.

    A browser that has logged in does not send it: its login counts as the token.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str | None,
        logins: Logins,
        players: Sequence[BaseRoute] = (),
        bearers: Sequence[BaseRoute] = (),
    ) -> None:
        """`bearers` are routes where a player's token may come as the bearer token."""
        self._app, self._token, self._logins, self._players = app, token, logins, players
        self._bearers = bearers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not _guarded(scope["path"]):
            await self._app(scope, receive, send)
            return
        if (bearer := self._player_bearer(scope)) is not None:
            scope = {**scope, PLAYER_BEARER: bearer}
        if self._token is None or self._carries(scope, self._token):
            await self._app({**_without_token(scope), AUTHOR: True}, receive, send)
        elif self._is_players(scope):
            await self._app({**_without_token(scope), AUTHOR: False}, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "the token is missing or wrong"})
        else:
            await _unauthorized(scope)(scope, receive, send)

    def _is_players(self, scope: Scope) -> bool:
        """Whether a request goes to a route of players. One with a wrong server token does not: it is refused."""
        if scope["type"] != "http" or ("authorization" in Headers(scope=scope) and PLAYER_BEARER not in scope):
            return False
        return any(route.matches(scope)[0] is Match.FULL for route in self._players)

    def _player_bearer(self, scope: Scope) -> str | None:
        """A bearer token that is not the server's, on a route where it may be a player's."""
        kind, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        is_token = kind.casefold() == "bearer" and 0 < len(given.strip()) <= LONGEST_TOKEN
        if scope["type"] != "http" or not is_token or (self._token and _same(given.strip(), self._token)):
            return None
        is_here = any(route.matches(scope)[0] is Match.FULL for route in self._bearers)
        return given.strip() if is_here else None

    def _carries(self, scope: Scope, token: str) -> bool:
        kind, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        if kind.casefold() == "bearer" and _same(given.strip(), token):
            return True
        if "authorization" not in Headers(scope=scope) and self._logins.admits(scope):
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
    """The scope without the token in its query string, so that nothing downstream can log it."""
    if IN_QUERY.encode() not in scope.get("query_string", b""):
        return scope
    kept = [(key, value) for key, value in _query(scope) if key != IN_QUERY]
    return {**scope, "query_string": urlencode(kept).encode("latin-1")}


def _unauthorized(scope: Scope) -> ASGIApp:
    given = "authorization" in Headers(scope=scope)
    what = "is wrong" if given else "is missing"
    response = error_response(401, "UNAUTHORIZED", f"The token {what}. Send it as 'Authorization: Bearer …'.")
    error = ', error="invalid_token"' if given else ""
    response.headers["WWW-Authenticate"] = f'Bearer realm="dramaturg"{error}'
    return response
