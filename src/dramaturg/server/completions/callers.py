"""Who calls through OpenAI's protocol. Its programs send one key, so a player's token may come as the bearer token."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from dramaturg.episodes.events import Persona
from dramaturg.server.http.bearer import PLAYER_BEARER
from dramaturg.server.http.callers import Caller, UncountedCaller
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import PlayerTokenError
from dramaturg.server.http.origin_guard import SAFE
from dramaturg.studio import Studio

AUTHORS_PLAYER = "chat-program"
LONGEST_NAME = 80
KEYLESS = (
    "A key is needed here: the server's token, or a player's, which POST /v1/sessions gives to guests. Send it as "
    "'Authorization: Bearer …'."
)


async def compatible_caller(request: Request, caller: UncountedCaller, studio: OpenStudio) -> Caller:
    """The caller, once the request has been counted. Whoever sends a player's token is that player, and no author.

    Raises PlayerTokenError for anybody who is neither, and RateLimitedError.
    """
    await caller.counted()
    bearer = request.scope.get(PLAYER_BEARER)
    if caller.claim is None and bearer:
        caller = replace(caller, claim=await caller.access.claim(bearer, studio))
    if caller.player is not None:
        if request.method not in SAFE:
            await caller.access.count_change(caller.player)
        return replace(caller, is_author=False)
    if not caller.is_author:
        raise PlayerTokenError("required", KEYLESS)
    return caller


CompatibleCaller = Annotated[Caller, Depends(compatible_caller)]


async def persona_of(caller: Caller, user: str | None, studio: Studio) -> Persona:
    """Who speaks: the player of the token; for the author, whoever their program names as `user`."""
    if caller.player is not None:
        return await studio.episodes.players.get(caller.player) or Persona(id=caller.player)
    if not user:
        return Persona(id=AUTHORS_PLAYER)
    digest = hashlib.sha256(user.encode("utf-8", "replace")).hexdigest()[:16]
    return Persona(id=f"{AUTHORS_PLAYER}-{digest}")
