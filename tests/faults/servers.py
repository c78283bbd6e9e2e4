"""Servers as processes of their own that share a store, and a provider that counts what it is asked."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.database import Statement
from tests import warm
from tests.child import clean_environment, uncounted
from tests.model_server import ModelServer
from tests.server.visitor import write_story

BEAT = 11
"""The first question of a beat: three characters, of which two are asked at once."""
IN_FLIGHT = 2
"""The answers that are lost with a process."""


@dataclass
class House:
    """A story, its provider, and its store, wherever that is."""

    story: Path
    models: ModelServer
    url: str | None

    @asynccontextmanager
    async def started(
        self, name: str = "studio", off: float = 0.0, release: Path | None = None
    ) -> AsyncIterator[Started]:
        """`dramaturg serve` on a machine of this name, whose clock is off by so many seconds.

        `release` is the folder with the package of another release, which knows its machine as it is.
        """
        where = {"DRAMATURG_STORE_URL": self.url} if self.url else {}
        environment = clean_environment(self.story.parent, NO_COLOR="1", DRAMATURG_TRUST="1", **where)
        errors = Path(tempfile.mkstemp(dir=self.story.parent, suffix=".err")[1])  # a pipe that nobody reads gets full
        with errors.open("wb") as file:
            streams: Any = {"stdout": asyncio.subprocess.PIPE, "stderr": file}
            words = ("serve", "--port", "0", "--project", str(self.story))
            if release is None:
                machine = ("-m", "tests.faults.machine", name, str(off))
                process = await warm.start(*machine, *words, env=environment, **streams)
            else:
                environment = uncounted(environment) | {"PYTHONPATH": str(release)}  # its lines are not ours
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "dramaturg", *words), env=environment, cwd=release, **streams
                )
        try:
            yield Started(process, errors)
        finally:
            if process.returncode is None:
                os.kill(process.pid, signal.SIGCONT)
                process.kill()
            await process.communicate()

    @asynccontextmanager
    async def server(
        self, name: str = "studio", off: float = 0.0, release: Path | None = None
    ) -> AsyncIterator[Server]:
        """The same, once it has said its address."""
        async with self.started(name, off, release) as begun, aiohttp.ClientSession() as session:
            assert begun.process.stdout
            found = re.search(r"http://\S+", (await begun.process.stdout.readline()).decode())
            assert found, begun.errors.read_text(encoding="utf-8")
            yield Server(begun.process, found[0], session, begun.errors)

    async def read(self, sql: str) -> list[tuple[Any, ...]]:
        settings = Settings(project=self.story)
        if self.url:
            settings = settings.model_copy(update={"store": settings.store.model_copy(update={"url": self.url})})
        store = await open_store(settings)
        try:
            return [tuple(row) for row in await store.database.read(Statement(sql, {}))]
        finally:
            await store.close()

    async def types(self) -> list[str]:
        return [type_ for (type_,) in await self.read("SELECT type FROM events ORDER BY run_id, seq")]

    async def paid(self) -> Counter[str]:
        """How often each question was answered, by the log."""
        bodies = await self.read("SELECT body FROM events WHERE type = 'model.answered'")
        return Counter(json.loads(body)["key"] for (body,) in bodies)


@dataclass(frozen=True)
class Started:
    process: asyncio.subprocess.Process
    errors: Path
    """What it prints beside its output."""


@dataclass
class Server:
    process: asyncio.subprocess.Process
    url: str
    session: aiohttp.ClientSession
    errors: Path

    async def ask(self, method: str, path: str, **how: Any) -> tuple[int, Any]:
        async with self.session.request(method, self.url + path, **how) as response:
            text = await response.text()
            return response.status, json.loads(text) if text.startswith("{") else text

    async def into_a_beat(self, models: ModelServer) -> str:
        """A scene is being played here, and two characters of a beat are asked and do not answer yet."""
        models.hold(at=BEAT)
        _, started = await self.ask("POST", "/v1/scenes", json={"scene": "argument"})
        await models.received(BEAT + 1)
        return str(started["run"])

    async def over(self, run: str) -> str:
        """The status of a run that does not play any more."""
        while (status := (await self.ask("GET", f"/v1/runs/{run}"))[1]["status"]) == "playing":
            await asyncio.sleep(0.05)
        return str(status)

    def send(self, what: signal.Signals) -> None:
        self.process.send_signal(what)

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


def house(folder: Path, models: ModelServer, url: str | None, lease: float = 15.0) -> House:
    story = write_story(folder / "story", models.url)
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(f"[store]\nlease = {lease}\n")
    return House(story, models, url)
