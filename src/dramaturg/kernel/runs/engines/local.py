"""Playing runs as tasks of this process, and taking up those that a dead process left."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, RunFenced, StoreError
from dramaturg.kernel.runs.events import RunStopped
from dramaturg.kernel.runs.library import MANY, RunLibrary
from dramaturg.kernel.runs.performance import Performance
from dramaturg.kernel.store.port import RunRecord, Status

MOST_ADOPTIONS = 3
"""A run that brought down that many processes is not taken up again by itself."""
CANCELLED = RunStopped(reason="cancelled", code="CANCELLED")

AnyPerformance = Performance[Any, Any]


class LocalEngine:
    """Plays runs in this process, each as a task.

    A run that plays to its end is marked ended, or stopped if its kind rests; one that raises, failed; one that is
    cancelled, stopped. The task raises what its run raised. A run that another process took over is left to it. A run
    that was stopped or failed writes its files once its log says so.
    """

    def __init__(self, library: RunLibrary) -> None:
        self._library = library
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._not_begun: set[str] = set()
        self._closing: set[asyncio.Future[None]] = set()

    def start(self, performance: AnyPerformance) -> asyncio.Task[None]:
        """Plays a run that this process created, forked or adopted."""
        if performance.id in self._tasks:
            raise RunFenced(f"Run {performance.id} is being played already.", run=performance.id)
        task = asyncio.create_task(self._play(performance), name=f"run {performance.id}")
        self._tasks[performance.id] = task
        self._not_begun.add(performance.id)
        task.add_done_callback(partial(self._forget, performance))
        return task

    async def resume(self, run_id: str) -> asyncio.Task[None]:
        """Plays on a run that was stopped, failed, or lost its process."""
        return self.start(await self.adopt(run_id))

    async def adopt(self, run_id: str) -> AnyPerformance:
        """Takes over a run that nobody plays. InvalidConfig if it has ended, RunFenced if it is being played."""
        record = await self._library.get(run_id)
        if record.status == "ended":
            raise InvalidConfig(f"Run {record.id} has ended; fork it to play on.", run=record.id)
        if self._is_known_to_play(record):
            raise RunFenced(self._library.kind_of(record).held_elsewhere(record), run=record.id)
        return self._library.perform(await self._library.adopt(record))

    async def resume_unfinished(self) -> list[AnyPerformance]:
        """Takes up the runs whose process died, and returns them.

        Left alone: the runs of live processes and other machines, and those that cannot be read.
        """
        taken_up = []
        for record in await self._library.find(status="playing", limit=MANY):
            if not self._library.can_play(record) or self._library.may_be_held(record):
                continue
            with suppress(StoreError):  # another process was quicker, or the run is of another version
                performance = self._library.perform(await self._library.adopt(record))
                if performance.kind.rests or record.adoptions < MOST_ADOPTIONS:
                    self.start(performance)
                    taken_up.append(performance)
                else:
                    await self._close(performance, "failed", _gave_up(record))
        return taken_up

    def is_playing(self, run_id: str) -> bool:
        return run_id in self._tasks

    async def settled(self, run_id: str) -> None:
        while (task := self._tasks.get(run_id)) is not None:
            await asyncio.wait([task])

    async def cancel(self, run_id: str) -> bool:
        """Stops a run of this engine; True once it has stopped, False if it is not played here."""
        task = self._tasks.get(run_id)
        if task is None:
            return False
        task.cancel()
        await asyncio.wait([task])
        await self._closed()
        return True

    async def close(self) -> None:
        """Stops every run of this engine; each can be resumed."""
        for task in self._tasks.values():
            task.cancel()
        await self.join()

    async def join(self) -> None:
        """Returns when no run is playing any more. What a run raised is for whoever holds its task."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())
        await self._closed()

    async def _play(self, performance: AnyPerformance) -> None:
        self._not_begun.discard(performance.id)
        run, rests = performance.run, performance.kind.rests
        try:
            await (self._play_until_it_rests(performance) if rests else performance.kind.play(performance))
        except asyncio.CancelledError:
            await self._shielded(self._close(performance, "stopped", None if rests else CANCELLED))
            raise
        except RunFenced as error:
            performance.fail(error)
            raise
        except Exception as error:  # reason: whatever it is, the run must not look alive; it is raised again
            performance.fail(error)
            await self._shielded(self._close(performance, "stopped" if rests else "failed", _stopped_by(error)))
            raise
        if not rests:
            await self._shielded(self._library.mark(run, "ended"))
        # At once, so that whatever comes next for this run starts a new task.
        self._tasks.pop(run.id, None)

    async def _play_until_it_rests(self, performance: AnyPerformance) -> None:
        while True:
            await self._library.mark(performance.run, "playing")
            await performance.kind.play(performance)
            await self._library.mark(performance.run, "stopped")
            if not performance.kind.has_work(performance):
                return

    async def _close(self, performance: AnyPerformance, status: Status, stopped: RunStopped | None) -> None:
        # If the store fails here too, the first failure is the one to report, and the run stays resumable.
        with suppress(StoreError):
            if stopped is not None:
                await performance.run.append(stopped)
            else:
                await performance.run.flush()
            await self._library.mark(performance.run, status)
            await performance.kind.files(performance)

    async def _shielded(self, closing: Coroutine[Any, Any, None]) -> None:
        """Waits for it, and lets it finish even if the wait is cancelled."""
        await asyncio.shield(self._keep(closing))

    def _keep(self, closing: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task

    async def _closed(self) -> None:
        if self._closing:
            await asyncio.wait(self._closing)

    def _forget(self, performance: AnyPerformance, task: asyncio.Task[None]) -> None:
        if self._tasks.get(performance.id) is task:
            del self._tasks[performance.id]
        if performance.id in self._not_begun:
            # Cancelled before its first step, so that no line of `_play` ran.
            self._not_begun.discard(performance.id)
            self._keep(self._close(performance, "stopped", None if performance.kind.rests else CANCELLED))
        if not task.cancelled():
            task.exception()  # seen, whether or not anybody holds the task

    def _is_known_to_play(self, record: RunRecord) -> bool:
        """Whether a run is played now, as far as this machine can tell; of other machines it knows nothing."""
        if record.status != "playing":
            return False
        if self._library.holds(record):
            return record.id in self._tasks
        return self._library.is_alive_here(record)


def _stopped_by(error: Exception) -> RunStopped:
    if isinstance(error, DramaturgError):
        return RunStopped(reason=error.message, code=error.code)
    return RunStopped(reason=f"{type(error).__name__}: {error}", code="INTERNAL")


def _gave_up(record: RunRecord) -> RunStopped:
    return RunStopped(
        reason=f"Its process died {record.adoptions + 1} times; resume it by hand if it should go on.",
        code="GAVE_UP",
    )
