"""Playing runs as tasks of this process, and taking up those that a dead process left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, RunFenced, StoreError
from dramaturg.kernel.runs.events import RunStopped
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.runs.player import Player
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.store.port import RunRecord, Status

Play: TypeAlias = Callable[[Run[Any]], Awaitable[None]]
"""Plays a run from where its log stands to its end."""

MOST_ADOPTIONS = 3
"""A run that brought down that many processes is not taken up again by itself."""
MANY = 10_000
CANCELLED = RunStopped(reason="cancelled", code="CANCELLED")


class LocalEngine:
    """Plays runs in this process, each as a task.

    A run that plays to its end is marked ended; one that raises, failed; one that is cancelled, stopped. The
    task raises what its run raised. A run that another player took over is left to that player. `on_stop` is
    given a run that was stopped or failed, when its log says so.
    """

    def __init__(self, library: RunLibrary, on_stop: Callable[[Run[Any]], Awaitable[None]] | None = None) -> None:
        self._library = library
        self._on_stop = on_stop
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._not_begun: set[str] = set()
        self._closing: set[asyncio.Future[None]] = set()

    def start(self, run: Run[Any], play: Play) -> asyncio.Task[None]:
        """Plays a run that this process created, forked or adopted."""
        if run.id in self._tasks:
            raise RunFenced(f"Run {run.id} is being played already.", run=run.id)
        task = asyncio.create_task(self._play(run, play), name=f"run {run.id}")
        self._tasks[run.id] = task
        self._not_begun.add(run.id)
        task.add_done_callback(partial(self._forget, run))
        return task

    async def resume(self, run_id: str, play: Play) -> asyncio.Task[None]:
        """Plays on a run that was stopped, failed, or lost its player."""
        return self.start(await self.adopt(run_id), play)

    async def adopt(self, run_id: str) -> Run[Any]:
        """Takes over a run that nobody plays. InvalidConfig if it has ended, Fenced if it is being played."""
        record = await self._library.get(run_id)
        if record.status == "ended":
            raise InvalidConfig(f"Run {record.id} has ended; fork it to play on.", run=record.id)
        if record.status == "playing" and self._is_known_to_play(record):
            raise RunFenced(f"Run {record.id} is being played by {record.player}; stop it there first.", run=record.id)
        return await self._library.adopt(record)

    async def resume_unfinished(self, plays: Mapping[str, Play]) -> list[Run[Any]]:
        """Takes up the runs of these kinds whose process died, and returns them.

        Left as they are: the runs of live processes and other machines, and those that cannot be read.
        """
        taken_up = []
        for record in await self._library.find(status="playing", limit=MANY):
            player = Player.read(record.player)
            if record.kind not in plays or (player is not None and player.may_be_alive()):
                continue
            with suppress(StoreError):  # another process was quicker, or the run is of another version
                run = await self._library.adopt(record)
                if record.adoptions < MOST_ADOPTIONS:
                    self.start(run, plays[record.kind])
                    taken_up.append(run)
                else:
                    await self._close(run, "failed", _gave_up(record))
        return taken_up

    async def cancel(self, run_id: str) -> bool:
        """Stops a run of this engine; True when it has stopped, False if it is not played here."""
        task = self._tasks.get(run_id)
        if task is None:
            return False
        task.cancel()
        await asyncio.wait([task])
        await self._settled()
        return True

    async def close(self) -> None:
        """Stops every run of this engine; each can be resumed."""
        for task in self._tasks.values():
            task.cancel()
        await self.join()

    async def join(self) -> None:
        """Returns when no run is playing any more. What a run raised is for who holds its task."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())
        await self._settled()

    async def _play(self, run: Run[Any], play: Play) -> None:
        self._not_begun.discard(run.id)
        try:
            await play(run)
        except asyncio.CancelledError:
            await self._shielded(self._close(run, "stopped", CANCELLED))
            raise
        except RunFenced:
            raise
        except Exception as error:  # reason: whatever it is, the run must not look alive; it is raised again
            await self._shielded(self._close(run, "failed", _stopped_by(error)))
            raise
        await self._shielded(self._library.mark(run, "ended"))

    async def _close(self, run: Run[Any], status: Status, stopped: RunStopped) -> None:
        # If the store fails here too, the first failure is the one to report, and the run stays resumable.
        with suppress(StoreError):
            await run.append(stopped)
            await self._library.mark(run, status)
            if self._on_stop is not None:
                await self._on_stop(run)

    async def _shielded(self, closing: Coroutine[Any, Any, None]) -> None:
        """Waits for it, and lets it finish even if the wait is cancelled."""
        await asyncio.shield(self._keep(closing))

    def _keep(self, closing: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task

    async def _settled(self) -> None:
        if self._closing:
            await asyncio.wait(self._closing)

    def _forget(self, run: Run[Any], task: asyncio.Task[None]) -> None:
        del self._tasks[run.id]
        if run.id in self._not_begun:
            # Cancelled before its first step, so that no line of `_play` ran.
            self._not_begun.discard(run.id)
            self._keep(self._close(run, "stopped", CANCELLED))
        if not task.cancelled():
            task.exception()  # seen, whether or not anybody holds the task

    def _is_known_to_play(self, record: RunRecord) -> bool:
        player = Player.read(record.player)
        if player is None or player.host != self._library.player.host:
            return False
        return record.id in self._tasks if player == self._library.player else player.may_be_alive()


def _stopped_by(error: Exception) -> RunStopped:
    if isinstance(error, DramaturgError):
        return RunStopped(reason=error.message, code=error.code)
    return RunStopped(reason=f"{type(error).__name__}: {error}", code="INTERNAL")


def _gave_up(record: RunRecord) -> RunStopped:
    return RunStopped(
        reason=f"Its process died {record.adoptions + 1} times; resume it by hand if it should go on.",
        code="GAVE_UP",
    )
