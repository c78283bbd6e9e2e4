"""A server whose way to Postgres leads through a proxy, and what must be true of it after any fault."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

import aiohttp
import asyncpg

from dramaturg.kernel.settings import read_settings
from tests.faults.servers import BEAT
from tests.faults.tcp_proxy import Address, TcpProxy
from tests.model_server import ModelServer
from tests.server.visitor import CALLS, Visitor, served, write_story

STORE = "[store]\nlease = {lease}\ntimeout = {timeout}\n"


def place_of(url: str) -> Address:
    """Where a database's server takes connections."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host")
    return f"{folder[0]}/.s.PGSQL.5432" if folder else (parts.hostname or "127.0.0.1", parts.port or 5432)


def through(proxy: TcpProxy, url: str, user: str = "dramaturg") -> str:
    """The same database by way of a proxy."""
    return urlunsplit(urlsplit(url)._replace(netloc=f"{user}@127.0.0.1:{proxy.port}", query=""))


@dataclass
class Site:
    """A story, its provider, and its database, which is reached around all faults."""

    story: Path
    models: ModelServer
    url: str

    @asynccontextmanager
    async def server(self, url: str, listen_url: str | None = None) -> AsyncIterator[Visitor]:
        """A server on this database, reached by `url`; notices come to it by `listen_url`."""
        settings = read_settings(self.story, {"DRAMATURG_STORE_URL": url}, trust=True)
        store = settings.store.model_copy(update={"listen_url": listen_url})
        async with served(settings.model_copy(update={"store": store})) as visitor:
            yield visitor

    async def begun(self, visitor: Visitor) -> str:
        """A scene is being played, and two characters of a beat are asked and do not answer yet."""
        self.models.hold(at=BEAT)
        run = await visitor.play()
        await self.models.received(BEAT + 1)
        return run

    async def answered(self) -> None:
        """Both answer, and whoever is asked then; nothing of it can be stored."""
        self.models.release()
        while self.models.under_way:
            await asyncio.sleep(0.02)

    async def read(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        connection = await asyncpg.connect(self.url)
        try:
            return [tuple(row) for row in await connection.fetch(sql, *values)]
        finally:
            await connection.close()

    async def check_whole(self, again: int = 0) -> None:
        """Each question is answered once in a log without gaps, at most `again` were asked again, and nothing plays."""
        bodies = await self.read("SELECT body FROM events WHERE type = 'model.answered'")
        paid = Counter(json.loads(str(body))["key"] for (body,) in bodies)
        assert set(paid.values()) == {1}
        assert paid.total() == CALLS
        assert 0 <= len(self.models.requests) - CALLS <= again
        assert await self.read("SELECT status FROM runs") == [("ended",)]
        assert await self.read("SELECT 1 FROM events GROUP BY run_id HAVING COUNT(*) <> MAX(seq)") == []


def site(folder: Path, models: ModelServer, url: str, lease: float = 15.0, timeout: float = 10.0) -> Site:
    story = write_story(folder / "story", models.url)
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(STORE.format(lease=lease, timeout=timeout))
    return Site(story, models, url)


async def over(visitor: Visitor, run: str) -> str:
    """The status of a run that does not play any more, asked until somebody answers."""
    while True:
        with suppress(aiohttp.ClientError):
            answer = await visitor.get(f"/v1/runs/{run}")
            if answer.status == 200 and answer.json["status"] != "playing":
                return str(answer.json["status"])
        await asyncio.sleep(0.05)


async def healthy(visitor: Visitor, status: int = 200) -> None:
    """Returns when a server says that it is well, or with another status that it is not."""
    while (await visitor.get("/healthz")).status != status:
        await asyncio.sleep(0.05)
