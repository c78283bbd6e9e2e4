"""What tests need to visit a server: a story, the server on a free port of this machine, and a client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
from fastapi import FastAPI

from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.server.app import create_app
from dramaturg.server.uvicorn_server import GracefulServer, listen
from dramaturg.studio import Studio
from tests.server.event_stream import server_sent
from tests.stage import write_cards

CAST = ("alice", "bob", "charlie")
SCENE = {
    "prompt": "They argue. Scene goal: Bob apologizes.",
    "lines": [
        {"at": "opening", "say": 'Alice [TO: Bob, TONE: hard] "You opened my letter, Bob."'},
        {"at": "excuse", "say": 'Bob [TO: Alice, TONE: weak] "It was open already."\nCharlie: "It was not."'},
        {"at": "apology", "goal": 1, "say": 'Bob [TO: Alice, TONE: low] "I am sorry, Alice. I read it twice."'},
    ],
    "characters": list(CAST),
    "maxBeats": 6,
    "lookahead": False,
}
CALLS = 2 + 5 * 4
"""What a whole scene of six beats asks: the opener and the judge, then three characters and the judge."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """The code of a refusal, once its shape is seen to be the one shape."""
        body = self.json
        assert set(body) == {"success", "error"}, body
        assert body["success"] is False
        compatible = {"type", "param"} if "type" in body["error"] else set()  # where OpenAI's protocol is spoken
        assert set(body["error"]) == {"code", "message", "context"} | compatible
        assert body["error"]["message"]
        assert "Traceback" not in self.text
        return body["error"]["code"]


@dataclass(frozen=True)
class Sent:
    """One Server-Sent Event."""

    id: int
    event: str
    data: Any


class Client:
    """Short ways to ask."""

    async def ask(self, method: str, path: str, **how: Any) -> Answer:
        raise NotImplementedError

    async def get(self, path: str, **how: Any) -> Answer:
        return await self.ask("GET", path, **how)

    async def post(self, path: str, body: Any = None, **how: Any) -> Answer:
        return await self.ask("POST", path, **({"json": body} if body is not None else {}), **how)

    async def play(self, body: Any = None, **how: Any) -> str:
        """Start a scene; the id of its run."""
        answer = await self.post("/v1/scenes", body or {"scene": "argument"}, **how)
        assert answer.status == 202, answer.text
        return answer.json["run"]


@dataclass
class Insider(Client):
    """A client inside the process, without a socket."""

    client: httpx2.AsyncClient

    async def ask(self, method: str, path: str, data: Any = None, **how: Any) -> Answer:
        response = await self.client.request(method, path, content=data, **how)
        return Answer(
            response.status_code, {name.lower(): value for name, value in response.headers.items()}, response.text
        )


@dataclass
class Visitor(Client):
    """A client of one server over a socket, and a way behind the scenes."""

    url: str
    session: aiohttp.ClientSession
    server: GracefulServer
    studio: Studio

    async def ask(self, method: str, path: str, **how: Any) -> Answer:
        async with self.session.request(method, self.url + path, **how) as response:
            return Answer(
                response.status,
                {name.lower(): value for name, value in response.headers.items()},
                await response.text(errors="replace"),
            )

    async def follow(self, run: str, after: int = 0) -> AsyncIterator[Sent]:
        headers = {"Last-Event-ID": str(after)} if after else {}
        async with self.session.get(f"{self.url}/v1/runs/{run}/events", headers=headers) as response:
            async for fields, data in server_sent(response):
                yield Sent(int(fields["id"]), fields["event"], data)

    async def to_the_end(self, run: str) -> list[Sent]:
        return [sent async for sent in self.follow(run)]


def write_story(folder: Path, url: str = "") -> Path:
    """A project with one scene, played by the model server at `url`, else by the rehearsal company."""
    write_cards(folder, CAST)
    (folder / "scenes").mkdir()
    (folder / "scenes" / "argument.json").write_text(json.dumps(SCENE), encoding="utf-8")
    house = f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\nconcurrency = 2\n'
    models = '[models]\ndefault = "house/character"\ndirector = "house/character"\n[scenes]\nagent = "direct"\n'
    written = models + house if url else '[models]\ndefault = "rehearsal"\n'
    (folder / "dramaturg.toml").write_text(written, encoding="utf-8")
    return folder


def write_spoken_story(folder: Path) -> Path:
    """A story that the company plays and silence speaks, with an act."""
    write_story(folder)
    settings = '[models]\ndefault = "rehearsal"\n[voices]\nengine = "silent"\n'
    (folder / "dramaturg.toml").write_text(settings, encoding="utf-8")
    (folder / "acts").mkdir()
    (folder / "acts" / "quarrel.yaml").write_text("scenes:\n  - scene: argument\n", encoding="utf-8")
    return folder


@asynccontextmanager
async def inside(app: FastAPI) -> AsyncIterator[Insider]:
    """The app of a story, without a server around it."""
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        yield Insider(client)


@asynccontextmanager
async def served(where: Path | Settings | FastAPI) -> AsyncIterator[Visitor]:
    """A server for a story, on a real socket, until the block ends."""
    settings = read_settings(where, {}, trust=True) if isinstance(where, Path) else where
    app = settings if isinstance(settings, FastAPI) else create_app(settings)
    server = GracefulServer(app, settings.server if isinstance(settings, Settings) else None)
    with listen("127.0.0.1", 0) as sock:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            async with aiohttp.ClientSession() as session:
                await _answers(session, url, serving)
                yield Visitor(url, session, server, app.state.studio)
        finally:
            server.should_exit = True
            await serving


async def _answers(session: aiohttp.ClientSession, url: str, serving: asyncio.Task[None]) -> None:
    """Returns when the server answers, or has failed to start."""

    async def ask() -> None:
        async with session.get(f"{url}/healthz"):
            pass

    asking = asyncio.create_task(ask())
    await asyncio.wait({asking, serving}, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        asking.cancel()
        await serving
    await asking
