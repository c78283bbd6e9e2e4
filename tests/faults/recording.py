"""Two servers and three workers play scenes and chats while everything is killed, the database too, one by one.

    python -m tests.faults.recording --scenes 20 --chats 10

They are started as `deploy/compose.yaml` says. Each is killed while it has asked something, and started again. One of
the chats is held on the players' page in a real browser, where there is one. The last line says what it cost, and that
nothing was paid twice: by the logs, and by the provider's own count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import re
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import aiohttp
import yaml

from tests.cluster.deployment import composed
from tests.cluster.house import HEADERS, Child, House, open_house
from tests.episodes.staging import FLIRT, MINA
from tests.faults.browser import Conversation, browser, open_conversation
from tests.faults.provider_count import ProviderCount
from tests.faults.tcp_proxy import TcpProxy
from tests.model_server import ModelServer
from tests.postgres import RestartableServer, restartable_postgres

MODEL = "gpt-4.1-mini"
BEATS = 16
CALLS = 1 + 1 + (BEATS - 1) * 4
"""The opener and the judge, then three characters and the judge a beat."""
VICTIMS = ("worker 1", "worker 2", "worker 3", "server 1", "server 2", "the database")
SCENE_WORDS = "They argue about night"
EPISODE = {**FLIRT, "completion_mode": "open", "evaluation": None}
OPEN = '[players]\nopen = ["last-orders"]\nper_player = 100000\nper_address = 1000000\nburst = 1000\n'
_LOST = (aiohttp.ClientError, TimeoutError, ConnectionError, json.JSONDecodeError)


class Chat(Protocol):
    """Somebody who talks with Mina."""

    async def begin(self) -> str:
        """Opens the session, and returns its id."""
        ...

    async def say(self, text: str) -> str:
        """Says something until it is answered, and returns the answer."""
        ...


@dataclass
class ClientChat:
    """A program that talks over HTTP, and says it again, under the same key, when the connection is lost."""

    number: int
    front: TcpProxy
    session: aiohttp.ClientSession
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    async def begin(self) -> str:
        key = {"Idempotency-Key": f"the-chat-with-number-{self.number:05}"}
        asked = {"template": "last-orders"}
        while True:
            async with self.session.post(self._url("/v1/sessions"), json=asked, headers=key) as answer:
                opened = await answer.json()
            if answer.status < 300:
                break
            assert answer.status == 429, opened
            await asyncio.sleep(1)
        self.headers = {"X-Player-Token": opened["player_token"]}
        self.path = f"/v1/sessions/{opened['session']['id']}"
        return str(opened["session"]["id"])

    async def say(self, text: str) -> str:
        message = {"text": text, "client_id": text}
        while True:
            with suppress(*_LOST):
                url = self._url(f"{self.path}/messages")
                async with asyncio.timeout(15), self.session.post(url, json=message, headers=self.headers) as answer:
                    said = await answer.text()
                    if answer.status < 300 and '"type":"done"' in said.replace(" ", ""):
                        return await self._last_line()
            await asyncio.sleep(0.2)

    async def _last_line(self) -> str:
        while True:
            with suppress(*_LOST):
                async with self.session.get(self._url(self.path), headers=self.headers) as answer:
                    if answer.status == 200:
                        return str((await answer.json())["messages"][-1]["content"])
            await asyncio.sleep(0.2)

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.front.port}{path}"


@dataclass
class PageChat:
    """A person at the players' page."""

    page: Conversation
    front: TcpProxy
    lines: int = 1

    async def begin(self) -> str:
        return await self.page.begin(f"http://127.0.0.1:{self.front.port}", "last-orders", "Anna")

    async def say(self, text: str) -> str:
        await self.page.say(text)
        self.lines += 2
        return (await self.page.shown(self.lines))[-1]


@dataclass
class Outcome:
    """What is left when everything has ended."""

    ends: Counter[str]
    sessions: list[str]
    said: Counter[tuple[str, str]]
    answers: Counter[tuple[str, str]]
    cost: float
    gaps: int
    asked: int
    asked_again: int

    @property
    def twice(self) -> int:
        return self.answers.total() - len(self.answers)

    def __str__(self) -> str:
        lost = self.asked - self.answers.total()
        if self.twice or self.asked_again or self.gaps:
            return (
                f"{self.twice} answers are in a log twice, {self.asked_again} questions were asked again though their "
                f"answer was recorded, {self.gaps} entries are missing."
            )
        return (
            f"{self.ends['ended']} scenes and {len(self.sessions)} chats cost ${self.cost:.4f} for "
            f"{self.answers.total():,} answers, and nothing was paid twice: each answer is in its log once, and of the "
            f"{self.asked:,} questions that the provider counted none had its answer in a log before it was asked "
            f"({lost} were on their way when their process died)."
        )


class Recording:
    """The house, those who talk in it, and whoever kills its parts."""

    def __init__(
        self, house: House, postgres: RestartableServer, count: ProviderCount, out: Callable[[str], None]
    ) -> None:
        self._house, self._postgres, self._count, self._out = house, postgres, count, out
        server, worker = composed()
        self._declared = {"server": server, "worker": worker}
        names = ("server", "worker")
        self._parts: dict[str, Child] = {
            f"{kind} {number}": child
            for kind, children in zip(names, (house.servers, house.workers), strict=True)
            for number, child in enumerate(children, 1)
        }
        self.fronts: list[TcpProxy] = []
        self.chats: list[Chat] = []
        self.sessions: list[str] = []
        self.runs: list[str] = []

    async def enter(self, stack: AsyncExitStack, chats: int, in_browser: bool) -> None:
        """Opens the fronts of the two servers and whoever talks through them."""
        one, two = self._house.servers
        for first, second in ((one, two), (two, one)):
            self.fronts.append(await stack.enter_async_context(TcpProxy(_place(first), _place(second))))
        if in_browser:
            self.chats.append(PageChat(await stack.enter_async_context(open_conversation()), self.fronts[0]))
        for number in range(chats - len(self.chats)):
            self.chats.append(ClientChat(number, self.fronts[number % 2], self._house.session))
        self.sessions = list(await asyncio.gather(*(chat.begin() for chat in self.chats)))
        where = "one of them on the players' page in a browser" if in_browser else "none of them in a browser"
        self._out(f"{len(self.sessions)} chats have begun, {where}.")

    async def play(self, scenes: int) -> None:
        servers = self._house.servers
        for number in range(scenes):
            self.runs.append(await self._house.play(servers[number % 2], scene=f"night-{number}"))
        self._out(f"{scenes} scenes have begun; what the servers have no place for waits in the queue for the workers.")

    async def kill_all(self) -> None:
        step = CALLS // (len(VICTIMS) + 2)
        for number, victim in enumerate(VICTIMS, 1):
            await self._count.allow(number * step)
            await self._count.used_up()
            await self._kill(victim, number)
        await self._count.allow(10**9)
        await self._talk("And so we come to the end of it.")

    async def _kill(self, victim: str, number: int) -> None:
        words = f"What do you keep from your night number {number}?"
        self._count.hold(_asked_by(1, words))
        talking = asyncio.create_task(self._talk(words))
        await self._count.held()
        begin_again = await self._kill_part(victim)
        self._out(f"{victim}: kill -9, while scenes and chats wait for answers.")
        await self._count.release()
        await begin_again()
        answers = await talking
        self._out(f"{victim}: started again. All {len(answers)} chats went on: \u201c{answers[0]}\u201d")

    async def _kill_part(self, victim: str) -> Callable[[], Awaitable[None]]:
        """Kills it; returns how to start it again."""
        if victim == "the database":
            await asyncio.to_thread(self._postgres.kill)
            return lambda: asyncio.to_thread(self._postgres.start)
        child = self._parts[victim]
        await child.kill()

        async def begin_again() -> None:
            self._parts[victim] = new = await self._house.begin(self._declared[child.name])
            if new.url:
                for front in self.fronts:
                    others = [one for one in front.upstreams if one != _place(child)]
                    front.upstreams = [*others, _place(new)]

        return begin_again

    async def _talk(self, text: str) -> list[str]:
        """Everybody says it, each with a word of their own: no two questions to the provider are alike."""
        guests = enumerate(self.chats, 1)
        return list(await asyncio.gather(*(chat.say(_asked_by(number, text)) for number, chat in guests)))

    async def end(self) -> Outcome:
        ends = Counter([await self._ended(run) for run in self.runs])
        self._out(f"The scenes are over: {', '.join(f'{count} {end}' for end, count in ends.items())}.")
        rows = await entries(self._house)
        last: Counter[str] = Counter()
        outcome = Outcome(ends, self.sessions, Counter(), Counter(), 0.0, 0, self._count.total, 0)
        recorded: dict[str, float] = {}
        for run, seq, at, kind, body in rows:
            outcome.gaps += seq != last[run] + 1
            last[run] = seq
            if kind == "model.answered":
                told = json.loads(body)
                outcome.answers[run, told["key"]] += 1
                outcome.cost += told["answer"]["cost_usd"]
                recorded[told["answer"]["text"]] = at
            elif kind == "player.spoke":
                outcome.said[run, json.loads(body)["text"]] += 1
        outcome.asked_again = self._count.asked_again(recorded)
        self._out(str(outcome))
        return outcome

    async def _ended(self, run: str) -> str:
        while True:
            with suppress(*_LOST):
                url = f"http://127.0.0.1:{self.fronts[0].port}/v1/runs/{run}"
                async with self._house.session.get(url, headers=HEADERS) as answer:
                    status = (await answer.json()).get("status", "playing")
                    if status != "playing":
                        return str(status)
            await asyncio.sleep(0.2)


async def record(scenes: int, chats: int, out: Callable[[str], None], *, in_browser: bool) -> Outcome:
    """The whole of it."""
    began = time.monotonic()

    def told(line: str) -> None:
        out(f"{time.monotonic() - began:6.1f} s  {line}")

    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recording-", ignore_cleanup_errors=True)))
        postgres = stack.enter_context(restartable_postgres())
        provider = await stack.enter_async_context(ModelServer())
        count = ProviderCount(provider, re.compile(rf"{SCENE_WORDS} \d+\."), scenes)
        house = await stack.enter_async_context(
            open_house(
                folder, provider.url, postgres.url, places=4, furnish=lambda story: furnish(story, scenes),
                OPENAI_API_KEY="none-is-needed",
            )
        )  # fmt: skip
        told(f"{len(house.servers)} servers and {len(house.workers)} workers are up, on one Postgres.")
        recording = Recording(house, postgres, count, told)
        await recording.enter(stack, chats, in_browser)
        await recording.play(scenes)
        await recording.kill_all()
        return await recording.end()


def furnish(story: Path, scenes: int) -> None:
    """Scenes of which no two are alike, an episode for guests, and a model whose price is published."""
    scene = json.loads((story / "scenes" / "long.json").read_text(encoding="utf-8"))
    for number in range(scenes):
        own = {"prompt": f"{SCENE_WORDS} {number}. Scene goal: Bob apologizes.", "maxBeats": BEATS}
        (story / "scenes" / f"night-{number}.json").write_text(json.dumps(scene | own), encoding="utf-8")
    (story / ".claude" / "agents" / "mina.md").write_text(MINA, encoding="utf-8")
    (story / "episodes").mkdir()
    (story / "episodes" / "last-orders.yaml").write_text(yaml.safe_dump(EPISODE), encoding="utf-8")
    settings = (story / "dramaturg.toml").read_text(encoding="utf-8")
    for old, new in _replaced():
        assert old in settings, old
        settings = settings.replace(old, new)
    (story / "dramaturg.toml").write_text(settings, encoding="utf-8")


def _replaced() -> Iterator[tuple[str, str]]:
    yield "house/character", f"openai/{MODEL}"
    yield "[providers.house]", "[providers.openai]"
    yield "concurrency = 2\n", "concurrency = 512\n"
    yield 'agent = "direct"\n', 'agent = "direct"\ntimeout = 600\n'
    yield "[players]\n", OPEN


async def entries(house: House) -> list[tuple[Any, ...]]:
    """Every entry of every log."""
    from dramaturg.kernel.settings import read_settings
    from dramaturg.kernel.store import open_store
    from dramaturg.kernel.store.database import Statement

    store = await open_store(read_settings(house.story, house.env))
    try:
        sql = "SELECT run_id, seq, at, type, body FROM events ORDER BY run_id, seq"
        return [tuple(row) for row in await store.database.read(Statement(sql, {}))]
    finally:
        await store.close()


def _asked_by(number: int, text: str) -> str:
    return f"Guest {number} asks: {text}"


def _place(server: Child) -> tuple[str, int]:
    host, port = server.url.removeprefix("http://").split(":")
    return host, int(port)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.recording", description=__doc__)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--chats", type=int, default=10)
    given = parser.parse_args()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # the provider finds that who asked is gone
    asyncio.run(record(given.scenes, given.chats, partial(print, flush=True), in_browser=browser() is not None))


if __name__ == "__main__":
    main()
