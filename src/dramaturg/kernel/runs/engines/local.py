"""Playing runs as tasks of this process, and taking up those that a dead process left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from dramaturg.kernel.errors import (
    DramaturgError,
    InvalidConfig,
    NotFound,
    ProviderBusy,
    RunFenced,
    StoreBlocked,
    StoreError,
)
from dramaturg.kernel.runs.engines.adoption import (
    ENGINES,
    MOST_ADOPTIONS,
    adoptions_without_progress,
    at_rest,
    gave_up,
    is_played_here,
    take_over,
)
from dramaturg.kernel.runs.events import RunReleased, RunStopped
from dramaturg.kernel.runs.kind import Kind
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.runs.performance import Performance
from dramaturg.kernel.store.journal import LAST_RETRY_SECONDS
from dramaturg.kernel.store.port import RunRecord, Status

SETTLE_SECONDS = 2 * LAST_RETRY_SECONDS
"""How long a command waits for a paused run to be stored, once the store may be back."""
CANCELLED = RunStopped(reason="cancelled", code="CANCELLED")

AnyPerformance = Performance[Any, Any]


class LocalEngine:
    """Plays runs in this process, each as a task.

    A run that plays to its end is marked ended, or stopped if its kind rests; one that raises, failed; one that is
    cancelled, stopped. The task raises what its run raised. A run that another process took over is left to it.

    A run waits for a blocked store, and plays on from its log when that is back in time. After that it is paused: its
    task ends, and what it had not stored yet is stored, with its end, whenever the store is back.
    """

    def __init__(self, library: RunLibrary) -> None:
        self._library = library
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._performances: WeakValueDictionary[str, AnyPerformance] = WeakValueDictionary()
        self._not_begun: set[str] = set()
        self._closing = Closings()
        self._paused: dict[str, asyncio.Task[None]] = {}
        self._left: set[str] = set()
        self._hands_back = False
        self._taken_up: set[str] = set()
        self.leaves: Callable[[AnyPerformance, Exception], Awaitable[bool]] | None = None
        """Whether a run that was taken up by itself, and raised this, is handed back for others to play."""
        self.avoided: Container[str] = ()
        """The runs that this engine does not take up for now."""
        library.leases.lost.append(self._drop)
        library.leases.stops.append(self._drop)
        ENGINES.add(self)

    def start(self, performance: AnyPerformance) -> asyncio.Task[None]:
        """Plays a run that this process created, forked or adopted."""
        if performance.id in self._tasks:
            raise _fenced(performance.run.record)
        task = asyncio.create_task(self._play(performance), name=f"run {performance.id}")
        self._tasks[performance.id] = task
        self._performances[performance.id] = performance
        self._not_begun.add(performance.id)
        task.add_done_callback(partial(self._forget, performance))
        return task

    async def resume(self, run_id: str) -> asyncio.Task[None]:
        """Plays on a run that was stopped, failed, or lost its process."""
        return self.start(await self.adopt(run_id))

    async def adopt(self, run_id: str) -> AnyPerformance:
        """Takes over a run that nobody plays. InvalidConfig if it has ended, RunFenced if it is being played."""
        while (record := await at_rest(self._library, run_id)).id in self._paused:
            await self._stored(record.id)
        if record.status == "ended":
            return await self._reopen(record)
        if self._is_known_to_play(record):
            raise _fenced(record, None if record.id in self._tasks else self._library.kind_of(record))
        if record.status != "playing" or self._library.holds(record):
            return self._library.perform(await self._library.adopt(record))
        performance = self._library.perform(run := await take_over(self._library, record))
        # Whoever opens a run that rests does not ask for what brought down its process to be tried again.
        if performance.kind.rests and adoptions_without_progress(run) > MOST_ADOPTIONS:
            reason = gave_up(run)
            await performance.write(*performance.kind.give_up(performance, reason), reason)
        return performance

    async def _reopen(self, record: RunRecord) -> AnyPerformance:
        """A run that has ended, if its kind lets it be played on."""
        kind, run = self._library.kind_of(record), await self._library.open(record.id)
        events = kind.reopened(run)
        if not events:
            raise InvalidConfig(f"Run {record.id} has ended; fork it to play on.", run=record.id)
        performance = self._library.perform(await self._library.adopt(record))
        await performance.write(*events)
        return performance

    async def resume_unfinished(self, among: Sequence[RunRecord] | None = None) -> list[AnyPerformance]:
        """Takes up the runs whose process died, or those among some that nobody holds, and returns them.

        Left alone: the runs of live processes and other machines, those that cannot be read, and those that another
        run plays on.
        """
        taken_up = []
        for record in await self._library.abandoned() if among is None else among:
            known = self._library.can_play(record) and record.id not in self._tasks and record.id not in self._paused
            if not known or record.id in self.avoided or not self._library.kind_of(record).resumes_alone(record):
                continue
            with suppress(StoreError):  # another process was quicker, or the run is of another version
                performance = await self._take_up(record)
                if performance is not None:
                    self.start(performance)
                    self._taken_up.add(performance.id)
                    taken_up.append(performance)
        return taken_up

    async def _take_up(self, record: RunRecord) -> AnyPerformance | None:
        """A run whose process died, in the hands of this one; None if it is given up for lack of progress."""
        run = await take_over(self._library, record)
        adoptions = adoptions_without_progress(run)
        status: Status = "stopped" if self._library.kind_of(record).rests else "failed"
        if adoptions > MOST_ADOPTIONS + 1:
            await run.append(gave_up(run))
            await self._library.mark(run, status)
            return None
        performance = self._library.perform(run)
        if adoptions <= MOST_ADOPTIONS:
            return performance
        reason = gave_up(run)
        await performance.write(*performance.kind.give_up(performance, reason))
        await self._close(performance, status, reason)
        return None

    def is_playing(self, run_id: str) -> bool:
        return run_id in self._tasks

    def playing(self, run_id: str) -> AnyPerformance | None:
        return self._performances.get(run_id) if run_id in self._tasks else None

    async def settled(self, run_id: str) -> None:
        while (task := self._tasks.get(run_id)) is not None:
            await asyncio.wait([task])

    async def cancel(self, run_id: str) -> bool:
        """Stops a run of this engine; True once it has stopped, False if it is not played here."""
        task = self._tasks.get(run_id)
        if task is None:
            return await self._release(run_id)
        task.cancel()
        await asyncio.wait([task])
        await self._closing.settled()
        return True

    async def _release(self, run_id: str) -> bool:
        """Stops a run that was played here and whose end could not be stored, if this process still holds it."""
        await self._stored(run_id)
        if run_id not in self._left:
            return False
        try:
            record = await self._library.get(run_id)
        except NotFound:
            return False
        if record.status != "playing" or not self._library.holds(record):
            return False
        await self._library.mark_record(record, "stopped")
        self._left.discard(run_id)
        return True

    async def drain(self, seconds: float) -> None:
        """Lets turns that people wait for finish, then hands back what plays, and whatever a late request starts."""
        turns = [task for run_id, task in self._tasks.items() if self._performances[run_id].kind.rests]
        if turns:
            await asyncio.wait(turns, timeout=seconds)
        self._hands_back = True
        while self._tasks:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.wait(self._tasks.values())
        await self._closing.settled()

    async def _hand_back(self, performance: AnyPerformance) -> None:
        try:
            await performance.run.recover()
            await performance.run.append(RunReleased(player=str(self._library.holder)))
            await self._library.release(performance.run)
        except StoreError:
            self._leave(performance)

    async def close(self) -> None:
        """Stops every run of this engine; each can be resumed."""
        self._library.leases.close()
        for task in [*self._tasks.values(), *self._paused.values()]:
            task.cancel()
        await self.join()

    async def join(self) -> None:
        """Returns when no run is playing any more. What a run raised is for whoever holds its task."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())
        await self._closing.settled()

    async def _play(self, performance: AnyPerformance) -> None:
        self._not_begun.discard(performance.id)
        run, rests = performance.run, performance.kind.rests
        try:
            await self._play_through(performance)
        except asyncio.CancelledError:
            await self._closing.shielded(self._cancelled(performance))
            raise
        except RunFenced as error:
            performance.fail(error)
            self._leave(performance)
            raise
        except Exception as error:  # reason: whatever it is, the run must not look alive; it is raised again
            performance.fail(error)
            pauses = rests or isinstance(error, StoreBlocked | ProviderBusy)
            if run.id in self._taken_up and self.leaves is not None and await self.leaves(performance, error):
                closing = self._hand_back(performance)
            else:
                closing = self._close(performance, "stopped" if pauses else "failed", _stopped_by(error))
            await self._closing.shielded(closing)
            raise
        if not rests:
            await self._closing.shielded(self._close(performance, "ended", None))
        # At once, so that whatever comes next for this run starts a new task.
        self._tasks.pop(run.id, None)

    async def _cancelled(self, performance: AnyPerformance) -> None:
        """How a run ends that was cancelled: stopped, handed back, or left to the process that took it."""
        if isinstance(performance.run.failure, RunFenced):
            performance.fail(performance.run.failure)
            self._leave(performance)
        elif self._hands_back:
            await self._hand_back(performance)
        else:
            await self._close(performance, "stopped", None if performance.kind.rests else CANCELLED)

    def _leave(self, performance: AnyPerformance) -> None:
        """Nothing more can be written to a run here: whoever takes it when its lease is over plays it on."""
        self._left.add(performance.id)
        self._library.leases.drop(performance.run)

    async def _play_through(self, performance: AnyPerformance) -> None:
        """Plays to the end or to rest. After a wait for a blocked store it plays on from the log, as after a death."""
        run, until, seq = performance.run, None, -1
        while True:
            try:
                if performance.kind.rests:
                    await self._play_until_it_rests(performance)
                else:
                    await performance.kind.play(performance)
            except StoreBlocked:
                if run.failure is not None:  # the journal has waited already
                    raise
                if until is None or run.seq > seq:
                    until, seq = asyncio.get_running_loop().time() + self._library.patience, run.seq
                if not await self._library.wait_until_writable(until):
                    raise
            else:
                return

    async def _play_until_it_rests(self, performance: AnyPerformance) -> None:
        while True:
            await self._library.mark(performance.run, "playing")
            await performance.kind.play(performance)
            await self._library.mark(performance.run, "stopped")
            if not performance.kind.has_work(performance):
                return

    async def _close(self, performance: AnyPerformance, status: Status, stopped: RunStopped | None) -> None:
        # If the store fails here too, the first failure is the one to report, and the run stays resumable.
        try:
            await _store_end(self._library, performance, status, stopped)
        except StoreBlocked:
            if performance.id not in self._paused:
                task = asyncio.create_task(self._store_end_later(performance, status, stopped))
                self._paused[performance.id] = task
                task.add_done_callback(lambda _: self._paused.pop(performance.id, None))
        except Exception:  # noqa: BLE001 # reason: the first failure is reported; a run nobody plays must not be held
            self._leave(performance)

    async def _store_end_later(self, performance: AnyPerformance, status: Status, stopped: RunStopped | None) -> None:
        """The same as soon as the store is back, however long that takes."""
        while True:
            await asyncio.sleep(LAST_RETRY_SECONDS)
            try:
                await _store_end(self._library, performance, status, stopped)
            except StoreBlocked:
                continue
            except Exception:  # noqa: BLE001 # reason: nobody waits for it; the run was reported as failed before
                self._leave(performance)
                return
            return

    async def _stored(self, run_id: str) -> None:
        """Returns when nothing of a paused run is left to be stored. Raises StoreBlocked while that is not possible."""
        task = self._paused.get(run_id)
        if task is not None and not (await asyncio.wait([task], timeout=SETTLE_SECONDS))[0]:
            raise StoreBlocked(
                f"Run {run_id} is paused: its last entries are not stored yet. "
                "Free the disk or start the database, then try again.",
                run=run_id,
            )

    def _forget(self, performance: AnyPerformance, task: asyncio.Task[None]) -> None:
        if self._tasks.get(performance.id) is task:
            del self._tasks[performance.id]
        self._taken_up.discard(performance.id)
        if performance.id in self._not_begun:
            # Cancelled before its first step, so that no line of `_play` ran.
            self._not_begun.discard(performance.id)
            self._closing.keep(self._cancelled(performance))
        if not task.cancelled():
            task.exception()  # seen, whether or not anybody holds the task

    def _is_known_to_play(self, record: RunRecord) -> bool:
        """Whether a run is played now, here or elsewhere."""
        if record.status != "playing":
            return False
        if self._library.holds(record):
            return is_played_here(record.id)
        return self._library.may_be_held(record)

    def _drop(self, run_id: str) -> None:
        """Ends the task of a run that was taken over, or that somebody in another process wants stopped."""
        if run_id in self._tasks:
            self._tasks[run_id].cancel()


def _fenced(record: RunRecord, elsewhere: Kind[Any, Any] | None = None) -> RunFenced:
    here = f"Run {record.id} is being played already."
    return RunFenced(elsewhere.held_elsewhere(record) if elsewhere is not None else here, run=record.id)


class Closings:
    """The ends of runs that are being written; each is finished even if whoever waits for it is cancelled."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Future[None]] = set()

    async def shielded(self, closing: Coroutine[Any, Any, None]) -> None:
        await asyncio.shield(self.keep(closing))

    def keep(self, closing: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(closing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def settled(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)


async def _store_end(
    library: RunLibrary, performance: AnyPerformance, status: Status, stopped: RunStopped | None
) -> None:
    """Stores what a blocked store refused, then how the run ended; what is there already is not stored twice."""
    run = performance.run
    await run.recover()
    if stopped is not None and not (run.entries and run.entries[-1].event is stopped):
        await run.append(stopped)
    await library.mark(run, status)
    if status != "ended":  # else it has written them itself
        await performance.kind.files(performance)


def _stopped_by(error: Exception) -> RunStopped:
    if isinstance(error, DramaturgError):
        return RunStopped(reason=error.message, code=error.code)
    return RunStopped(reason=f"{type(error).__name__}: {error}", code="INTERNAL")
