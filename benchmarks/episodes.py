"""Episodes against the floor: how soon words are seen, what a turn costs beside its model, and 500 sessions at once.

The floor is a bare aiohttp client that asks the same provider for the same stream. Everything of ours is on: the log in
SQLite, the director, the look back after each turn. The 500 sessions talk over HTTP to one process that serves them.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp
import orjson

from benchmarks.scenes import provider
from dramaturg import Studio, read_settings
from dramaturg.episodes.events import CharacterAnswered, Persona, PlayerSpoke

LATENCY, PACE = 500, 50
SESSIONS, TURNS, THINKS = 50, 6, 1.5
CROWD, CROWD_TURNS, AT_ONCE = 500, 4, 64
TEMPLATE = "character: mina\nopening_line: We are closed.\ncompletion_mode: turn_limited\nturn_budget: 40\n"
CARD = "# Mina - Bartender\n\n## Personality\n- Quick, dry, kinder than she lets on\n"
SYSTEM = CARD * 12
SAID = "Tell me about the second key, and about the lamp that is still lit after closing."
_VISIBLE = re.compile(r'"(?:action|dialogue)":\s*"[^"]')


@dataclass(frozen=True)
class Heard:
    """When the first piece came, when the first that may be seen, and when all was over; in seconds."""

    first: float
    visible: float
    whole: float


def story(folder: Path, url: str) -> Path:
    for name, text in (
        (".claude/agents/mina.md", CARD),
        ("episodes/last-orders.yaml", f"name: last-orders\n{TEMPLATE}"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "dramaturg.toml").write_text(
        '[models]\ndefault = "house/gpt-4o"\n'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\nconcurrency = 1024\n'
        "[players]\nper_player = 100000\nper_address = 10000000\nburst = 10000\n",
        encoding="utf-8",
    )
    return folder


async def bare(session: aiohttp.ClientSession, url: str) -> Heard:
    """The same stream by hand, read as far as it must be to see the first word."""
    messages = [{"role": "system", "content": f'{SYSTEM}"tension_shift"'}, {"role": "user", "content": SAID}]
    body = {"model": "gpt-4o", "messages": messages, "max_tokens": 400, "stream": True}
    body["stream_options"] = {"include_usage": True}
    started, first, visible, text = time.perf_counter(), 0.0, 0.0, ""
    async with session.post(f"{url}/v1/chat/completions", json=body) as response:
        async for line in response.content:
            if not line.startswith(b"data: {"):
                continue
            choices = orjson.loads(line[6:])["choices"]
            piece = choices[0]["delta"].get("content", "") if choices else ""
            if not piece:
                continue
            first = first or time.perf_counter() - started
            text += piece
            if not visible and _VISIBLE.search(text):
                visible = time.perf_counter() - started
    return Heard(first, visible, time.perf_counter() - started)


async def turn(studio: Studio, session: str, text: str) -> Heard:
    started, first = time.perf_counter(), 0.0
    async for event in studio.episodes.say(session, text):
        if event.type == "chunk" and not first:
            first = time.perf_counter() - started
    return Heard(first, first, time.perf_counter() - started)


async def first_words() -> None:
    async with provider(LATENCY, PACE) as url, aiohttp.ClientSession() as client:
        with tempfile.TemporaryDirectory() as folder:
            async with Studio.open(read_settings(story(Path(folder), url), os.environ)) as studio:
                view = await studio.episodes.open("last-orders", Persona(id="anna"))
                await turn(studio, view.id, SAID)  # what is imported and read once is not a turn's cost
                await studio.episodes.settle(view.id)
                ours, floor = [], []
                for _ in range(9):
                    floor.append(await bare(client, url))
                    ours.append(await turn(studio, view.id, SAID))
                    await studio.episodes.settle(view.id)
    seen, sent = median(one.visible for one in ours), median(one.visible for one in floor)
    first = median(one.first for one in floor)
    print(f"At {PACE} pieces/s of four characters, the first after {LATENCY} ms, median of 9:\n")
    print("| first visible words | ms | × the provider's first piece | × its first visible piece |\n|---|--:|--:|--:|")
    print(f"| bare client | {1000 * sent:.0f} | {sent / first:.3f} | 1.000 |")
    print(f"| a turn of an episode | {1000 * seen:.0f} | {seen / first:.3f} | {seen / sent:.3f} |")


async def overhead() -> None:
    """Sessions that talk at their own pace: a turn's time beside that of the same stream by hand."""
    connector = aiohttp.TCPConnector(limit=0)
    async with provider(LATENCY) as url, aiohttp.ClientSession(connector=connector) as client:
        floor: list[float] = []

        async def by_hand(number: int) -> None:
            await asyncio.sleep(2 * number / SESSIONS)
            for _ in range(TURNS):
                floor.append((await bare(client, url)).whole)
                await asyncio.sleep(THINKS)

        await asyncio.gather(*(by_hand(number) for number in range(SESSIONS)))
        with tempfile.TemporaryDirectory() as folder:
            async with Studio.open(read_settings(story(Path(folder), url), os.environ)) as studio:
                views = [await studio.episodes.open("last-orders", Persona(id=f"p{n}")) for n in range(SESSIONS)]
                await turn(studio, views[0].id, SAID)
                taken: list[float] = []

                async def talk(number: int) -> None:
                    await asyncio.sleep(2 * number / SESSIONS)
                    for _ in range(TURNS):
                        taken.append((await turn(studio, views[number].id, SAID)).whole)
                        await asyncio.sleep(THINKS)

                cpu = time.process_time()
                await asyncio.gather(*(talk(number) for number in range(SESSIONS)))
                cpu = time.process_time() - cpu
    beside = sorted(one - median(floor) for one in taken)
    p50, p95 = (1000 * beside[int(share * len(beside))] for share in (0.5, 0.95))
    print(f"\n{SESSIONS} sessions at once on SQLite, {TURNS} turns each, {THINKS} s between them:")
    print(f"a turn takes {p50:.1f} ms (p50) and {p95:.1f} ms (p95) beside its model,")
    print(f"{1000 * cpu / len(taken):.1f} ms of CPU with its look back;")
    print(
        f"the same stream by hand takes {1000 * median(floor):.1f} ms, a turn × {1 + p50 / 1000 / median(floor):.3f}."
    )


@asynccontextmanager
async def server(folder: Path) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "dramaturg",
        "serve",
        "--project",
        str(folder),
        "--port",
        "0",
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    yield (await process.stdout.readline()).decode().split()[2]
    process.terminate()
    await process.wait()


async def crowd() -> None:
    """So many open sessions, each followed by its player, some messages sent twice; then the log is counted."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None)
    async with provider(50) as url, aiohttp.ClientSession(connector=connector, timeout=timeout) as client:
        started = time.perf_counter()
        gate = asyncio.Semaphore(AT_ONCE)

        async def by_hand() -> None:
            for _ in range(CROWD_TURNS):
                async with gate:
                    await bare(client, url)

        await asyncio.gather(*(by_hand() for _ in range(CROWD)))
        floor = CROWD * CROWD_TURNS / (time.perf_counter() - started)
        with tempfile.TemporaryDirectory() as folder:
            project = story(Path(folder), url)
            async with server(project) as house:
                sessions = await asyncio.gather(*(_begun(client, house, gate) for _ in range(CROWD)))
                listening = [asyncio.create_task(_follow(client, house, *one)) for one in sessions]
                started = time.perf_counter()
                await asyncio.gather(*(_talk(client, house, gate, *one) for one in sessions))
                taken = time.perf_counter() - started
                heard = await asyncio.gather(*listening)
            lost = await _counted(project, [session for session, _ in sessions])
    assert all(count == CROWD_TURNS + 1 for count in heard), "somebody who followed missed a turn"
    rate = CROWD * CROWD_TURNS / taken
    print(f"\n{CROWD} open sessions, each followed over HTTP by its player, {CROWD_TURNS} turns each,")
    print("every tenth message sent twice:")
    print(f"{rate:.0f} turns/s by one process ({floor:.0f} streams/s by hand, without any server), by the log {lost}.")


async def _begun(client: aiohttp.ClientSession, house: str, gate: asyncio.Semaphore) -> tuple[str, str]:
    async with gate, client.post(f"{house}/v1/sessions", json={"template": "last-orders"}) as response:
        opened = await response.json()
        return opened["session"]["id"], opened["player_token"]


async def _follow(client: aiohttp.ClientSession, house: str, session: str, token: str) -> int:
    """How many turns ended before the eyes of one who follows."""
    ended = 0
    async with client.get(f"{house}/v1/sessions/{session}/events", headers={"X-Player-Token": token}) as response:
        async for line in response.content:
            ended += line.startswith(b"event: done")
            if ended > CROWD_TURNS:
                return ended
    return ended


async def _talk(client: aiohttp.ClientSession, house: str, gate: asyncio.Semaphore, session: str, token: str) -> None:
    url, chance = f"{house}/v1/sessions/{session}/messages", random.Random(session)

    async def send(number: int) -> None:
        body = {"text": SAID, "client_id": f"turn-{number}"}
        async with client.post(url, json=body, headers={"X-Player-Token": token}) as response:
            assert response.status == 200, await response.text()
            assert b"event: done" in await response.read()

    for number in range(CROWD_TURNS):
        async with gate:
            await asyncio.gather(*(send(number) for _ in range(2 if chance.random() < 0.1 else 1)))


async def _counted(project: Path, sessions: list[str]) -> str:
    """What the log says, whatever the server said."""
    async with Studio.open(read_settings(project, os.environ)) as studio:
        wrong = 0
        for session in sessions:
            entries = (await studio.runs.open(session)).entries
            said = [entry.event.client_id for entry in entries if isinstance(entry.event, PlayerSpoke)]
            answered = sum(isinstance(entry.event, CharacterAnswered) for entry in entries)
            wrong += said != [f"turn-{number}" for number in range(CROWD_TURNS)] or answered != CROWD_TURNS
    if wrong:
        raise SystemExit(f"{wrong} of {len(sessions)} sessions lost or doubled a turn")
    return f"{len(sessions) * CROWD_TURNS:,} turns, none lost and none doubled"


async def measure() -> None:
    await first_words()
    await overhead()
    await crowd()


def main() -> None:
    asyncio.run(measure())
