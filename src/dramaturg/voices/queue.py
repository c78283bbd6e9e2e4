"""The queue in front of an engine: lanes share it fairly, and within a lane earlier ranks come first.

A lane is whoever must not be kept waiting by others, such as a kiosk; a rank orders its lines, such as by turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from dramaturg.kernel.values import Value

MOST_REMEMBERED = 1000
"""Lanes whose last line is remembered, so that one that comes and goes is not always the newest."""


class SpeechOrder(Value):
    """When a line is spoken, among others: lanes share an engine fairly, and a lane's lower ranks come first."""

    lane: str = ""
    rank: int = 0


ANY_TIME = SpeechOrder()


class SpeechPlace:
    """A place in the queue, taken when a line is asked for. Entering its block waits until the line may be spoken.

    Until then it holds back later ranks of its lane. A line that need not be spoken leaves.
    """

    def __init__(self, queue: SpeechQueue, lane: str, rank: int) -> None:
        self._queue = queue
        self.lane, self.rank = lane, rank
        self.turn: asyncio.Future[None] | None = None

    async def __aenter__(self) -> None:
        self.turn = asyncio.get_running_loop().create_future()
        self._queue.advance()
        try:
            await self.turn
        except asyncio.CancelledError:
            self._queue.give_up(self)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.release()

    def leave(self) -> None:
        """Make room without having spoken. Does nothing once the line was spoken."""
        self._queue.remove(self)


class SpeechQueue:
    """At most `size` lines at a time. The lane that was served longest ago is next.

    A lane that is open and was not served yet has a place kept free for its first line, as far as there are places, so
    that whoever is asked at the same time is heard at the same time.
    """

    def __init__(self, size: int) -> None:
        self._size = self._free = size
        self._unserved: dict[str, int] = {}
        self._lanes: dict[str, list[SpeechPlace]] = {}
        self._served: dict[str, int] = {}
        self._count = 0

    def enter(self, lane: str = "", rank: int = 0) -> SpeechPlace:
        """Take a place."""
        place = SpeechPlace(self, lane, rank)
        self._lanes.setdefault(lane, []).append(place)
        return place

    @contextmanager
    def lane(self, name: str) -> Iterator[None]:
        """Keep a lane open: lines will come."""
        self._unserved[name] = self._unserved.get(name, 0) + 1
        try:
            yield
        finally:
            self._unserved[name] = self._unserved.get(name, 1) - 1
            if self._unserved[name] <= 0:
                del self._unserved[name]
            self.advance()

    def advance(self) -> None:
        """Let lines be spoken while there is room."""
        while self._free > 0 and (place := self._next()) is not None:
            self._free -= 1
            self._count += 1
            self._served.pop(place.lane, None)
            self._served[place.lane] = self._count
            self._unserved.pop(place.lane, None)
            if len(self._served) > MOST_REMEMBERED:
                del self._served[next(iter(self._served))]
            self._drop(place)
            if place.turn is not None:
                place.turn.set_result(None)

    def remove(self, place: SpeechPlace) -> None:
        if place in self._lanes.get(place.lane, ()):
            self._drop(place)
            self.advance()

    def give_up(self, place: SpeechPlace) -> None:
        """For a place whose wait was cancelled: its turn, if it has come already, goes to the next."""
        if place in self._lanes.get(place.lane, ()):
            self.remove(place)
        else:
            self.release()

    def release(self) -> None:
        self._free += 1
        self.advance()

    def _next(self) -> SpeechPlace | None:
        """Who is next; None if nobody is, or the line of whoever is will be ready in a moment."""
        allowed = [lane for lane in self._lanes if self._free > self._reserved(lane)]
        if not allowed:
            return None
        lane = min(allowed, key=lambda name: self._served.get(name, 0))
        return _first(self._lanes[lane])

    def _reserved(self, lane: str) -> int:
        """The places kept free for others than this lane."""
        return min(len(self._unserved.keys() - {lane}), self._size - 1)

    def _drop(self, place: SpeechPlace) -> None:
        places = self._lanes[place.lane]
        places.remove(place)
        if not places:
            del self._lanes[place.lane]


def _first(places: list[SpeechPlace]) -> SpeechPlace | None:
    """The first of the lowest rank that is ready; a rank that is not ready yet holds back those above it."""
    lowest = min(place.rank for place in places)
    waiting = (place for place in places if place.rank == lowest and place.turn is not None and not place.turn.done())
    return next(waiting, None)
