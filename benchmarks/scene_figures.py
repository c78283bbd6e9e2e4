"""The figures of scenes: what a call, an opening and a waiting scene cost, beside the bare client in the same run."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure
from benchmarks.peers.conversation import requests_of
from benchmarks.scenes import floor, play_scene, provider, scene_config, story
from dramaturg import Studio, read_settings

SHORT, LONG = 1, 11
"""Two lengths in beats: their difference is calls, and what is left of the shorter one is opening and closing."""
TRIES = 5
WAITING = 30_000
"""Milliseconds after which the provider of waiting scenes answers: nobody waits that long."""


async def cpu_of(studio: Studio, beats: int, scenes: int = 1) -> tuple[float, float]:
    """CPU and wall of scenes at once, with opening and files."""
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(play_scene(studio, beats) for _ in range(scenes)))
    return time.process_time() - cpu, time.perf_counter() - wall


async def _middle(studio: Studio, beats: int) -> float:
    """CPU of one scene, the middle of several."""
    return median([(await cpu_of(studio, beats))[0] for _ in range(TRIES)])


async def calls(rounds: int, *, beats: int = 20, crowd: int = 200, crowd_beats: int = 3) -> list[Figure]:
    """Long scenes, short ones and many at once, on a provider that answers at once."""
    above, floors, short, opening, pace, per_cpu, beside = ([] for _ in range(7))
    async with provider(0) as url:
        with tempfile.TemporaryDirectory() as folder:
            async with Studio.open(read_settings(story(Path(folder), url), os.environ)) as studio:
                await cpu_of(studio, 2)
                for _ in range(rounds):
                    bare = await floor(url, beats)
                    long = (await cpu_of(studio, beats))[0]
                    one, more = await _middle(studio, SHORT), await _middle(studio, LONG)
                    a_call = (more - one) / (requests_of(LONG) - requests_of(SHORT))
                    opening.append(1000 * (one - requests_of(SHORT) * a_call))
                    above.append(
                        1000 * (long / requests_of(beats) - bare.cpu / bare.calls) - opening[-1] / requests_of(beats)
                    )
                    many = await floor(url, crowd_beats, crowd)
                    cpu, wall = await cpu_of(studio, crowd_beats, crowd)
                    floors.append(1000 * bare.cpu / bare.calls)
                    per_cpu.append(crowd * crowd_beats / cpu)
                    short.append(1000 * (cpu - many.cpu) / requests_of(crowd_beats, crowd))
                    pace.append(crowd * crowd_beats / wall)
                    beside.append(pace[-1] / (crowd * crowd_beats / many.wall))
    crowded = f"{crowd} scenes of {crowd_beats} beats"
    return [
        Figure(f"CPU of a call above the floor, {beats} beats", "ms", tuple(above), 1.0),
        Figure("the floor itself: CPU of a call of the bare client", "ms", tuple(floors)),
        Figure(f"CPU of a call above the floor, {crowded}, opening and files counted", "ms", tuple(short), 1.3),
        Figure("opening and closing a scene, CPU", "ms", tuple(opening), 15),
        Figure(f"beats/s, {crowded} in one process", "", tuple(pace), 300, more_is_better=True),
        Figure("the same, for a second of CPU", "", tuple(per_cpu), more_is_better=True),
        Figure("the same, × the bare client", "×", tuple(beside), more_is_better=True),
    ]


async def walls(rounds: int, *, beats: int = 20, slow_beats: int = 6) -> list[Figure]:
    """One scene at a provider that takes its time."""
    waited, ahead, slow = [], [], []
    for latency, length in ((50, beats), (500, slow_beats)):
        async with provider(latency) as url:
            with tempfile.TemporaryDirectory() as folder:
                async with Studio.open(read_settings(story(Path(folder), url), os.environ)) as studio:
                    await play_scene(studio, 2)
                    for _ in range(rounds):
                        bare = (await floor(url, length)).wall
                        ratio = await _wall(studio, length, lookahead=False) / bare
                        (waited if latency == 50 else slow).append(ratio)
                        if latency == 50:
                            ahead.append(await _wall(studio, length, lookahead=True) / bare)
    return [
        Figure(f"wall, one scene of {beats} beats at 50 ms, judge waited for", "× bare", tuple(waited), 1.05),
        Figure("the same, judging ahead", "× bare", tuple(ahead), 0.56),
        Figure(f"wall, one scene of {slow_beats} beats at 500 ms, judge waited for", "× bare", tuple(slow), 1.05),
    ]


async def _wall(studio: Studio, beats: int, *, lookahead: bool) -> float:
    began = time.perf_counter()
    await play_scene(studio, beats, lookahead=lookahead)
    return time.perf_counter() - began


async def waiting_memory(scenes: int = 200) -> float:
    """Megabytes of a scene that waits for its first answer, among so many; to be asked in a process of its own."""
    async with provider(WAITING) as url:
        with tempfile.TemporaryDirectory() as folder:
            async with Studio.open(read_settings(story(Path(folder), url), os.environ)) as studio:
                first = await studio.scenes.open(scene_config(3, lookahead=True))
                await _playing(studio, [first])
                before = _resident()
                runs = [await studio.scenes.open(scene_config(3, lookahead=True)) for _ in range(scenes)]
                await _playing(studio, runs)
                return (_resident() - before) / scenes


async def _playing(studio: Studio, runs: list) -> None:
    """Starts scenes, and returns when each has asked its first question."""
    for run in runs:
        studio.start(run)
    while any(not any(entry.event.type == "cue.given" for entry in run.entries) for run in runs):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)


def _resident() -> float:
    """Megabytes in memory now; where the system does not say, the most so far."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def memory(rounds: int, scenes: int = 200) -> list[Figure]:
    found = []
    for _ in range(rounds):
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "benchmarks.scene_figures", str(scenes), stdout=asyncio.subprocess.PIPE
        )
        told, _ = await child.communicate()
        found.append(float(told))
    return [Figure(f"memory of a scene that waits for its first answer, {scenes} at once", "MB", tuple(found), 0.25)]


if __name__ == "__main__":
    print(asyncio.run(waiting_memory(int(sys.argv[1]))))
