"""Speech that takes its time: programmes and voicings that a server makes in the background, and how far they are.

A job is not a run: nothing is decided in it, and whatever it leaves (recordings, a programme) is found again on disk.
It ends with its process; made again, it goes on with the lines that are spoken.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from dramaturg.kernel.errors import DramaturgError, VoiceError

JobStatus = Literal["working", "done", "failed"]
AT_ONCE = 2
MOST_KEPT = 200
"""Finished jobs whose result is kept."""
_log = logging.getLogger(__name__)


class JobKey(NamedTuple):
    """The run that a job is about, and what is made of it."""

    run: str
    name: str


@dataclass(slots=True)
class SpeechJob:
    """One job: how many lines are spoken, of how many; in the end its result, or the error that ended it."""

    key: JobKey
    status: JobStatus = "working"
    done: int = 0
    total: int = 0
    result: object = None
    error: DramaturgError | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    def on_line(self, done: int, total: int) -> None:
        self.done, self.total = done, total


class SpeechJobs:
    """The jobs of this process. A few work at once, the others wait for them."""

    def __init__(self) -> None:
        self._jobs: dict[JobKey, SpeechJob] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    def start(self, key: JobKey, work: Callable[[SpeechJob], Awaitable[object]]) -> SpeechJob:
        """Begin a job. While there is one under the same key, that one is returned and nothing is begun."""
        before = self._jobs.get(key)
        if before is not None and before.status == "working":
            return before
        self._jobs.pop(key, None)
        self._forget()
        job = self._jobs[key] = SpeechJob(key)
        job.task = asyncio.create_task(self._work(job, work), name=f"speech {key.run} {key.name}")
        return job

    async def result(self, key: JobKey, work: Callable[[SpeechJob], Awaitable[object]]) -> object:
        """What a job makes, begun if it is not under way. It goes on when those who wait for it leave."""
        job = self.start(key, work)
        if job.task is not None:
            await asyncio.shield(job.task)
        if job.error is not None:
            raise job.error
        return job.result

    def get(self, key: JobKey) -> SpeechJob | None:
        return self._jobs.get(key)

    def of(self, run: str) -> list[SpeechJob]:
        return [job for job in self._jobs.values() if job.key.run == run]

    async def join(self) -> None:
        """Wait until nothing is under way."""
        await asyncio.gather(*(job.task for job in self._jobs.values() if job.task is not None))

    async def close(self) -> None:
        """Stop what is under way."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None and not job.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, job: SpeechJob, work: Callable[[SpeechJob], Awaitable[object]]) -> None:
        try:
            async with self._places:
                job.result = await work(job)
            job.status = "done"
        except DramaturgError as error:
            job.status, job.error = "failed", error
        except Exception:  # noqa: BLE001 # reason: a job that breaks is reported as failed, and the server goes on
            _log.exception("Making %s of run %s failed", job.key.name, job.key.run)
            job.status, job.error = "failed", VoiceError("It could not be made; the server's log says why.")

    def _forget(self) -> None:
        over = [key for key, job in self._jobs.items() if job.status != "working"]
        for key in over[: max(0, len(over) - MOST_KEPT)]:
            del self._jobs[key]
