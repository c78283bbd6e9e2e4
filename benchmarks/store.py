"""What durability costs: appends with each setting, as a ratio to the default in the same run."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median
from typing import Any

from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import Row, RunRecord, Store, open_store

ROUNDS = 3
ALONE, EACH, RUNS = 300, 50, 200
BODY = b'{"type":"line.spoken","text":"' + b"x" * 400 + b'"}'

Load = Callable[[Store], Coroutine[Any, Any, float]]


async def one_run(store: Store) -> float:
    """One run that waits for each append: the middle one, so that a stall of the machine does not count."""
    return await _append(store, "r0", ALONE)


async def many_runs(store: Store) -> float:
    """Two hundred runs at once, each waiting for its own appends: the time of all, per append."""
    began = time.perf_counter()
    await asyncio.gather(*(_append(store, f"r{n}", EACH) for n in range(RUNS)))
    return (time.perf_counter() - began) / (RUNS * EACH)


async def _append(store: Store, run: str, count: int) -> float:
    took = []
    for seq in range(count):
        began = time.perf_counter()
        await store.journal.append(run, seq, [Row(seq + 1, 0.0, "line.spoken", False, BODY)])
        took.append(time.perf_counter() - began)
    return median(took)


async def _seconds(load: Load, settings: StoreSettings) -> float:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        store = await open_store(Settings(project=Path(folder), store=settings))
        for n in range(RUNS):
            await store.runs.add(
                RunRecord(id=f"r{n}", kind="x", name="x", status="playing", created_at=0.0, updated_at=0.0)
            )
        took = await load(store)
        await store.close()
    return took


def main() -> None:
    print("| load | durability | × normal | ms an append |")
    print("|---|---|--:|--:|")
    for name, load in (("one run alone", one_run), (f"{RUNS} runs at once", many_runs)):
        took: dict[str, list[float]] = {"normal": [], "full": []}
        for _ in range(ROUNDS):
            for durability in took:
                settings = StoreSettings.model_validate({"durability": durability})
                took[durability].append(asyncio.run(_seconds(load, settings)))
        normal = median(took["normal"])
        for durability, seconds in took.items():
            print(f"| {name} | {durability} | {median(seconds) / normal:.2f} | {1000 * median(seconds):.2f} |")
