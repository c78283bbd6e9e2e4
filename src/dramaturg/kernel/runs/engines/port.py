"""The engine: the one seam between a run and whoever plays it."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from dramaturg.kernel.runs.performance import Performance


class Engine(Protocol):
    """Plays runs by their kind. A run is started here or taken over, played to its end or its rest, and cancelled."""

    def start(self, performance: Performance[Any, Any]) -> asyncio.Task[None]:
        """Plays a run that this process created, forked or adopted. RunFenced if it is being played here already."""
        ...

    async def adopt(self, run_id: str) -> Performance[Any, Any]:
        """Takes over a run that nobody plays. InvalidConfig if it has ended, RunFenced if it is being played."""
        ...

    async def resume(self, run_id: str) -> asyncio.Task[None]:
        """Plays on a run that was stopped, failed, or lost its process."""
        ...

    async def resume_unfinished(self) -> list[Performance[Any, Any]]:
        """Takes up the runs whose process died, plays them on, and returns them."""
        ...

    async def cancel(self, run_id: str) -> bool:
        """Stops a run of this engine; True once it has stopped, False if it is not played here."""
        ...

    def is_playing(self, run_id: str) -> bool:
        """Whether this engine plays the run now."""
        ...

    def playing(self, run_id: str) -> Performance[Any, Any] | None:
        """The performance of a run that this engine plays now; None if it does not."""
        ...

    async def settled(self, run_id: str) -> None:
        """Returns when this engine does not play the run any more."""
        ...

    async def join(self) -> None:
        """Returns when no run is playing any more."""
        ...

    async def drain(self, seconds: float) -> None:
        """Lets turns that people wait for finish, then hands back what still plays: another process goes on with it."""
        ...

    async def close(self) -> None:
        """Stops every run of this engine; each can be resumed."""
        ...
