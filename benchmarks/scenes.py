"""Scenes against the floor: three characters and a judge, four calls a beat, everything on, events durable in SQLite.

The floor is a bare aiohttp client that makes the same requests in sequence: three at once, then the judge. Wall time
is given as a ratio to the floor in the same run; CPU is ours alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from benchmarks.peers import bare
from benchmarks.peers.conversation import CARD, CAST, PROMPT
from dramaturg import SceneConfig, Studio, read_settings


@dataclass(frozen=True)
class Measured:
    wall: float
    cpu: float
    calls: int
    beats: int
    cached: float
    memory: float = 0.0


@asynccontextmanager
async def provider(latency: float, pace: float = 0.0) -> AsyncIterator[str]:
    asked = ("--latency", str(latency), "--pace", str(pace))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.provider", *asked, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    try:
        yield json.loads(await process.stdout.readline())["url"]
    finally:
        process.terminate()
        await process.wait()


async def stats(url: str, *, reset: bool = False) -> dict[str, float]:
    async with aiohttp.ClientSession() as session:
        if reset:
            await session.post(f"{url}/reset")
        async with session.get(f"{url}/stats") as response:
            return await response.json(content_type=None)


async def floor(url: str, beats: int, scenes: int = 1) -> Measured:
    """The same calls by hand: history grows, three at once, then the judge."""
    await stats(url, reset=True)
    started, cpu = time.perf_counter(), time.process_time()
    await bare.load()(url, beats, scenes)
    wall, spent = time.perf_counter() - started, time.process_time() - cpu
    counted = await stats(url)
    return Measured(wall, spent, int(counted["requests"]), beats * scenes, counted["cached_share"])


async def play_scene(studio: Studio, beats: int, *, lookahead: bool = True) -> None:
    """Opens one scene and plays it to its end. Raises SystemExit if it lost something."""
    run = await studio.scenes.open(scene_config(beats, lookahead=lookahead))
    await studio.start(run)
    done = studio.scenes.result(run).metadata
    if done.total_beats != beats or done.errors:
        raise SystemExit(f"A scene of {beats} beats lost something: {done}")


def scene_config(beats: int, *, lookahead: bool) -> SceneConfig:
    return SceneConfig(name="bench", prompt=PROMPT, characters=CAST, max_beats=beats, lookahead=lookahead, order="cast")


async def ours(url: str, beats: int, scenes: int = 1, *, lookahead: bool) -> Measured:
    await stats(url, reset=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(story(Path(folder), url), os.environ)
        config = scene_config(beats, lookahead=lookahead)
        async with Studio.open(settings) as studio:
            runs = [await studio.scenes.open(config) for _ in range(scenes)]
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            started, cpu = time.perf_counter(), time.process_time()
            await asyncio.gather(*(studio.start(run) for run in runs))
            wall, spent = time.perf_counter() - started, time.process_time() - cpu
            memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 / scenes
            done = [studio.scenes.result(run).metadata for run in runs]
    counted = await stats(url)
    lost = [run for run in done if run.total_beats != beats or run.errors]
    if lost:
        raise SystemExit(f"{len(lost)} of {scenes} scenes lost something: {lost[0]}")
    return Measured(wall, spent, int(counted["requests"]), beats * scenes, counted["cached_share"], memory)


def story(folder: Path, url: str) -> Path:
    agents = folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    for name in CAST:
        (agents / f"{name}.md").write_text(CARD.replace("Alice", name.title()), encoding="utf-8")
    (folder / "dramaturg.toml").write_text(
        '[models]\ndefault = "house/gpt-4o"\n'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\nconcurrency = 1024\n',
        encoding="utf-8",
    )
    return folder


async def measure() -> None:
    print("| scene | wall, × floor | CPU ms a call | floor's | cached |\n|---|--:|--:|--:|--:|")
    for latency, beats in ((50, 20), (500, 20)):
        async with provider(latency) as url:
            await ours(url, 2, lookahead=False)  # what is imported and read once is not a scene's cost
            bare = await floor(url, beats)
            for lookahead in (False, True):
                done = await ours(url, beats, lookahead=lookahead)
                name = f"one at {latency} ms, {beats} beats, {'judging ahead' if lookahead else 'judge waited for'}"
                print(_row(name, done, bare))
    async with provider(0) as url:
        for beats in (5, 20, 60):
            await ours(url, 2, lookahead=False)
            print(_row(f"one at 0 ms, {beats} beats", await ours(url, beats, lookahead=False), await floor(url, beats)))
    async with provider(50) as url:
        bare = await floor(url, 10, scenes=200)
        done = await ours(url, 10, scenes=200, lookahead=True)
    pace, floors = done.beats / done.wall, bare.beats / bare.wall
    print(f"\n200 scenes at once at 50 ms: {pace:.0f} beats/s ({floors:.0f} at the floor),")
    print(f"{done.memory:.2f} MB a scene, {1000 * done.cpu / done.calls:.2f} ms CPU a call, nothing lost.")


def _row(name: str, done: Measured, bare: Measured) -> str:
    ratio, per_call = done.wall / bare.wall, 1000 * done.cpu / done.calls
    return f"| {name} | {ratio:.2f} | {per_call:.2f} | {1000 * bare.cpu / bare.calls:.2f} | {done.cached:.0%} |"


def main() -> None:
    asyncio.run(measure())
