"""`python -m benchmarks growth`: how work grows with beats, scenes and players, and 200 players who speak at once.

Work is counted in function calls, which are the same however busy the machine is, and measured in CPU. What is opened
and read once for all of it is counted too. Wall time is a ratio to a bare client that sends the provider as many
requests, as many of them at once; both take turns in one run.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import aiohttp

from benchmarks import episodes, scenes
from benchmarks.figures import RESULTS, machine
from dramaturg import Studio, read_settings
from dramaturg.episodes.events import Persona
from tests.work_count import WorkCount

BEATS = (5, 10, 20, 40, 80)
SCENES = (10, 50, 100, 200)
PLAYERS = (10, 50, 100, 200)
SCENE_BEATS, TURNS, ROUNDS = 3, 3, 3
LATENCY = 50
"""Of the provider of those who speak at once, in milliseconds."""

KEPT = RESULTS / "growth"

Work = Callable[[int], Awaitable[None]]


@dataclass(frozen=True)
class Step:
    """What so much of something took: function calls, and seconds of CPU."""

    count: int
    calls: int
    cpu: float


@dataclass(frozen=True)
class Grown:
    """How the work for more and more of something grew."""

    noun: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Spoken:
    """Players who spoke at once: seconds of wall, of CPU, and how often the provider was asked."""

    wall: float
    cpu: float
    requests: int


def growth_table(noun: str, steps: Sequence[Step]) -> str:
    """The steps as Markdown. `× linear` is the work for one of them beside the work for one in the first step."""
    first = steps[0]
    rows = [f"| {noun} | calls, thousands | × linear | CPU ms for each | × linear |", "|--:|--:|--:|--:|--:|"]
    for step in steps:
        calls, cpu = step.calls / step.count, step.cpu / step.count
        by_calls, by_cpu = calls * first.count / first.calls, cpu * first.count / first.cpu
        rows.append(f"| {step.count} | {step.calls / 1000:,.0f} | {by_calls:.2f} | {1000 * cpu:.1f} | {by_cpu:.2f} |")
    return "\n".join(rows)


async def growth(work: Work, counts: Sequence[int]) -> list[Step]:
    """Does the work for each count, twice: CPU is measured without a counter."""
    await work(counts[-1])  # what is imported and read once is no work of any of them
    steps = []
    for count in counts:
        began = time.process_time()
        await work(count)
        cpu = time.process_time() - began
        with WorkCount().installed() as counted, counted.counting():
            await work(count)
        steps.append(Step(count, counted.calls, cpu))
    return steps


def beats(url: str) -> Work:
    """One scene of so many beats."""

    async def play(count: int) -> None:
        await scenes.ours(url, count, lookahead=True)

    return play


def scenes_at_once(url: str) -> Work:
    async def play(count: int) -> None:
        await scenes.ours(url, SCENE_BEATS, scenes=count, lookahead=True)

    return play


def players_at_once(url: str) -> Work:
    async def play(count: int) -> None:
        async with _players(url, count) as (studio, sessions):
            await _speak(studio, sessions)

    return play


@asynccontextmanager
async def _players(url: str, count: int) -> AsyncIterator[tuple[Studio, list[str]]]:
    """A studio with a session for each player."""
    with tempfile.TemporaryDirectory() as folder:
        async with Studio.open(read_settings(episodes.story(Path(folder), url), os.environ)) as studio:
            yield (
                studio,
                [(await studio.episodes.open("last-orders", Persona(id=f"p{n}"))).id for n in range(count)],
            )


async def _speak(studio: Studio, sessions: Sequence[str]) -> None:
    """Every player says something at the same moment, again and again, and each turn is looked back on."""
    for _ in range(TURNS):
        await asyncio.gather(*(episodes.turn(studio, session, episodes.SAID) for session in sessions))
        await asyncio.gather(*(studio.episodes.settle(session) for session in sessions))


async def ours_at_once(url: str, players: int) -> Spoken:
    async with _players(url, players) as (studio, sessions):
        await scenes.stats(url, reset=True)
        began, cpu = time.perf_counter(), time.process_time()
        await _speak(studio, sessions)
        wall, spent = time.perf_counter() - began, time.process_time() - cpu
        return Spoken(wall, spent, int((await scenes.stats(url))["requests"]))


async def floor_at_once(url: str, players: int, requests: int) -> Spoken:
    """The same number of requests by a bare client, for as many players at once."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        began, cpu = time.perf_counter(), time.process_time()
        for _ in range(requests // players):
            await asyncio.gather(*(episodes.bare(client, url) for _ in range(players)))
        return Spoken(time.perf_counter() - began, time.process_time() - cpu, requests // players * players)


async def at_once(players: int = PLAYERS[-1], rounds: int = ROUNDS) -> str:
    """Players who speak at once beside the bare client, taking turns."""
    ours, floor = [], []
    async with scenes.provider(LATENCY) as url:
        await ours_at_once(url, 2)
        for _ in range(rounds):
            ours.append(await ours_at_once(url, players))
            floor.append(await floor_at_once(url, players, ours[-1].requests))
    ratios = [one.wall / bare.wall for one, bare in zip(ours, floor, strict=True)]
    cpu, least = (median(1000 * one.cpu / one.requests for one in some) for some in (ours, floor))
    turns = players * TURNS
    return (
        f"{players} players speak at once, {TURNS} turns each, {ours[0].requests / turns:.1f} requests for a turn, "
        f"the provider answers after {LATENCY} ms, median of {rounds}:\n"
        f"wall {median(ratios):.2f} × the bare client ({min(ratios):.2f} to {max(ratios):.2f}), "
        f"{median(turns / one.wall for one in ours):.0f} turns/s; "
        f"CPU of a request {cpu:.2f} ms, the bare client's {least:.2f} ms ({cpu / least:.1f} ×)."
    )


def keep(grown: Sequence[Grown], at: str, folder: Path = KEPT) -> Path:
    """Writes what was measured so far where the plot finds it."""
    told = {"machine": machine(), "at": at, "growth": [asdict(one) for one in grown]}
    folder.mkdir(exist_ok=True)
    path = folder / f"{at}.json"
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return path


def read_grown(path: Path) -> list[Grown]:
    told = json.loads(path.read_text(encoding="utf-8"))
    return [Grown(one["noun"], tuple(Step(**step) for step in one["steps"])) for one in told["growth"]]


async def measure() -> None:
    print(f"{', '.join(f'{name} {value}' for name, value in machine().items() if name != 'busy')}\n")
    grown, at = list[Grown](), datetime.now(UTC).strftime("%Y-%m-%dT%H%M")
    async with scenes.provider(0) as url:
        for noun, work, counts in (
            ("beats of one scene", beats(url), BEATS),
            (f"scenes of {SCENE_BEATS} beats at once", scenes_at_once(url), SCENES),
            (f"players at once, {TURNS} turns each", players_at_once(url), PLAYERS),
        ):
            grown.append(Grown(noun, tuple(await growth(work, counts))))
            path = keep(grown, at)
            print(growth_table(noun, grown[-1].steps), end="\n\n", flush=True)
    print(f"Kept in growth/{path.name}; draw it with: python -m benchmarks plot\n")
    print(await at_once())


def main() -> None:
    asyncio.run(measure())
