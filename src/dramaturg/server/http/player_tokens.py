"""Player tokens: a player id, the id of the token, and a signature. Whoever holds a token is that player.

What a token is good for is not in it: the store says until when, and whether it was revoked.
"""

from __future__ import annotations

import hmac
import os
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.files import read_file
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store.private_files import is_open_to_others, private_folder
from dramaturg.trust.made_keys import LARGEST_KEY, PLAYERS_KEY, MadeKeys

UNDATED, DATED = "p1", "p2"
"""The versions of a token. Those of version 0.1 have no id of their own and do not expire."""
ID_BYTES, TOKEN_ID_BYTES, SECRET_BYTES, SHORTEST_SECRET = 16, 10, 32, 16
LONGEST_TOKEN = 200
LONGEST_TOKEN_ID = 40


@dataclass(frozen=True, slots=True)
class TokenClaim:
    """What a genuine token says: whose it is, and under which id the store knows it."""

    player: str
    token_id: str
    dated: bool


class PlayerTokens:
    """Issues tokens and reads them. Every process with the same secret accepts the same tokens."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mint(self, player: str, token_id: str) -> str:
        claim = f"{player}.{token_id}"
        signature = self._signature(f"token\0{claim}")
        return f"{DATED}.{claim}.{signature}"

    def read(self, token: str) -> TokenClaim | None:
        """What a token says; None if it was not issued here."""
        version, _, rest = token.partition(".")
        claim, _, signature = rest.rpartition(".")
        if not claim or not signature.isascii():
            return None
        if version == UNDATED and self._is_signed(f"player\0{claim}", signature):
            return TokenClaim(claim, claim[:LONGEST_TOKEN_ID], dated=False)
        player, _, token_id = claim.rpartition(".")
        if version == DATED and player and token_id and self._is_signed(f"token\0{claim}", signature):
            return TokenClaim(player, token_id, dated=True)
        return None

    def guest(self, key: str) -> str:
        """The player id of a guest who starts with a key of their own: the same for the same key."""
        digest = hmac.new(self._secret, f"guest\0{key}".encode(), sha256).hexdigest()
        return f"player-{digest[: 2 * ID_BYTES]}"

    def _is_signed(self, claim: str, signature: str) -> bool:
        return hmac.compare_digest(signature, self._signature(claim))

    def _signature(self, claim: str) -> str:
        digest = hmac.new(self._secret, claim.encode(), sha256).digest()
        return urlsafe_b64encode(digest).decode().rstrip("=")


def new_player() -> str:
    """A new random player id."""
    return f"player-{secrets.token_hex(ID_BYTES)}"


def new_token_id() -> str:
    return secrets.token_hex(TOKEN_ID_BYTES)


def digest_of(secret: bytes) -> str:
    """What may be stored of a secret, to tell whether two processes have the same."""
    return hmac.new(secret, b"which key is this", sha256).hexdigest()


def secret_of(settings: Settings) -> bytes:
    """The secret that signs tokens: from the variable the settings name, else from a file in data/ that only its
    owner can read and that is created on first use."""
    name = settings.players.secret_env
    if name is not None:
        given = settings.env.get(name, "").strip()
        if len(given) < SHORTEST_SECRET:
            raise InvalidSettings(
                f"[players] secret_env names {name}, which must hold at least {SHORTEST_SECRET} characters.",
                variable=name,
            )
        return given.encode()
    path = settings.data / PLAYERS_KEY
    try:
        return _created(path, MadeKeys.of(settings.env, settings.project)) or _stored(path)
    except OSError as error:
        raise InvalidSettings(
            f"data/{PLAYERS_KEY}, which signs the tokens of players, cannot be read or created: {error.strerror}.",
            file=PLAYERS_KEY,
        ) from error


def is_from_elsewhere(settings: Settings) -> bool:
    """Whether the key in data/ was not made by this user here. Said once: then it is remembered like one that was."""
    made = MadeKeys.of(settings.env, settings.project)
    secret = secret_of(settings)
    if settings.players.secret_env is not None or not made.can_remember or made.knows(secret):
        return False
    made.remember(secret)
    return True


def _created(path: Path, made: MadeKeys) -> bytes | None:
    """Creates the file atomically, with a new secret that is remembered as made here. None if it exists already."""
    private_folder(path.parent)
    if path.is_symlink() or path.exists():
        return None
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    secret = secrets.token_hex(SECRET_BYTES).encode()
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    made.remember(secret)  # first: another process may open the project as soon as the key is there
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        return None
    finally:
        fresh.unlink()
    return secret


def _stored(path: Path) -> bytes:
    if is_open_to_others(path) or path.is_symlink():
        raise InvalidSettings(
            f"data/{PLAYERS_KEY} is not secret: others can read it, or it came with the project. Delete it to create a "
            "new one; tokens issued so far become invalid.",
            file=PLAYERS_KEY,
        )
    secret = read_file(path, LARGEST_KEY).strip()
    if len(secret) < SHORTEST_SECRET:
        raise InvalidSettings(
            f"data/{PLAYERS_KEY} is too short to sign tokens. Delete it to create a new one; tokens issued so far "
            "become invalid.",
            file=PLAYERS_KEY,
        )
    return secret
