"""The figures of the log: durable events, appends, and readers in other processes, on SQLite and Postgres."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.notices import READERS, appends, elsewhere
from benchmarks.store import RUNS
from tests.postgres import Server

WANTED_EVENTS = {"SQLite": 30_000, "Postgres": 20_000}
WANTED_APPEND = {"SQLite": None, "Postgres": 2.0}


async def log(rounds: int, server: Server | None) -> list[Figure]:
    """Both databases, taking turns; each commit is on the disk before an append returns."""
    names = ["SQLite", "Postgres"] if server else ["SQLite"]
    alone: dict[str, list[float]] = {name: [] for name in names}
    together: dict[str, list[float]] = {name: [] for name in names}
    for place in range(rounds):
        for name in names if place % 2 == 0 else reversed(names):
            url = await server.new_database() if server and name == "Postgres" else ""
            with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
                one, many = await appends(Path(folder), url, "full")
            alone[name].append(1000 * one)
            together[name].append(1 / many)
    events = [
        Figure(
            f"durable events/s, {name}, {RUNS} runs",
            "",
            tuple(together[name]),
            WANTED_EVENTS[name],
            more_is_better=True,
        )
        for name in names
    ]
    return [*events, *(Figure(f"one append, one run, {n}", "ms", tuple(alone[n]), WANTED_APPEND[n]) for n in names)]


async def readers(rounds: int, server: Server | None) -> list[Figure]:
    """An event to a reader in another process, and readers while nothing happens."""
    figures: list[Figure] = []
    for name in ["SQLite", "Postgres"] if server else ["SQLite"]:
        found = []
        for _ in range(rounds):
            url = await server.new_database() if server and name == "Postgres" else ""
            with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
                found.append(await elsewhere(Path(folder), url))
        p50, p99, idle = (tuple(column) for column in zip(*found, strict=True))
        figures += [
            Figure(f"event to a reader in another process, {name}, p50", "ms", p50, 20),
            Figure(f"event to a reader in another process, {name}, p99", "ms", p99, 100),
            Figure(f"an idle reader, {name}, one of {READERS}", "reads/s", tuple(one / READERS for one in idle), 0),
        ]
    return figures


def main() -> None:
    print(asyncio.run(log(1, None)))
