"""Marks of deleted players in the store, so that nothing of theirs is stored afterwards, by whatever process.

A mark is a row beside the tokens, under an id that no token has: a digest, which names nobody. Whoever stores something
of a player's makes the same row and removes it again in that transaction, so that the database lets only one of them go
on: a deletion finds what was stored before it, and whoever stores later finds the mark.
"""

from __future__ import annotations

from hashlib import blake2b

from dramaturg.episodes.player_token import PlayerToken
from dramaturg.kernel.errors import NotFound

PREFIX = "deleted/"
NEVER = 1e15


class PlayerDeleted(NotFound):
    """Something was to be stored of a player who has been deleted."""

    def __init__(self) -> None:
        super().__init__("This player was deleted, with everything that was stored of them. Begin as a new player.")


def mark_id(player: str) -> str:
    """The id of a player's mark."""
    return PREFIX + blake2b(player.encode("utf-8", "replace"), digest_size=16).hexdigest()


def mark_of(player: str, at: float) -> PlayerToken:
    """The mark of a player who is being deleted; it is revoked once nothing is left of them."""
    return PlayerToken(id=mark_id(player), player_id="", issued_at=at, expires_at=NEVER)
