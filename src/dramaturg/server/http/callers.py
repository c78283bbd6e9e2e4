"""Who is calling: the player behind a token, the rate limits, and which sessions belong to that player.

The first session a player starts gives them a token. Without the right token a session is reported as not found.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from dramaturg.episodes.views import no_session
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import Settings
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import RateLimitedError
from dramaturg.server.http.limits import RateLimiter
from dramaturg.server.http.origin_guard import SAFE
from dramaturg.server.http.player_tokens import LONGEST_TOKEN, PlayerTokens, secret_of
from dramaturg.studio import Studio


class PlayerAccess:
    """The tokens of players, and the rate limits per address and per player."""

    def __init__(self, settings: Settings) -> None:
        players = settings.players
        self.tokens = PlayerTokens(secret_of(settings))
        self._players = RateLimiter(players.per_player, players.burst, time.monotonic)
        self._addresses = RateLimiter(players.per_address, max(players.burst * 5, 100), time.monotonic)

    def count_request(self, address: str) -> None:
        """Raises RateLimitedError."""
        if wait := self._addresses.take(address):
            raise RateLimitedError(wait)

    def count_change(self, player: str) -> None:
        """Raises RateLimitedError."""
        if wait := self._players.take(player):
            raise RateLimitedError(wait)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request. `player` is None without a token, or with one that is not valid here."""

    player: str | None
    had_token: bool
    access: PlayerAccess
    address: str = ""

    def counted(self) -> Caller:
        """The caller, once the request has been counted against their address. Raises RateLimitedError."""
        self.access.count_request(self.address)
        return self

    def known_player(self) -> str:
        """The player. Raises InvalidConfig if there is none."""
        if self.player is None:
            raise InvalidConfig(
                "The X-Player-Token is missing or not valid here. Start a session without one, and you are given one."
            )
        return self.player


def limit_address(request: Request) -> None:
    """Counts the request against the caller's address. Raises RateLimitedError."""
    _access(request).count_request(_address(request))


def uncounted_caller(
    request: Request,
    x_player_token: Annotated[
        str | None,
        Header(max_length=LONGEST_TOKEN, description="the player's token, as returned by `POST /v1/sessions`"),
    ] = None,
) -> Caller:
    """The caller, by their token. Nothing is counted."""
    access = _access(request)
    player = access.tokens.read(x_player_token) if x_player_token else None
    return Caller(player, bool(x_player_token), access, _address(request))


UncountedCaller = Annotated[Caller, Depends(uncounted_caller)]


def counted_caller(request: Request, caller: UncountedCaller) -> Caller:
    """The caller, once the request has been counted: against their address, and if it changes something, against
    the player. Raises RateLimitedError."""
    caller.counted()
    if caller.player is not None and request.method not in SAFE:
        caller.access.count_change(caller.player)
    return caller


CountedCaller = Annotated[Caller, Depends(counted_caller)]


async def own_session(run_id: RunId, caller: CountedCaller, studio: OpenStudio) -> str:
    """The id of a session of the caller's. Raises NotFound for any other, whether it exists or not."""
    return await owned_session(run_id, caller.player, studio)


async def owned_session(run_id: str, player: str | None, studio: Studio) -> str:
    """The id of a session, if it belongs to this player. Raises NotFound."""
    record = await studio.episodes.tables.session(run_id) if player is not None else None
    if record is None or record.player_id != player:
        raise no_session(run_id)
    return record.id


OwnSession = Annotated[str, Depends(own_session)]
QueryToken = Annotated[
    str | None,
    Query(max_length=LONGEST_TOKEN, description="the player's token, for an EventSource, which cannot set headers"),
]


def _access(request: Request) -> PlayerAccess:
    access = request.app.state.player_access
    assert isinstance(access, PlayerAccess)
    return access


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
