"""A house in which something breaks every few seconds, and what is left of it.

    python -m tests.faults.chaos --runs 40 --chats 20 --seconds 120 --seed 1

Servers on one Postgres play scenes and chats, which begin one after the other for as long as things are broken. By a
seed a server is killed, stopped past its lease or told to end, or the database is killed and started again. Whoever
chats tries again, at another server, under the same key. In the end every log is read, and the provider's count
compared with it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import asyncpg

from tests import postgres
from tests.faults.audit import Keys, audit
from tests.faults.chats import write_episode
from tests.faults.provider_count import ProviderCount
from tests.faults.servers import House, Server, house
from tests.model_server import ModelServer

SERVERS = 4
TURNS = 3
LEASE = 3.0
LATENCY = 0.3
"""How long the provider takes for an answer."""
HANDED_BACK = 1e6
SCENE_WORDS = "They argue about night"
NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
UNPLAYED = f"SELECT id, {NOW} - lease_until FROM runs WHERE status = 'playing' AND lease_until < {NOW}"
"""The runs that nobody plays, and how long their leases are over; without end if they were handed back."""
PAUSE = (1.0, 4.0)
TOLD_EVERY = 60.0
FAULTS = ("kill", "kill", "stop", "end", "database")
_LOST = (aiohttp.ClientError, TimeoutError, ConnectionError, json.JSONDecodeError)


@dataclass
class Report:
    """What was done, and what the logs say afterwards."""

    faults: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    found: int = 0
    answers: int = 0
    twice: int = 0
    gaps: int = 0
    asked: int = 0
    asked_again: int = 0
    unplayed: float = 0.0
    faulty: int = 0

    @property
    def lost(self) -> int:
        """Answers that were paid for and are in no log: they were on their way."""
        return self.asked - self.answers

    def __str__(self) -> str:
        rows = {
            "faults": ", ".join(f"{count} × {name}" for name, count in sorted(self.faults.items())),
            "runs, by their end": ", ".join(f"{count} {name}" for name, count in sorted(self.ends.items())),
            "messages acknowledged / in the logs once": f"{self.acknowledged} / {self.found}",
            "answers in the logs / in a log twice": f"{self.answers} / {self.twice}",
            "gaps in the logs": str(self.gaps),
            "questions asked of the provider / answers lost on their way": f"{self.asked} / {self.lost}",
            "questions asked though their answer was recorded": str(self.asked_again),
            "the longest that a run was played by nobody": f"{self.unplayed:.1f} s",
            "requests answered with 500": str(self.faulty),
        }
        return "\n".join(f"| {name} | {value} |" for name, value in rows.items())


class Chaos:
    """The servers, the database, and whoever breaks them."""

    def __init__(self, place: House, cluster: Path, seed: int) -> None:
        self._place, self._cluster = place, cluster
        self._random = random.Random(seed)
        self._stack = AsyncExitStack()
        self.servers: list[Server] = []
        self.report = Report()
        self._postgres: subprocess.Popen[bytes] | None = None
        self._binaries = postgres.candidates()[0]

    async def __aenter__(self) -> Chaos:
        self._postgres = await asyncio.to_thread(postgres.start, self._binaries, self._cluster, durable=True)
        self.servers = [await self._serve() for _ in range(SERVERS)]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        if self._postgres is not None:
            self._postgres.send_signal(signal.SIGQUIT)
            await asyncio.to_thread(self._postgres.wait)

    async def _serve(self) -> Server:
        """A server that is up; one that finds no database in time says so and ends, and is started again."""
        while True:
            try:
                return await self._stack.enter_async_context(self._place.server())
            except AssertionError as said:
                print(said, file=sys.stderr)

    def anywhere(self) -> Server:
        return self._random.choice(self.servers)

    async def break_things(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while loop.time() < until:
            await asyncio.sleep(self._random.uniform(*PAUSE))
            fault = self._random.choice(FAULTS)
            self.report.faults[fault] += 1
            await getattr(self, f"_{fault}")()

    async def _kill(self) -> None:
        await self._replace(signal.SIGKILL)

    async def _end(self) -> None:
        await self._replace(signal.SIGTERM)

    async def _replace(self, what: signal.Signals) -> None:
        place = self._random.randrange(SERVERS)
        old, self.servers[place] = self.servers[place], await self._serve()
        with suppress(ProcessLookupError):  # it may have ended by itself, for want of its database
            old.send(what)

    async def _stop(self) -> None:
        server = self.anywhere()
        with suppress(ProcessLookupError):
            server.send(signal.SIGSTOP)
            await asyncio.sleep(1.5 * LEASE)
            server.send(signal.SIGCONT)

    async def _database(self) -> None:
        """As a machine that loses its power: every connection is gone, and what was committed is there again."""
        assert self._postgres is not None
        self._postgres.send_signal(signal.SIGQUIT)
        await asyncio.to_thread(self._postgres.wait)
        await asyncio.sleep(self._random.uniform(0.2, 2.0))
        binaries = next(self._cluster.glob("copy/*/*/bin"), self._binaries)
        self._postgres = await asyncio.to_thread(postgres.launch, binaries, self._cluster, durable=True)

    async def patiently(self, method: str, path: str, **how: object) -> dict:
        """The answer of whichever server gives one. What is repeated has a key, so that it is done once."""
        while True:
            with suppress(*_LOST):
                async with asyncio.timeout(20):
                    status, answer = await self.anywhere().ask(method, path, **how)
                if status < 300:
                    return answer if isinstance(answer, dict) else {}
                self.report.faulty += status == 500
                assert status in (404, 408, 409, 429, 500, 502, 503), (status, answer)
            await asyncio.sleep(0.2)

    async def scene(self, number: int) -> str:
        started = await self.patiently(
            "POST",
            "/v1/scenes",
            json={"scene": f"night-{number}", "seed": number},
            headers={"Idempotency-Key": f"scene-{number}"},
        )
        return str(started["run"])

    async def over(self, run: str) -> str:
        while (status := (await self.patiently("GET", f"/v1/runs/{run}"))["status"]) == "playing":
            await asyncio.sleep(0.3)
        return str(status)

    async def chat(self, number: int, pause: float) -> tuple[str, list[str]]:
        """The session, and the keys of the messages that were answered."""
        key = {"Idempotency-Key": f"the-chat-with-number-{number:05}"}
        opened = await self.patiently("POST", "/v1/sessions", json={"template": "last-orders"}, headers=key)
        session, token = opened["session"]["id"], {"X-Player-Token": opened["player_token"]}
        said: list[str] = []
        for turn in range(TURNS):
            await asyncio.sleep(pause)
            message = {"text": f"Word {turn} of chat {number}.", "client_id": f"chat-{number}-{turn}"}
            await self._say(session, message, token)
            said.append(message["client_id"])
            self.report.acknowledged += 1
        return session, said

    async def _say(self, session: str, message: dict[str, str], token: dict[str, str]) -> None:
        """Sent until its answer was seen to its end."""
        while True:
            with suppress(*_LOST):
                server = self.anywhere()
                path = f"{server.url}/v1/sessions/{session}/messages"
                async with asyncio.timeout(20), server.session.post(path, json=message, headers=token) as response:
                    if response.status < 300 and '"type":"done"' in (await response.text()).replace(" ", ""):
                        return
            await asyncio.sleep(0.2)

    async def watch(self) -> None:
        """Finds out how long runs are played by nobody; whoever held a lease may have died when it began."""
        since: dict[str, float] = {}
        while True:
            await asyncio.sleep(0.25)
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                async with asyncio.timeout(5):
                    connection = await asyncpg.connect(self._place.url)
                    unplayed = await connection.fetch(UNPLAYED)
                    await connection.close()
                now = time.monotonic()
                since = {run: since.get(run, now) for run, _ in unplayed}
                times = [max(now - since[run], over + LEASE if over < HANDED_BACK else 0) for run, over in unplayed]
                self.report.unplayed = max([self.report.unplayed, *times])

    async def tell(self) -> None:
        """Prints how far it has come, for whoever waits half an hour."""
        began = time.monotonic()
        while True:
            await asyncio.sleep(TOLD_EVERY)
            done, faults = self.report, self.report.faults.total()
            at = f"{time.monotonic() - began:6.0f} s"
            print(
                f"{at}  {faults} faults, {done.ends.total()} scenes over, {done.acknowledged} messages", file=sys.stderr
            )

    async def audit(self, sessions: Keys, count: ProviderCount) -> None:
        """Reads every log."""
        found = await audit(self._place)
        self.report.answers, self.report.twice, self.report.gaps = found.answers, found.twice, found.gaps
        self.report.found = found.found(sessions)
        self.report.asked, self.report.asked_again = count.total, found.asked_again(count)


async def run(runs: int, chats: int, seconds: float, seed: int) -> Report:
    """The whole of it."""
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as folder:
        cluster = Path(tempfile.mkdtemp(prefix="dramaturg-pg-"))
        async with ModelServer(latency=LATENCY) as models:
            count = ProviderCount(models, re.compile(rf"{SCENE_WORDS} \d+\."), runs)
            await count.allow(10**9)
            place = house(Path(folder), models, f"postgresql://dramaturg@/postgres?host={cluster}", LEASE)
            write_episode(place.story)
            write_scenes(place.story, runs)
            try:
                async with Chaos(place, cluster, seed) as chaos:
                    watching = [asyncio.create_task(chaos.watch()), asyncio.create_task(chaos.tell())]
                    breaking = asyncio.create_task(chaos.break_things(seconds))
                    _, talked = await asyncio.gather(
                        asyncio.gather(*(_whole_scene(chaos, one, one * seconds / runs) for one in range(runs))),
                        asyncio.gather(*(_whole_chat(chaos, one, one * seconds / chats / 2) for one in range(chats))),
                    )
                    await breaking
                    for task in watching:
                        assert not task.done(), task.exception()
                        task.cancel()
                    await chaos.audit(dict(talked), count)
                    return chaos.report
            finally:
                shutil.rmtree(cluster, ignore_errors=True)


async def _whole_scene(chaos: Chaos, number: int, at: float) -> None:
    await asyncio.sleep(at)
    chaos.report.ends[await chaos.over(await chaos.scene(number))] += 1


async def _whole_chat(chaos: Chaos, number: int, at: float) -> tuple[str, list[str]]:
    await asyncio.sleep(at)
    return await chaos.chat(number, pause=at / TURNS)


def write_scenes(story: Path, count: int) -> None:
    """Scenes of which no two are alike, so that the provider can tell their questions apart."""
    scene = json.loads((story / "scenes" / "argument.json").read_text(encoding="utf-8"))
    for number in range(count):
        own = {"prompt": f"{SCENE_WORDS} {number}. Scene goal: Bob apologizes."}
        (story / "scenes" / f"night-{number}.json").write_text(json.dumps(scene | own), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.chaos", description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--chats", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long things are broken")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # the provider finds that who asked is gone
    print(asyncio.run(run(given.runs, given.chats, given.seconds, given.seed)))


if __name__ == "__main__":
    main()
