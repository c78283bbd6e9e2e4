"""How soon an event reaches a reader in another process, what a reader costs while nothing happens, and appends."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Literal

from benchmarks.store import RUNS, many_runs, one_run
from dramaturg.cluster.limits import open_shared_store
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import Row, RunRecord, Store
from tests.log_wait import wait
from tests.postgres import NoPostgres, running_postgres

EVENTS, IDLE_SECONDS, READERS = 200, 10.0, 50
PAUSE = 0.037
"""Between two events: not a multiple of how often anything looks."""


async def _open(project: Path, url: str, durability: Literal["normal", "full"] = "normal") -> Store:
    settings = StoreSettings(url=url or None, durability=durability)
    return await open_shared_store(Settings(project=project, store=settings))


async def write(project: Path, url: str) -> None:
    """The other process: appends events that say when they were written."""
    store = await _open(project, url)
    for seq in range(EVENTS):
        await asyncio.sleep(PAUSE)
        await store.journal.append("r0", seq, [Row(seq + 1, time.time(), "line.spoken", False, b"{}")])
    await store.close()


async def _follow(store: Store) -> list[float]:
    """How many milliseconds each event took to be read here."""
    took: list[float] = []
    while len(took) < EVENTS:
        signal = store.journal.signal("r0")
        found = await store.journal.look("r0", len(took), EVENTS)
        signal.standing = (found.last, found.status)
        took += [1000 * (time.time() - row.at) for row in found.rows]
        if len(took) < EVENTS:
            await signal.wait()
    return took


async def _idle_reads(store: Store) -> float:
    """The statements a second that readers of quiet runs cost, all together."""
    database: Any = store.database
    read, count = database.read, 0

    async def counted(statement: Any) -> Any:
        nonlocal count
        count += 1
        return await read(statement)

    waiting = [asyncio.create_task(wait(store.journal, f"r{n}", 10**6, 3600)) for n in range(READERS)]
    await asyncio.sleep(1.0)
    database.read = counted
    await asyncio.sleep(IDLE_SECONDS)
    database.read = read
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    return count / IDLE_SECONDS


async def elsewhere(project: Path, url: str) -> tuple[float, float, float]:
    """What a reader in another process sees: ms in the middle and at p99; and the reads a second of idle readers."""
    store = await _open(project, url)
    for n in range(RUNS):
        await store.runs.add(
            RunRecord(id=f"r{n}", kind="x", name="x", status="playing", created_at=0.0, updated_at=0.0)
        )
    child = await asyncio.create_subprocess_exec(sys.executable, "-m", "benchmarks.notices", str(project), url)
    took = await _follow(store)
    await child.wait()
    idle = await _idle_reads(store)
    await store.close()
    return median(took), quantiles(took, n=100)[98], idle


async def appends(project: Path, url: str, durability: Literal["normal", "full"] = "normal") -> tuple[float, float]:
    """Seconds of an append: of one run alone, and of many that share their commits."""
    store = await _open(project, url, durability)
    for n in range(RUNS):
        await store.runs.add(
            RunRecord(id=f"r{n}", kind="x", name="x", status="playing", created_at=0.0, updated_at=0.0)
        )
    alone = await one_run(store)
    for n in range(RUNS):
        await store.runs.remove(f"r{n}")
        await store.runs.add(
            RunRecord(id=f"r{n}", kind="x", name="x", status="playing", created_at=0.0, updated_at=0.0)
        )
    together = await many_runs(store)
    await store.close()
    return alone, together


@contextmanager
def databases() -> Iterator[dict[str, list[str]]]:
    """Two new databases of each sort; Postgres with its commits on the disk, where there is one."""
    try:
        with running_postgres(durable=True) as server:
            urls = [asyncio.run(server.new_database()) for _ in range(2)]
            yield {"SQLite": ["", ""], "Postgres": urls}
    except NoPostgres:
        yield {"SQLite": ["", ""]}


def main() -> None:
    with databases() as found:
        print("| database | to a reader elsewhere, ms p50 | p99 | reads/s of 50 idle readers | append, ms | events/s |")
        print("|---|--:|--:|--:|--:|--:|")
        for name, (first, second) in found.items():
            with (
                tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
                tempfile.TemporaryDirectory(dir=Path.cwd()) as other,
            ):
                p50, p99, idle = asyncio.run(elsewhere(Path(folder), first))
                alone, together = asyncio.run(appends(Path(other), second))
            print(f"| {name} | {p50:.1f} | {p99:.1f} | {idle:.1f} | {1000 * alone:.2f} | {1 / together:,.0f} |")


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2]))
