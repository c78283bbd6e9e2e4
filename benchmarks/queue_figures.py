"""How long a queued run waits for its start: from the entry that hands it over to the one of the worker that takes it.

Each is queued when the one before is over, so that the worker has free places and only the way is measured.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from statistics import quantiles

from benchmarks.figures import Figure
from benchmarks.scenes import provider, scene_config, story
from benchmarks.studios import child, settings_of
from dramaturg import Studio
from dramaturg.cluster.worker import join_queue, leave_to_workers
from dramaturg.kernel.runs.events import Entry, RunAdopted, RunReleased
from dramaturg.kernel.settings import QueueSettings, Settings
from tests.postgres import Server

STARTS = 100
WANTED = 1000.0
"""Milliseconds, of the slowest of a hundred."""


def queued(folder: Path, database: str) -> Settings:
    return settings_of(folder, database).model_copy(update={"queue": QueueSettings(enabled=True)})


def waited(entries: list[Entry]) -> float:
    """Milliseconds between the first entry that hands a run over and the next that takes it."""
    handed = next(entry.at for entry in entries if isinstance(entry.event, RunReleased))
    return 1000 * next(entry.at - handed for entry in entries if isinstance(entry.event, RunAdopted))


async def start_times(database: str, starts: int) -> list[float]:
    """Milliseconds from queue to start, one run after the other, in the order of their length."""
    async with provider(0) as url:
        with tempfile.TemporaryDirectory() as folder:
            project = story(Path(folder), url)
            worker = await child("benchmarks.queue_figures", str(project), database)
            assert worker.stdout
            await worker.stdout.readline()
            async with Studio.open(queued(project, database), trust=True, queued=True) as studio:
                leave_to_workers(studio.engine)
                times = [await _start_time(studio) for _ in range(starts + 1)]
            await worker.communicate(b"\n")
            return sorted(times[1:])  # the first finds a queue that nobody has opened yet


async def _start_time(studio: Studio) -> float:
    run = await studio.scenes.open(scene_config(1, lookahead=True))
    await studio.start(run)
    return waited(list((await studio.runs.open(run.id)).entries))


async def starts(server: Server, count: int = STARTS) -> list[Figure]:
    times = await start_times(await server.new_database(), count)
    percentiles = quantiles(times, n=100, method="inclusive")
    return [
        Figure("a queued run starts, Postgres, p50", "ms", (percentiles[49],)),
        Figure("a queued run starts, Postgres, p99", "ms", (percentiles[98],), WANTED),
    ]


async def _work(project: Path, database: str) -> None:
    """A worker, until its input ends."""
    async with Studio.open(queued(project, database), trust=True, queued=True) as studio:
        join_queue(studio.engine)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(_work(Path(sys.argv[1]), sys.argv[2]))
