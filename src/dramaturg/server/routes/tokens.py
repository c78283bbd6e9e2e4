"""For the host: the tokens of players. Invite somebody, list the tokens, revoke one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from dramaturg.episodes.deleted_players import PlayerDeleted
from dramaturg.episodes.player_token import PlayerToken
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import UncountedCaller
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.player_tokens import LONGEST_TOKEN_ID, new_player
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/tokens", tags=["tokens"])
TokenId = Annotated[
    str,
    Path(max_length=LONGEST_TOKEN_ID, description="the id of a token, as listed", examples=["9c1185a5c5e9fc54612a"]),
]


class NewToken(Value):
    """Whose token it is."""

    player: str | None = Field(
        None, min_length=1, max_length=60, pattern=r"^[\w-]+$", description="a known player; a new one if not set"
    )


class IssuedToken(Value):
    """A new token, which is not shown again."""

    player: str
    player_token: str = Field(description="for the player, who sends it as `X-Player-Token`")
    token: PlayerToken


class TokenList(Value):
    """Tokens, newest first. The tokens themselves are not stored."""

    tokens: tuple[PlayerToken, ...]


@router.get("", summary="List the tokens of players", responses=declared_errors(422))
async def list_tokens(
    studio: OpenStudio,
    player: Annotated[str | None, Query(max_length=200, description="only those of this player")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="the maximum number of tokens")] = 50,
) -> TokenList:
    """Who was given a token, when it expires, and whether it was revoked."""
    return TokenList(tokens=await studio.episodes.players.tokens(player, limit))


@router.post("", status_code=201, summary="Invite a player", responses=declared_errors(422))
async def issue_token(studio: OpenStudio, caller: UncountedCaller, wanted: NewToken | None = None) -> IssuedToken:
    """A token for a new player, or another one for a known player."""
    player = (wanted.player if wanted else None) or new_player()
    try:
        token, stored = await caller.access.issue(player, studio)
    except PlayerDeleted as error:
        raise InvalidConfig(f"The player '{player}' was deleted. Leave out 'player' to invite a new one.") from error
    return IssuedToken(player=player, player_token=token, token=stored)


@router.delete("/{token_id}", status_code=204, summary="Revoke a token", responses=declared_errors(404, 422))
async def revoke_token(token_id: TokenId, studio: OpenStudio, caller: UncountedCaller) -> None:
    """Make one token invalid, at once and for good. The player keeps their sessions and other tokens."""
    stored = await studio.episodes.players.token(token_id)
    await studio.episodes.players.revoke_token(token_id)
    if stored is not None:
        caller.access.room.leave(stored.player_id)
