"""How fast a scene is shown: each line stays as long as it takes to read before the next one appears."""

from __future__ import annotations

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.runs.events import Event
from dramaturg.scenes.events import LineCut, LineSpoken, SceneEnded
from dramaturg.scenes.exports.timeline import length_of


class ReadingPace:
    """Waits before what comes next until the last line has been read. With a pace of 0 it never waits."""

    def __init__(self, clock: Clock, pace: float) -> None:
        self._clock, self._pace = clock, pace
        self._read_at = 0.0

    async def before(self, event: Event) -> None:
        """Returns when an event may be shown."""
        if not isinstance(event, LineSpoken | LineCut | SceneEnded):
            return
        left = self._read_at - self._clock.now()
        if left > 0:
            await self._clock.sleep(left)
        if isinstance(event, LineSpoken):
            self._read_at = self._clock.now() + self._pace * length_of(event.line) / 1000
