"""Figures of several processes: a dead player's run, one to eight processes, the queue, and a session that is cold."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import aiohttp

from benchmarks import episodes
from benchmarks.figures import Figure
from benchmarks.queue_figures import starts
from benchmarks.scenes import play_scene, provider, scene_config, story
from benchmarks.studios import child, settings_of
from dramaturg import Studio, read_settings
from dramaturg.episodes.events import Persona
from dramaturg.kernel.runs.events import RunAdopted
from tests.postgres import Server

MODULE = "benchmarks.cluster_figures"
PROCESSES = (1, 2, 4, 8)
WANTED = {4: 2.5}
"""Of so many processes, how many times what one does."""
TIMES_ONE = "× one"
LOOK_SECONDS = 1.0
"""How often a server looks for runs that nobody holds."""
COLD = 5


async def taken_over(database: str) -> float:
    """Seconds from the death of a scene's process to the entry that says who plays on."""
    async with provider(50) as url:
        with tempfile.TemporaryDirectory() as folder:
            project = story(Path(folder), url)
            player = await child(MODULE, "play", str(project), database)
            assert player.stdout
            run_id = (await player.stdout.readline()).decode().strip()
            async with Studio.open(settings_of(project, database), trust=True) as studio:
                player.send_signal(signal.SIGKILL)
                died = time.perf_counter()
                await player.wait()
                while not (taken := await studio.resume_unfinished()):
                    await asyncio.sleep(LOOK_SECONDS)
                took = time.perf_counter() - died
                assert [one.id for one in taken] == [run_id]
                assert any(isinstance(entry.event, RunAdopted) for entry in taken[0].run.entries)
                return took


async def pace_of(database: str, processes: int, scenes: int, beats: int) -> float:
    """Beats a second of scenes that so many processes share, from the moment all are ready."""
    async with provider(0) as url:
        with tempfile.TemporaryDirectory() as folder:
            project = story(Path(folder), url)
            share = ("share", str(project), database, str(scenes // processes), str(beats))
            players = [await child(MODULE, *share) for _ in range(processes)]
            for one in players:
                assert one.stdout
                await one.stdout.readline()
            began = time.perf_counter()
            for one in players:
                assert one.stdin
                one.stdin.write(b"\n")
            await asyncio.gather(*(one.communicate() for one in players))
            return scenes // processes * processes * beats / (time.perf_counter() - began)


async def first_word_cold() -> float:
    """Milliseconds of the first word above the provider's, in a session that this process has not opened yet."""
    above = []
    async with provider(0, 50) as url, aiohttp.ClientSession() as client:
        with tempfile.TemporaryDirectory() as folder:
            settings = read_settings(episodes.story(Path(folder), url), os.environ)
            async with Studio.open(settings) as studio:
                ids = [(await studio.episodes.open("last-orders", Persona(id=f"p{n}"))).id for n in range(COLD + 1)]
                for session in ids:
                    await episodes.turn(studio, session, episodes.SAID)
                    await studio.episodes.settle(session)
            async with Studio.open(settings) as studio:
                await episodes.turn(studio, ids[0], episodes.SAID)
                await studio.episodes.settle(ids[0])
                for session in ids[1:]:
                    bare = (await episodes.bare(client, url)).visible
                    above.append(1000 * ((await episodes.turn(studio, session, episodes.SAID)).visible - bare))
                    await studio.episodes.settle(session)
    return median(above)


async def cluster(rounds: int, server: Server | None, *, scenes: int = 200, beats: int = 3) -> list[Figure]:
    """What needs more than one process; on Postgres where there is one."""
    where = "Postgres" if server else "SQLite"

    async def database() -> str:
        return await server.new_database() if server else ""

    dead = [await taken_over(await database())]
    paces: dict[int, list[float]] = {count: [] for count in PROCESSES}
    for place in range(rounds):
        for count in PROCESSES if place % 2 == 0 else reversed(PROCESSES):
            paces[count].append(await pace_of(await database(), count, scenes, beats))
    cold = [await first_word_cold() for _ in range(rounds)]
    return [
        Figure(f"a dead player's run goes on, {where}", "s", tuple(dead), 20),
        *(await starts(server) if server else []),
        *_pace_figures(paces, f"beats/s, {scenes} scenes", where),
        Figure("first word of a turn above the provider's, session cold", "ms", tuple(cold), 50),
    ]


def _pace_figures(paces: Mapping[int, Sequence[float]], what: str, where: str) -> Iterator[Figure]:
    """What one process does, and how many times that several do, round by round."""
    one = paces[PROCESSES[0]]
    yield Figure(f"{what}, 1 process on {where}", "", tuple(one))
    for count in PROCESSES[1:]:
        ratios = tuple(many / alone for many, alone in zip(paces[count], one, strict=True))
        name = f"{what}, {count} processes on {where}"
        yield Figure(name, TIMES_ONE, ratios, WANTED.get(count), more_is_better=True)


async def _play(project: Path, database: str) -> None:
    """A process that is killed while it plays."""
    async with Studio.open(settings_of(project, database), trust=True) as studio:
        run = await studio.scenes.open(scene_config(500, lookahead=True))
        task = studio.start(run)
        while run.seq < 40:
            await asyncio.sleep(0.01)
        print(run.id, flush=True)
        await task


async def _share(project: Path, database: str, scenes: int, beats: int) -> None:
    """A process that plays its share when it is told to."""
    async with Studio.open(settings_of(project, database), trust=True) as studio:
        await play_scene(studio, 1)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await asyncio.gather(*(play_scene(studio, beats) for _ in range(scenes)))


if __name__ == "__main__":
    asked, folder, *rest = sys.argv[1:]
    if asked == "play":
        asyncio.run(_play(Path(folder), rest[0]))
    else:
        asyncio.run(_share(Path(folder), rest[0], int(rest[1]), int(rest[2])))
