"""A player's token, as it is stored."""

from __future__ import annotations

from dramaturg.kernel.values import Value


class PlayerToken(Value):
    """A token as it is stored: never the token itself. Times are seconds since 1970."""

    id: str
    player_id: str
    issued_at: float
    expires_at: float
    revoked: bool = False
