"""The processes of `deploy/compose.yaml` on this machine, without containers: real servers, workers and Postgres."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests import warm
from tests.child import clean_environment
from tests.cluster.deployment import DEPLOY, Declared, composed
from tests.scenes.test_kill_and_resume import project

TOKEN = "the-token-of-the-author"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
QUICK_LEASE = "\n[store]\nlease = 3\n"


@dataclass
class Child:
    """A process of the house; a server has an address."""

    name: str
    process: asyncio.subprocess.Process
    url: str = ""

    async def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
            await self.process.wait()


@dataclass
class House:
    """Everything that the compose file starts, but for the database and the proxy."""

    story: Path
    env: dict[str, str]
    children: list[Child] = field(default_factory=list)
    session: aiohttp.ClientSession = field(default_factory=aiohttp.ClientSession)

    @property
    def servers(self) -> list[Child]:
        return [one for one in self.children if one.name == "server"]

    @property
    def workers(self) -> list[Child]:
        return [one for one in self.children if one.name == "worker"]

    async def begin(self, declared: Declared, **options: str) -> Child:
        """Starts a process as it is declared, on this machine's story and any free port."""
        here = {"/story": str(self.story), "0.0.0.0": "127.0.0.1", "8321": "0"}
        words = [here.get(word, word) for word in declared.command]
        for option, value in options.items():
            words += [f"--{option}", value]
        process = await warm.start(
            "-m", "dramaturg", *words,
            env=self.env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=2**20,
        )  # fmt: skip
        assert process.stdout is not None
        ready = (await process.stdout.readline()).decode()
        if not ready:
            assert process.stderr is not None
            raise AssertionError((await process.stderr.read()).decode())
        child = Child(declared.name, process, ready.split()[2] if ready.startswith("Serving at") else "")
        self.children.append(child)
        return child

    async def ask(self, server: Child, method: str, path: str, **how: Any) -> Any:
        async with self.session.request(method, server.url + path, headers=HEADERS, **how) as response:
            text = await response.text()
            assert response.status < 300, text
            return json.loads(text)

    async def play(self, server: Child, **scene: Any) -> str:
        """Starts a scene at a server; the id of its run."""
        return (await self.ask(server, "POST", "/v1/scenes", json={"scene": "long", **scene}))["run"]

    async def ended(self, server: Child, run: str) -> str:
        """How a run ended, once it has, asked of any server."""
        while (status := (await self.ask(server, "GET", f"/v1/runs/{run}"))["status"]) == "playing":
            await asyncio.sleep(0.2)
        return status


@asynccontextmanager
async def open_house(
    folder: Path,
    model_url: str,
    store_url: str,
    *,
    places: int = 4,
    furnish: Callable[[Path], None] = lambda story: None,
    **more: str,
) -> AsyncIterator[House]:
    """The two servers and three workers, with the settings of `deploy/`, until the block ends.

    `furnish` adds to the story before anybody reads it, `more` to the environment.
    """
    story = project(folder, model_url)
    own = (story / "dramaturg.toml").read_text(encoding="utf-8")
    shared = (DEPLOY / "dramaturg.toml").read_text(encoding="utf-8").replace("places = 16", f"places = {places}")
    (story / "dramaturg.toml").write_text(own + shared + QUICK_LEASE, encoding="utf-8")
    furnish(story)
    given = {
        "DRAMATURG_STORE_URL": store_url,
        "DRAMATURG_TRUST": "1",
        "DRAMATURG_TOKEN": TOKEN,
        "PLAYERS_KEY": "k" * 32,
    }
    env = clean_environment(folder, **given, **more)
    house = House(story, env)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_close, house)
        server, worker = composed()
        await asyncio.gather(
            *(house.begin(server) for _ in range(server.count)), *(house.begin(worker) for _ in range(worker.count))
        )
        yield house
    shutil.rmtree(folder / "data", ignore_errors=True)


async def _close(house: House) -> None:
    await house.session.close()
    for child in house.children:
        if child.process.returncode is None:
            await child.kill()
