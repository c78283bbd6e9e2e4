"""Who is calling: the author or a player, the limits that apply, and which sessions belong to that player.

The first session a player starts gives them a token. Without the right token a session is reported as not found.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from math import ceil
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from dramaturg.cluster.limits import SharedLimits
from dramaturg.episodes.player_token import PlayerToken
from dramaturg.episodes.spent_day import HOUR, SpentDay
from dramaturg.episodes.views import no_session
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import PlayerSettings, Settings
from dramaturg.server.http.address_spending import AddressSpending, limited_address
from dramaturg.server.http.bearer import is_author
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import PlayerTokenError, RateLimitedError
from dramaturg.server.http.limits import Limiter, LocalLimiter, RateLimiter
from dramaturg.server.http.origin_guard import SAFE
from dramaturg.server.http.player_tokens import (
    LONGEST_TOKEN,
    PlayerTokens,
    TokenClaim,
    new_token_id,
    secret_of,
)
from dramaturg.server.http.waiting_room import WaitingRoom
from dramaturg.studio import Studio

OVER = "That is all that {who} may use in a day here. Part of it is free again in {wait}."

FOREVER_DAYS = 36_500
"""How long it is remembered that a token without a date was revoked."""


class PlayerAccess:
    """The tokens of players, their seats, and the limits per address, per player and for the house."""

    def __init__(self, settings: Settings, limits: SharedLimits) -> None:
        players = settings.players
        self.settings = players
        self._secret = secret_of(settings)
        self.tokens = PlayerTokens(self._secret)
        self.room = WaitingRoom(players.seats, players.seat_minutes * 60, time.monotonic)
        self.spending = AddressSpending(time.monotonic)
        many = max(players.burst * 5, 100)
        self._players = _limiter(limits, "player", players.per_player, players.burst)
        self._addresses = _limiter(limits, "address", players.per_address, many)
        self._house = _limiter(limits, "players", players.per_house, many) if players.per_house else None

    async def count_request(self, address: str) -> None:
        """Raises RateLimitedError."""
        wait = await self._addresses.take(self._digest(address))
        if not wait and self._house is not None:
            wait = await self._house.take("all")
        if wait:
            raise RateLimitedError(wait)

    async def count_change(self, player: str) -> None:
        """Raises RateLimitedError."""
        if wait := await self._players.take(player):
            raise RateLimitedError(wait)
        self.room.keep(player)

    def _digest(self, address: str) -> str:
        """What stands for an address where processes share limits: the address itself is not stored."""
        return hashlib.blake2b(address.encode(), key=self._secret[:64], digest_size=16).hexdigest()

    async def claim(self, token: str, studio: Studio) -> TokenClaim | None:
        """What a token says, if it is still good; None if it is not one of ours.

        Raises PlayerTokenError if it has expired or was revoked.
        """
        claim = self.tokens.read(token)
        if claim is None or not (claim.dated or self.settings.old_tokens):
            return None
        players = studio.episodes.players
        stored = await players.token(claim.token_id)
        if stored is None:
            if claim.dated or await players.is_deleted(claim.player):
                raise PlayerTokenError("unknown")
        elif stored.revoked or stored.player_id != claim.player:
            raise PlayerTokenError("revoked")
        elif players.is_over(stored):
            raise PlayerTokenError("expired")
        return claim

    async def player_claim(self, token: str, studio: Studio) -> TokenClaim:
        """What a player's token says. Raises PlayerTokenError for one that is not good here, whatever it is."""
        claim = await self.claim(token, studio)
        if claim is None:
            raise PlayerTokenError("unknown")
        return claim

    async def stands(self, claim: TokenClaim, studio: Studio) -> bool:
        """Whether a token that was good when it was read still is."""
        players = studio.episodes.players
        stored = await players.token(claim.token_id)
        if stored is None:
            return not claim.dated and not await players.is_deleted(claim.player)
        return not (stored.revoked or players.is_over(stored))

    async def issue(self, player: str, studio: Studio) -> tuple[str, PlayerToken]:
        """A new token for a player, and what is stored of it."""
        stored = await studio.episodes.players.issue_token(player, new_token_id(), self.settings.token_days)
        return self.tokens.mint(player, stored.id), stored

    async def revoke(self, claim: TokenClaim, studio: Studio) -> None:
        """Makes a token invalid for good."""
        players = studio.episodes.players
        if not claim.dated:
            await players.issue_token(claim.player, claim.token_id, FOREVER_DAYS)
        await players.revoke_token(claim.token_id)

    async def check_spending(self, player: str | None, address: str, studio: Studio) -> None:
        """Raises RateLimitedError if a player, their address or all together have used what a day allows."""
        limits, players = self.settings, studio.episodes.players
        if not limits.limits_spending:
            return
        _check_day("one address", self.spending.day(address), limits.address_tokens_per_day, limits.address_usd_per_day)
        _check_day("everybody together", await players.day(), limits.tokens_per_day, limits.usd_per_day)
        if player is not None:
            own = await players.day(player)
            _check_day("one player", own, limits.player_tokens_per_day, limits.player_usd_per_day)

    async def held_back(self, session: str, player: str, studio: Studio) -> str:
        """Why a message that has waited is not answered: what a day allows was used meanwhile. Empty if it was not."""
        try:
            await self.check_spending(player, self.spending.played_from(session), studio)
        except RateLimitedError as error:
            return error.message
        return ""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request. `claim` is None without a player token."""

    claim: TokenClaim | None
    access: PlayerAccess
    is_author: bool
    address: str = ""

    @property
    def player(self) -> str | None:
        return self.claim.player if self.claim is not None else None

    @property
    def limits(self) -> PlayerSettings:
        return self.access.settings

    async def counted(self) -> Caller:
        """The caller, once the request has been counted against their address. Raises RateLimitedError."""
        await self.access.count_request(self.address)
        return self

    def known_claim(self) -> TokenClaim:
        """What the player's token says. Raises InvalidConfig if there is none."""
        if self.claim is None:
            raise InvalidConfig("The X-Player-Token is missing. Start a session without one, and you are given one.")
        return self.claim

    def known_player(self) -> str:
        """The player. Raises InvalidConfig if there is none."""
        return self.known_claim().player

    def check_voice(self) -> None:
        """Raises InvalidConfig if this caller may not turn on voices."""
        if not self.is_author and not self.limits.voice:
            raise InvalidConfig("Spoken messages cannot be turned on here. Leave out 'voice', or ask the host.")

    def may_play(self, episode: str) -> bool:
        """Whether this caller may play an episode: the author any, a player what the host has opened."""
        return self.is_author or self.limits.is_open(episode)


async def limit_address(request: Request) -> None:
    """Counts the request against the caller's address. Raises RateLimitedError."""
    await _access(request).count_request(address_of(request))


async def uncounted_caller(
    request: Request,
    studio: OpenStudio,
    x_player_token: Annotated[
        str | None,
        Header(
            description="the player's token, as returned by `POST /v1/sessions`",
            json_schema_extra={"maxLength": LONGEST_TOKEN},
        ),
    ] = None,
) -> Caller:
    """The caller, by their token. Only a request with a token that is not valid is counted: it ends here.

    Raises PlayerTokenError for that, or RateLimitedError.
    """
    access, address = _access(request), address_of(request)
    try:
        claim = await access.player_claim(x_player_token, studio) if x_player_token else None
    except PlayerTokenError:
        await access.count_request(address)
        raise
    return Caller(claim, access, is_author(request.scope), address)


UncountedCaller = Annotated[Caller, Depends(uncounted_caller)]


async def counted_caller(request: Request, caller: UncountedCaller) -> Caller:
    """The caller, once the request has been counted: against their address, and if it changes something, against
    the player. Raises RateLimitedError."""
    await caller.counted()
    if caller.player is not None and request.method not in SAFE:
        await caller.access.count_change(caller.player)
    return caller


CountedCaller = Annotated[Caller, Depends(counted_caller)]


async def own_session(run_id: RunId, caller: CountedCaller, studio: OpenStudio) -> str:
    """The id of a session of the caller's. Raises NotFound for any other, whether it exists or not."""
    return await owned_session(run_id, caller, studio)


async def owned_session(run_id: str, caller: Caller, studio: Studio) -> str:
    """The id of a session, if it belongs to this caller and its episode is still open. Raises NotFound."""
    record = await studio.episodes.tables.session(run_id) if caller.player is not None else None
    if record is None or record.player_id != caller.player or not caller.may_play(record.template):
        raise no_session(run_id)
    return record.id


OwnSession = Annotated[str, Depends(own_session)]


async def paid_session(session: OwnSession, caller: CountedCaller, studio: OpenStudio) -> str:
    """The same for a request that calls models. Raises RateLimitedError if the day's limit is used up, and
    SeatsTakenError for a player who has no seat any more and finds none."""
    await caller.access.check_spending(caller.player, caller.address, studio)
    caller.access.room.enter(caller.known_player())
    caller.access.spending.play(session, caller.address)
    return session


PaidSession = Annotated[str, Depends(paid_session)]
QueryToken = Annotated[
    str | None,
    Query(
        description="the player's token, for an EventSource, which cannot set headers",
        json_schema_extra={"maxLength": LONGEST_TOKEN},
    ),
]


def _limiter(limits: SharedLimits, kind: str, per_minute: float, burst: int) -> Limiter:
    """Buckets that all processes share, where there may be many; else those of this one."""
    shared = limits.allowances(kind, per_minute, burst)
    return shared or LocalLimiter(RateLimiter(per_minute, burst, time.monotonic))


def _access(request: Request) -> PlayerAccess:
    access = request.app.state.player_access
    assert isinstance(access, PlayerAccess)
    return access


def address_of(request: Request) -> str:
    """The address that limits apply to."""
    return limited_address(request.client.host) if request.client else ""


def _check_day(who: str, day: SpentDay, tokens: int | None, usd: float | None) -> None:
    """Raises RateLimitedError with the time until part of the day's limit is free again."""
    if wait := day.wait(tokens, usd):
        raise RateLimitedError(wait, OVER.format(who=who, wait=_roughly(wait)))


def _roughly(seconds: float) -> str:
    """A time in minutes, or from two hours on in hours; never less than it is."""
    unit, name = (60, "minute") if seconds < 2 * HOUR else (HOUR, "hour")
    number = ceil(seconds / unit)
    return f"{number} {name}{'s' if number > 1 else ''}"
