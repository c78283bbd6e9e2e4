"""`python -m benchmarks`: one table. Players of one conversation, then figures beside what is wanted of them.

Players take turns, every second round in the opposite order; of each the median counts. Nothing is compared across
runs but ratios. The result is kept as JSON in `benchmarks/results/`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import cluster_figures, scene_figures, store_figures
from benchmarks.figures import RESULTS, BenchRun, Figure, PlayerRow, machine, progress, table, written
from benchmarks.peers import PEERS, ROOT, Peer, named
from benchmarks.scenes import provider
from tests.postgres import NoPostgres, Server, running_postgres

LATENCY = 50
LOADS = ((1, 10), (20, 3), (200, 1))
"""Scenes at once, and their beats."""
MOST_SECONDS = 600
"""After which a player at one load is given up."""


@dataclass(frozen=True)
class Player:
    """Somebody who plays the conversation, as a process of its own."""

    title: str
    module: str
    python: str


def players(peers: Sequence[Peer]) -> list[Player]:
    own = [Player("bare client", "bare", sys.executable), Player("dramaturg", "ours", sys.executable)]
    return own + [Player(peer.title, peer.name, str(peer.python)) for peer in peers if peer.is_installed]


async def played(player: Player, url: str, scenes: int, beats: int) -> dict[str, Any] | None:
    """What one run of a player measured; None if it did not end, or failed."""
    words = ("--url", url, "--beats", str(beats), "--scenes", str(scenes))
    child = await asyncio.create_subprocess_exec(
        player.python,
        *("-m", f"benchmarks.peers.{player.module}", *words),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(MOST_SECONDS):
            told, _ = await child.communicate()
    except TimeoutError:
        child.kill()
        await child.wait()
        return None
    if child.returncode:
        return None
    found: dict[str, Any] = json.loads(told.decode().strip().splitlines()[-1])
    return found


async def conversations(
    taking_turns: Sequence[Player], rounds: int, loads: Sequence[tuple[int, int]] = LOADS
) -> AsyncIterator[tuple[list[PlayerRow], list[str]]]:
    """For each load a row for every player, and a line for each that did not come to its end."""
    async with provider(LATENCY) as url:
        for scenes, beats in loads:
            runs: dict[str, list[Mapping[str, Any]]] = {player.title: [] for player in taking_turns}
            for place in range(rounds):
                for player in taking_turns if place % 2 == 0 else reversed(taking_turns):
                    progress(f"{player.title}, {scenes} × {beats} beats, round {place + 1} of {rounds}")
                    if (found := await played(player, url, scenes, beats)) is not None:
                        runs[player.title].append(found)
            rows = [_row(title, scenes, beats, done) for title, done in runs.items() if done]
            yield (
                rows,
                [f"{title} did not finish {scenes} × {beats} beats." for title, done in runs.items() if not done],
            )


def _row(title: str, scenes: int, beats: int, runs: Sequence[Mapping[str, Any]]) -> PlayerRow:
    version = str(runs[0]["version"])
    return PlayerRow(
        title, version, scenes, beats, tuple({k: v for k, v in run.items() if k != "version"} for run in runs)
    )


@contextmanager
def postgres() -> Iterator[Server | None]:
    """A server whose commits are on the disk, where there is one."""
    try:
        with running_postgres(durable=True) as server:
            yield server
    except NoPostgres:
        yield None


async def figures(rounds: int) -> AsyncIterator[list[Figure]]:
    """Every figure that something is wanted of, group by group."""
    with postgres() as server:
        for name, measuring in (
            ("calls", lambda: scene_figures.calls(rounds)),
            ("walls", lambda: scene_figures.walls(rounds)),
            ("memory", lambda: scene_figures.memory(rounds)),
            ("the log", lambda: store_figures.log(rounds, server)),
            ("readers", lambda: store_figures.readers(1, server)),
            ("several processes", lambda: cluster_figures.cluster(rounds, server)),
        ):
            progress(f"figures: {name}")
            yield await measuring()


async def measure(peers: Sequence[Peer], rounds: int, *, alone: bool = False) -> AsyncIterator[BenchRun]:
    """A run of the bench as far as it has come, after each part. `alone` leaves the players out."""
    missing = () if alone else tuple(peer.skipped for peer in peers if not peer.is_installed)
    run = BenchRun(machine(), at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), skipped=missing)
    async for found in figures(rounds):
        run = replace(run, figures=(*run.figures, *found))
        yield run
    if alone:
        return
    async for rows, given_up in conversations(players(peers), rounds):
        run = replace(run, players=(*run.players, *rows), skipped=(*run.skipped, *given_up))
        yield run


async def measure_and_keep(peers: Sequence[Peer], rounds: int, *, alone: bool = False, folder: Path = RESULTS) -> str:
    """The table, and where its run is kept; one that is interrupted is kept as far as it came."""
    path, run = folder, BenchRun({"busy": False})
    async for run in measure(peers, rounds, alone=alone):
        path = keep(run, folder)
    return f"{table(run)}\nKept in {path.name}; compare it with: make bench-compare"


def keep(run: BenchRun, folder: Path = RESULTS) -> Path:
    """Writes a run where `compare` finds it."""
    path = folder / f"{run.at.replace(' ', 'T').replace(':', '')}.json"
    path.write_text(written(run), encoding="utf-8")
    return path


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks table")
    parser.add_argument("--rounds", type=int, choices=range(1, 100), default=3, metavar="N", help="how often: 1 to 99")
    parser.add_argument("--peers", nargs="*", default=[peer.name for peer in PEERS], help="which of them, if installed")
    parser.add_argument("--figures", action="store_true", help="only the figures, without players")
    given = parser.parse_args(words)
    peers = named(given.peers) if given.peers else []
    print(asyncio.run(measure_and_keep(peers, given.rounds, alone=given.figures)))
