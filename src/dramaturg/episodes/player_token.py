"""A player's token, and what their turns have used, as they are stored."""

from __future__ import annotations

from dramaturg.kernel.values import Value


class PlayerToken(Value):
    """A token as it is stored: never the token itself. Times are seconds since 1970."""

    id: str
    player_id: str
    issued_at: float
    expires_at: float
    revoked: bool = False


class Spent(Value):
    """What some turns have used."""

    tokens: int = 0
    usd: float = 0.0
