"""The engine of a process among many: it plays what it has places for, and queues the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any

from dramaturg.cluster.left_runs import LeftRuns, leave_unplayable
from dramaturg.cluster.queue import QUEUES, QueueName, RunQueue
from dramaturg.cluster.slots import BatchSlots
from dramaturg.kernel.errors import DramaturgError, InvalidSettings, RunFenced, StoreError
from dramaturg.kernel.runs import Engine, LocalEngine, Performance, RunLibrary
from dramaturg.kernel.runs.digest import about
from dramaturg.kernel.runs.events import RunReleased
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.store.database import Database, Statement

SWEEP_SECONDS = 2.0
"""How often a process looks for runs that nobody plays."""
LOOK_SECONDS = 0.5
"""How often a process looks whether the runs that it queued are over."""
TIDY_SWEEPS = 30
REST_SECONDS = 10.0
"""How long a place that was given a run which cannot be played here takes no other."""
AnyPerformance = Performance[Any, Any]


class QueueEngine:
    """A `LocalEngine` with so many places. A turn that a person waits for is always played here, and at once.

    A run that finds no place is released and queued. The task of its `start` ends when the run is over, whoever played
    it. With `elsewhere`, every run is queued, so that workers play it.
    """

    def __init__(self, local: LocalEngine, library: RunLibrary, database: Database, settings: Settings) -> None:
        self._local, self._library, self._database, self._settings = local, library, database, settings
        self.queue = RunQueue(settings)
        self.elsewhere = False
        self._waiting: dict[str, asyncio.Event] = {}
        self._looking: asyncio.Task[None] | None = None
        self._queued: dict[str, asyncio.Task[None]] = {}
        self._workers: list[asyncio.Task[None]] = []
        self._places = settings.queue.places
        self._here: set[str] = set()
        self._freed = asyncio.Event()
        self._ending = asyncio.Event()

    # As an engine.

    def start(self, performance: AnyPerformance) -> asyncio.Task[None]:
        if not self._may_wait(performance) or not (self.elsewhere or self._is_full()):
            return self._counted(performance, self._local.start(performance))
        task = asyncio.create_task(self._play_elsewhere(performance), name=f"queued run {performance.id}")
        self._queued[performance.id] = task
        task.add_done_callback(lambda _: self._queued.pop(performance.id, None))
        return task

    async def adopt(self, run_id: str) -> AnyPerformance:
        return await self._local.adopt(run_id)

    async def resume(self, run_id: str) -> asyncio.Task[None]:
        return self.start(await self._local.adopt(run_id))

    async def resume_unfinished(self) -> list[AnyPerformance]:
        """Queues the runs whose process died, and takes up those that somebody waits for."""
        await self.sweep()
        others = [one for one in await self._library.abandoned() if not self._is_queueable(one)]
        return await self._local.resume_unfinished(others)

    async def cancel(self, run_id: str) -> bool:
        queued = self._queued.get(run_id)
        if queued is None:
            return await self._local.cancel(run_id)
        queued.cancel()
        self._waiting.pop(run_id, None)
        try:
            self._local.start(await self._local.adopt(run_id))
        except RunFenced:  # a worker has it
            return False
        return await self._local.cancel(run_id)

    def is_playing(self, run_id: str) -> bool:
        return self._local.is_playing(run_id)

    def playing(self, run_id: str) -> AnyPerformance | None:
        return self._local.playing(run_id)

    async def settled(self, run_id: str) -> None:
        await self._local.settled(run_id)

    async def join(self) -> None:
        await self._local.join()

    async def drain(self, seconds: float) -> None:
        """Stops taking work, lets turns finish, and hands back the rest; what workers played here is queued again."""
        self._ending.set()
        for task in self._workers:
            task.cancel()
        await self._local.drain(seconds)
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._workers.clear()

    async def close(self) -> None:
        self._ending.set()
        for task in [*self._workers, *self._queued.values(), *filter(None, [self._looking])]:
            task.cancel()
        await self._local.close()
        await asyncio.gather(*self._workers, return_exceptions=True)
        await self.queue.close()

    # As a worker.

    def work(self, queues: Collection[QueueName] = QUEUES, places: int | None = None) -> None:
        """Plays what is queued from now on, so many runs at a time, and queues again what nobody plays."""
        self._places = places = places or self._places
        limit, play = self._settings.queue.batch, self._play
        if limit is None or "batch" not in queues:
            self._begin(lambda: self.queue.work(play, queues, places))
        else:
            if others := [name for name in queues if name != "batch"]:
                self._begin(lambda: self.queue.work(play, others, places))
            slots = BatchSlots(self._settings, limit)
            self._begin(lambda: slots.work(lambda count: self.queue.work(play, ["batch"], count), places))
        self._begin(self._sweep_regularly)

    async def sweep(self) -> list[str]:
        """Queues the runs that nobody plays and that do not wait in a queue; returns their ids."""
        unheld = [one for one in await self._library.abandoned() if self._is_queueable(one)]
        if not unheld:
            return []
        waiting = await self.queue.waiting([one.id for one in unheld])
        missing = [one for one in unheld if one.id not in waiting]
        for record in missing:
            await self.queue.put(record.id, queue_of(record))
        return [one.id for one in missing]

    async def _sweep_regularly(self) -> None:
        sweeps = 0
        while True:
            with suppress(StoreError):  # the next sweep finds what this one did not
                await self.sweep()
                if sweeps % TIDY_SWEEPS == 0:
                    await self.queue.tidy()
            sweeps += 1
            await asyncio.sleep(SWEEP_SECONDS)

    async def _play(self, run_id: str) -> None:
        """Plays a run that the queue names, if nobody plays it. Whatever comes of it is in its log."""
        while self._is_full():
            self._freed.clear()
            await self._freed.wait()
        self._here.add(run_id)
        try:
            with suppress(DramaturgError):
                record = await self._library.known(run_id)
                if record is not None and self._is_abandoned(record):
                    await self._local.resume_unfinished([record])
                    await self._local.settled(run_id)
                    await self._queue_again(run_id)
        finally:
            self._leave(run_id)
        if run_id in self._local.avoided:
            with suppress(TimeoutError):
                async with asyncio.timeout(REST_SECONDS):
                    await self._ending.wait()

    async def _queue_again(self, run_id: str) -> None:
        """Queues a run that this process handed back, because it stops or cannot play it."""
        record = await self._library.known(run_id)
        if record is not None and self._is_abandoned(record):
            await self.queue.put(run_id, queue_of(record))

    async def _play_elsewhere(self, performance: AnyPerformance) -> None:
        run = performance.run
        over = self._waiting.setdefault(run.id, asyncio.Event())
        await run.append(RunReleased(player=str(self._library.holder)))
        await self._library.release(run)
        await self.queue.put(run.id, queue_of(run.record))
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="runs of other processes")
        await over.wait()

    async def _look(self) -> None:
        """Tells those who wait for a run that it is over."""
        while self._waiting:
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(StoreError):
                playing = await self._still_playing(list(self._waiting))
                for run_id in [one for one in self._waiting if one not in playing]:
                    self._waiting.pop(run_id).set()

    async def _still_playing(self, run_ids: Sequence[str]) -> set[str]:
        names = {f"id{number}": run_id for number, run_id in enumerate(run_ids)}
        listed = ", ".join(f":{name}" for name in names)
        sql = f"SELECT id FROM runs WHERE status = 'playing' AND id IN ({listed})"
        return {str(row[0]) for row in await self._database.read(Statement(sql, names))}

    def _is_abandoned(self, record: RunRecord) -> bool:
        return record.status == "playing" and not self._library.may_be_held(record)

    def _is_full(self) -> bool:
        return len(self._here) >= self._places

    def _counted(self, performance: AnyPerformance, task: asyncio.Task[None]) -> asyncio.Task[None]:
        """A run that is played here takes a place until it ends; a turn of a session takes none."""
        if not performance.kind.rests:
            self._here.add(performance.id)
            task.add_done_callback(lambda _: self._leave(performance.id))
        return task

    def _leave(self, run_id: str) -> None:
        self._here.discard(run_id)
        self._freed.set()

    def _may_wait(self, performance: AnyPerformance) -> bool:
        """Whether nobody waits for the next answer, and no other run plays this one as a part of itself."""
        return performance.kind.patient and performance.kind.resumes_alone(performance.run.record)

    def _is_queueable(self, record: RunRecord) -> bool:
        if not self._library.can_play(record) or self._local.is_playing(record.id):
            return False
        kind = self._library.kind_of(record)
        return kind.patient and kind.resumes_alone(record)

    def _begin(self, work: Callable[[], Any]) -> None:
        self._workers.append(asyncio.create_task(work(), name="queue"))


def engine_of(library: RunLibrary, database: Database, settings: Settings, *, queued: bool) -> Engine:
    """Who plays: this process alone, or with `queued` one of many, if the settings have a queue."""
    leave_unplayable(local := LocalEngine(library), LeftRuns(library, database))
    return QueueEngine(local, library, database, settings) if queued and settings.queue.enabled else local


def join_queue(engine: object, queues: Collection[QueueName] = QUEUES, places: int | None = None) -> None:
    """Has this process play what is queued, from now on. Raises InvalidSettings if it has no queue."""
    _queueing(engine).work(queues, places)


def leave_to_workers(engine: object) -> None:
    """Has this process queue everything that nobody waits for, from now on. Raises InvalidSettings likewise."""
    _queueing(engine).elsewhere = True


def _queueing(engine: object) -> QueueEngine:
    if not isinstance(engine, QueueEngine):
        raise InvalidSettings("There is no queue. Set `enabled = true` under [queue], and `url` under [store].")
    engine.queue.check()
    return engine


def queue_of(record: RunRecord) -> QueueName:
    """Where a run waits: rows of batches and takes behind what somebody watches."""
    return "batch" if {"batch", "takes"} & set(about(record)) else "interactive"
