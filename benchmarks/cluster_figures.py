"""The figures of several processes: a dead player's run, four processes on Postgres, and a session that is cold."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import aiohttp

from benchmarks import episodes
from benchmarks.figures import Figure
from benchmarks.scenes import play_scene, provider, scene_config, story
from dramaturg import Studio, read_settings
from dramaturg.episodes.events import Persona
from dramaturg.kernel.runs.events import RunAdopted
from dramaturg.kernel.settings import Settings
from tests.postgres import Server

PROCESSES = 4
LOOK_SECONDS = 1.0
"""How often a server looks for runs that nobody holds."""
COLD = 5


def settings_of(folder: Path, url: str) -> Settings:
    """The settings of a project, with its store on Postgres if there is a URL."""
    settings = read_settings(folder, os.environ)
    return settings.model_copy(update={"store": settings.store.model_copy(update={"url": url})}) if url else settings


async def _child(*words: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.cluster_figures", *words, stdout=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def taken_over(database: str) -> float:
    """Seconds from the death of a scene's process to the entry that says who plays on."""
    async with provider(50) as url:
        with tempfile.TemporaryDirectory() as folder:
            project = story(Path(folder), url)
            child = await _child("play", str(project), database)
            assert child.stdout
            run_id = (await child.stdout.readline()).decode().strip()
            async with Studio.open(settings_of(project, database), trust=True) as studio:
                child.send_signal(signal.SIGKILL)
                died = time.perf_counter()
                await child.wait()
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
            children = [await _child(*share) for _ in range(processes)]
            for child in children:
                assert child.stdout
                await child.stdout.readline()
            began = time.perf_counter()
            for child in children:
                assert child.stdin
                child.stdin.write(b"\n")
            await asyncio.gather(*(child.communicate() for child in children))
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
    where, url = ("Postgres", True) if server else ("SQLite", False)

    async def database() -> str:
        return await server.new_database() if server and url else ""

    dead = [await taken_over(await database())]
    many = []
    for _ in range(rounds):
        one = await pace_of(await database(), 1, scenes, beats)
        many.append(await pace_of(await database(), PROCESSES, scenes, beats) / one)
    cold = [await first_word_cold() for _ in range(rounds)]
    return [
        Figure(f"a dead player's run goes on, {where}", "s", tuple(dead), 20),
        Figure(
            f"beats/s, {scenes} scenes, {PROCESSES} processes on {where}",
            "× one",
            tuple(many),
            2.5,
            more_is_better=True,
        ),
        Figure("first word of a turn above the provider's, session cold", "ms", tuple(cold), 50),
    ]


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
