"""The author's login in a browser: the server's token once, then a cookie that no script can read."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bearer import is_author
from dramaturg.server.http.callers import address_of
from dramaturg.server.http.errors import LoginError, RateLimitedError, declared_errors
from dramaturg.server.http.logins import DAY, DAYS, LONGEST_TOKEN, Logins
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/login", tags=["login"])
NO_TOKEN = (
    "This server is for players: it has no token, so nobody logs in. Its operator can set token_env under [server] in "
    "dramaturg.toml."
)


class LoginStatus(WireValue):
    """Whether the studio asks for a login here, and whether this caller is the author."""

    needed: bool = Field(description="whether the server has a token")
    author: bool = Field(description="whether this request came from the author")


class LoginRequest(WireValue):
    """The server's token, as its operator set it."""

    token: str = Field(min_length=1, max_length=LONGEST_TOKEN, examples=["the-token-of-the-server"])


def all_logins(request: Request) -> Logins:
    logins = request.app.state.logins
    assert isinstance(logins, Logins)
    return logins


AllLogins = Annotated[Logins, Depends(all_logins)]


@router.get("", summary="Ask whether a login is needed")
async def get_login(request: Request, logins: AllLogins) -> LoginStatus:
    """A server without a token needs none: everybody who can reach it is the author, or if it is for players only,
    nobody is."""
    return LoginStatus(needed=logins.needed, author=is_author(request.scope))


@router.post("", status_code=204, summary="Log in", responses=declared_errors(401, 413, 422, 429))
async def log_in(wanted: LoginRequest, request: Request, logins: AllLogins) -> Response:
    """The server's token opens the studio in this browser; that of a player or a seat does not.

    The cookie is `HttpOnly` and `SameSite=Strict`, and counts only for the pages of this server.
    """
    if wait := logins.tries.take(address_of(request)):
        raise RateLimitedError(wait)
    if not logins.possible:
        raise LoginError(NO_TOKEN)
    if logins.needed and not logins.opens(wanted.token):
        raise LoginError
    logins.end(request.scope)
    return _with_cookie(request, logins, logins.begin() if logins.needed else "")


@router.delete("", status_code=204, summary="Log out")
async def end_login(request: Request, logins: AllLogins) -> Response:
    """Ends the login of this browser. A copy of its cookie opens nothing afterwards."""
    logins.end(request.scope)
    return _with_cookie(request, logins, "")


def _with_cookie(request: Request, logins: Logins, value: str) -> Response:
    """An empty value takes the cookie away."""
    response = Response(status_code=204)
    response.set_cookie(
        logins.cookie_name(request.scope),
        value,
        max_age=DAYS * DAY if value else 0,
        path="/v1",
        secure=logins.is_secure(request.scope),
        httponly=True,
        samesite="strict",
    )
    return response
