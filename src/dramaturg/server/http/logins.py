"""The browsers in which the author has logged in with the server's token.

A login is a random id in a cookie that no script can read. It is held in memory: logging out ends it at once, and so
does stopping the server. It counts only for the pages of this server, whatever other sites the settings admit.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from dramaturg.server.http.limits import RateLimiter
from dramaturg.server.http.origin_guard import SAFE, is_same_origin

DAYS = 14
DAY = 86_400
MOST_LOGINS = 100
"""Logins held at once; the least recently used is dropped for a new one."""
TRIES_PER_MINUTE = 10
LONGEST_TOKEN = 1000
_ID = re.compile(r"[\w-]{43}")
_OTHER_SITES = ("cross-site", "same-site")


class Logins:
    """Who has logged in. `token` is the server's, or None: then everybody is the author, and nobody needs to; or, where
    a server without a token is for `players_only`, nobody is, and nobody can."""

    def __init__(
        self,
        token: str | None,
        public_url: str | None = None,
        now: Callable[[], float] = time.monotonic,
        *,
        players_only: bool = False,
    ) -> None:
        self._token, self._now = token, now
        self.possible = token is not None or not players_only
        self._public = urlsplit(public_url or "")
        self._held: OrderedDict[bytes, float] = OrderedDict()
        self.tries = RateLimiter(TRIES_PER_MINUTE, TRIES_PER_MINUTE, now)

    @property
    def needed(self) -> bool:
        return self._token is not None

    def opens(self, token: str) -> bool:
        """Whether this is the server's token."""
        return self._token is not None and hmac.compare_digest(token.strip().encode(), self._token.encode())

    def begin(self) -> str:
        """A new login: the value of its cookie."""
        made = secrets.token_urlsafe(32)
        self._held[_digest(made)] = self._now() + DAYS * DAY
        while len(self._held) > MOST_LOGINS:
            self._held.popitem(last=False)
        return made

    def end(self, scope: Scope) -> None:
        """Ends the login of a request, if it has one and names no page of another site as its origin."""
        headers = Headers(scope=scope)
        is_foreign = "origin" in headers and not self._is_own_page(scope)
        if is_foreign or headers.get("sec-fetch-site", "") in _OTHER_SITES:
            return
        self._held.pop(_digest(self._sent(scope)), None)

    def admits(self, scope: Scope) -> bool:
        """Whether a request comes from a page of this server, in a browser that is logged in."""
        sent = self._sent(scope)
        if not _ID.fullmatch(sent) or not self._is_own_page(scope):
            return False
        key = _digest(sent)
        if self._held.get(key, 0.0) <= self._now():
            self._held.pop(key, None)
            return False
        self._held.move_to_end(key)
        return True

    def cookie_name(self, scope: Scope) -> str:
        """Servers on other ports of a host share its cookies, so each has a name of its own."""
        return f"dramaturg-login-{self._port(scope)}"

    def is_secure(self, scope: Scope) -> bool:
        """Whether the browser came by HTTPS, as far as can be known behind a proxy."""
        return scope["scheme"] in ("https", "wss") or self._public.scheme == "https"

    def _port(self, scope: Scope) -> int:
        try:
            port = urlsplit(f"//{Headers(scope=scope).get('host', '')}").port
        except ValueError:
            port = None
        return port or (443 if self.is_secure(scope) else 80)

    def _sent(self, scope: Scope) -> str:
        return cookie_parser(Headers(scope=scope).get("cookie", "")).get(self.cookie_name(scope), "")

    def _is_own_page(self, scope: Scope) -> bool:
        """Cookies are also sent by pages of other ports and subdomains; only this server's own pages count.

        A browser names the origin of every request that changes something, and of every WebSocket.
        """
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None:
            own = f"{self._public.scheme}://{self._public.netloc}" if self._public.netloc else ""
            return origin == own or is_same_origin(origin, headers.get("host", ""))
        return (
            scope["type"] == "http"
            and scope["method"] in SAFE
            and headers.get("sec-fetch-site", "") not in _OTHER_SITES
        )


def _digest(value: str) -> bytes:
    """What is looked up is a digest, so that how long it takes says nothing about the ids."""
    return sha256(value.encode("utf-8", "replace")).digest()
