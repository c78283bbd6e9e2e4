"""The waiting room: a limited number of seats for players, and a queue for those who find none.

A seat is a player's until they have been idle for a while. Somebody who finds no seat is given a ticket and a place:
coming back with the ticket keeps the place, staying away loses it.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable

LONGEST_QUEUE = 1000
RETRY_SECONDS = 15
PATIENCE = 4 * RETRY_SECONDS
"""Seconds after which somebody who has not asked again has left the queue."""


class SeatsTakenError(Exception):
    """Every seat is taken: answered with 503, the place in the queue, and a ticket that keeps it."""

    def __init__(self, place: int, ticket: str) -> None:
        super().__init__(place)
        self.place, self.ticket = place, ticket


class WaitingRoom:
    """The seats of a server. Without a limit there is always one."""

    def __init__(self, seats: int | None, seat_seconds: float, now: Callable[[], float]) -> None:
        self._most, self._seat_seconds, self._now = seats, seat_seconds, now
        self._seated: OrderedDict[str, float] = OrderedDict()
        self._queue: OrderedDict[str, float] = OrderedDict()

    def enter(self, player: str | None, ticket: str) -> None:
        """Raises SeatsTakenError unless the player has a seat, or there is one for them. `touch` takes it."""
        if self._most is None:
            return
        self._clear()
        if player is not None and player in self._seated:
            return
        free = self._most - len(self._seated)
        waiting = list(self._queue)
        place = waiting.index(ticket) if ticket in self._queue else len(waiting)
        if place < free:
            self._queue.pop(ticket, None)
            return
        if ticket not in self._queue:
            ticket = secrets.token_urlsafe(12)
        if ticket in self._queue or len(self._queue) < LONGEST_QUEUE:
            self._queue[ticket] = self._now()
        raise SeatsTakenError(place - max(free, 0) + 1, ticket)

    def touch(self, player: str) -> None:
        """Gives a player a seat, or keeps the one they have."""
        if self._most is not None:
            self._seated[player] = self._now()
            self._seated.move_to_end(player)

    def leave(self, player: str) -> None:
        self._seated.pop(player, None)

    def _clear(self) -> None:
        now = self._now()
        for kept, seconds in ((self._seated, self._seat_seconds), (self._queue, PATIENCE)):
            for name in [name for name, at in kept.items() if now - at > seconds]:
                del kept[name]
