"""The waiting room: a limited number of seats for players, and a queue for those who find none.

A seat is a player's until they have been idle for a while. Somebody who finds no seat is given a ticket and a place:
coming back, with the ticket or as the same player, keeps the place; staying away loses it.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
        self._shown_by: dict[str, str] = {}  # who showed a ticket last keeps their place without it
        self._trying: dict[str, int] = {}  # how many requests are to begin something in a new seat; none has yet

    @contextmanager
    def seat(self, player: str, ticket: str = "") -> Iterator[None]:
        """A seat for what a player begins. Raises SeatsTakenError.

        A new one is given back if that fails, and so does whatever else the player begins meanwhile.
        """
        trying = self._trying.get(player, 0)
        is_on_trial = self.enter(player, ticket) or trying > 0
        if is_on_trial:
            self._trying[player] = trying + 1
        try:
            yield
        except BaseException:  # reason: a request that is cancelled also leaves its seat; re-raised
            if is_on_trial:
                self._give_up(player)
            raise
        self._trying.pop(player, None)

    def _give_up(self, player: str) -> None:
        """One request less wants a seat; with the last it is free."""
        left = self._trying.pop(player, 0) - 1
        if left > 0:
            self._trying[player] = left
        elif left == 0:
            self.leave(player)

    def enter(self, player: str, ticket: str = "") -> bool:
        """Gives a player a seat, or keeps the one they have. Returns whether it is new. Raises SeatsTakenError."""
        if self._most is None:
            return False
        self._clear()
        is_new = player not in self._seated
        if is_new:
            self._admit(self._most - len(self._seated), player, ticket)
        self._trying.pop(player, None)
        self._sit(player)
        return is_new

    def keep(self, player: str) -> None:
        """The seat of a player who has one is theirs for longer."""
        if player in self._seated:
            self._sit(player)

    def leave(self, player: str) -> None:
        self._seated.pop(player, None)

    def _admit(self, free: int, player: str, ticket: str) -> None:
        if ticket not in self._queue:
            ticket = next((own for own, name in self._shown_by.items() if name == player), "")
        waiting = list(self._queue)
        place = waiting.index(ticket) if ticket in self._queue else len(waiting)
        if place < free:
            self._queue.pop(ticket, None)
            self._shown_by.pop(ticket, None)
            return
        if ticket not in self._queue:
            ticket = secrets.token_urlsafe(12)
        if ticket in self._queue or len(self._queue) < LONGEST_QUEUE:
            self._queue[ticket] = self._now()
            self._shown_by[ticket] = player
        raise SeatsTakenError(place - max(free, 0) + 1, ticket)

    def _sit(self, player: str) -> None:
        self._seated[player] = self._now()
        self._seated.move_to_end(player)

    def _clear(self) -> None:
        now = self._now()
        for kept, seconds in ((self._seated, self._seat_seconds), (self._queue, PATIENCE)):
            for name in [name for name, at in kept.items() if now - at > seconds]:
                del kept[name]
        self._shown_by = {ticket: player for ticket, player in self._shown_by.items() if ticket in self._queue}
