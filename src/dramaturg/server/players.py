"""Players over HTTP: a signed token for each, how often they may ask, and which sessions are theirs.

A player begins as nobody and is given a token with their first session. It says no more than an id of chance and a
signature; whoever has it is that player. A session that is not theirs is not there.
"""

from __future__ import annotations

import hmac
import os
import secrets
import time
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from dramaturg.episodes.parlour import no_session
from dramaturg.kernel.errors import InvalidConfig, InvalidSettings
from dramaturg.kernel.settings import Settings
from dramaturg.server.deps import OpenStudio, RunId
from dramaturg.server.door import SAFE
from dramaturg.server.errors import TooManyError
from dramaturg.server.limits import Buckets

FILE = "players.key"
VERSION = "p1"
ID_BYTES, SECRET_BYTES, SHORTEST_SECRET = 16, 32, 16
LONGEST_TOKEN = 200


class PlayerTokens:
    """Mints tokens and reads them. The same secret reads the same tokens, in any process."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mint(self, player: str) -> str:
        return f"{VERSION}.{player}.{self._signature(player)}"

    def read(self, token: str) -> str | None:
        """Whose token it is; None for one that is not ours."""
        version, _, rest = token.partition(".")
        player, _, signature = rest.rpartition(".")
        if version != VERSION or not player or not signature.isascii():
            return None
        return player if hmac.compare_digest(signature, self._signature(player)) else None

    def _signature(self, player: str) -> str:
        digest = hmac.new(self._secret, f"player\0{player}".encode(), sha256).digest()
        return urlsafe_b64encode(digest).decode().rstrip("=")


def new_player() -> str:
    """The id of a player nobody has seen before."""
    return f"player-{secrets.token_hex(ID_BYTES)}"


def secret_of(settings: Settings) -> bytes:
    """What signs the tokens: as the settings say, else a file in data/ that only its owner reads; made once."""
    name = settings.players.secret_env
    if name is not None:
        given = settings.env.get(name, "").strip()
        if len(given) < SHORTEST_SECRET:
            raise InvalidSettings(
                f"[players] secret_env names {name}, which must hold {SHORTEST_SECRET} characters or more.",
                variable=name,
            )
        return given.encode()
    path = settings.data / FILE
    try:
        return _made(path) or _kept(path)
    except OSError as error:
        raise InvalidSettings(
            f"data/{FILE}, which signs the tokens of players, cannot be read or made: {error.strerror}.", file=FILE
        ) from error


def _made(path: Path) -> bytes | None:
    """A new secret in its file, whole from the first moment; None where there is one already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    secret = secrets.token_hex(SECRET_BYTES).encode()
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        return None
    finally:
        fresh.unlink()
    return secret


def _kept(path: Path) -> bytes:
    secret = path.read_bytes().strip()
    if len(secret) < SHORTEST_SECRET:
        raise InvalidSettings(
            f"data/{FILE} is too short to sign anything. Remove it; every player begins anew.", file=FILE
        )
    return secret


class Reception:
    """Where players are received: who they are, and whether they may ask again."""

    def __init__(self, settings: Settings) -> None:
        players = settings.players
        self.tokens = PlayerTokens(secret_of(settings))
        self._players = Buckets(players.per_player, players.burst, time.monotonic)
        self._addresses = Buckets(players.per_address, max(players.burst * 5, 100), time.monotonic)

    def admit(self, address: str) -> None:
        """Raises TooManyError."""
        if wait := self._addresses.take(address):
            raise TooManyError(wait)

    def change(self, player: str) -> None:
        """The same, where a player changes something."""
        if wait := self._players.take(player):
            raise TooManyError(wait)


@dataclass(frozen=True, slots=True)
class Guest:
    """Who asks. `player` is None for one without a token, or with one that is not ours."""

    player: str | None
    had_token: bool
    reception: Reception
    address: str = ""

    def admitted(self) -> Guest:
        """The same, if their address may still ask. Raises TooManyError."""
        self.reception.admit(self.address)
        return self

    def known(self) -> str:
        """The player, or a refusal that says how to become one."""
        if self.player is None:
            raise InvalidConfig(
                "Nobody is known by this X-Player-Token. Begin a session without one, and you are given one."
            )
        return self.player


def received(request: Request) -> None:
    """Anybody, within what an address may ask."""
    _reception(request).admit(_address(request))


def caller(
    request: Request,
    x_player_token: Annotated[
        str | None, Header(max_length=LONGEST_TOKEN, description="the player's token, as `POST /v1/sessions` gave it")
    ] = None,
) -> Guest:
    """Who asks, by their token. Nothing is counted."""
    reception = _reception(request)
    player = reception.tokens.read(x_player_token) if x_player_token else None
    return Guest(player, bool(x_player_token), reception, _address(request))


AnyGuest = Annotated[Guest, Depends(caller)]


def guest(request: Request, who: AnyGuest) -> Guest:
    """The same, within what an address may ask and a player may change."""
    who.admitted()
    if who.player is not None and request.method not in SAFE:
        who.reception.change(who.player)
    return who


def _reception(request: Request) -> Reception:
    reception = request.app.state.reception
    assert isinstance(reception, Reception)
    return reception


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


KnownGuest = Annotated[Guest, Depends(guest)]


async def own_session(run_id: RunId, who: KnownGuest, studio: OpenStudio) -> str:
    """A session of the one who asks. NotFound for any other, as for one that never was."""
    return await owned(run_id, who.player, studio)


async def owned(run_id: str, player: str | None, studio: OpenStudio) -> str:
    record = await studio.episodes.tables.session(run_id) if player is not None else None
    if record is None or record.player_id != player:
        raise no_session(run_id)
    return record.id


OwnSession = Annotated[str, Depends(own_session)]
QueryToken = Annotated[
    str | None,
    Query(max_length=LONGEST_TOKEN, description="the player's token, for an EventSource, which cannot set headers"),
]
