"""A player of episodes who visits a server."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from dramaturg.kernel.models.port import Model
from tests.episodes.staging import FLIRT, write_project
from tests.one_model import OneModel
from tests.server.event_stream import server_sent
from tests.server.visitor import Answer, Visitor

EXAMPLES = Path(__file__).parents[2] / "examples"
Sent = dict[str, Any]


def write_episode(folder: Path, *templates: dict[str, object], more: str = "") -> Path:
    """A project with one episode of three turns; nothing of it is limited unless `more` says so."""
    folder.mkdir()
    write_project(folder, *(templates or (FLIRT,)))
    limits = "" if "[players]" in more else "[players]\nper_player = 100000\nper_address = 1000000\nburst = 1000\n"
    (folder / "dramaturg.toml").write_text(f'[models]\ndefault = "rehearsal"\n{limits}{more}', encoding="utf-8")
    return folder


def example(name: str, folder: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / name, folder))


def played_by(visitor: Visitor, model: Model) -> None:
    """Another model behind every name."""
    visitor.studio.resources.gateway = OneModel(model)  # type: ignore[assignment]


async def streamed(response: aiohttp.ClientResponse) -> AsyncIterator[Sent]:
    async for fields, data in server_sent(response):
        assert (data["type"], data["id"]) == (fields["event"], fields["id"])
        yield data


@dataclass
class Guest:
    """One player: their token, and a session."""

    visitor: Visitor
    token: str
    session: str
    view: dict[str, Any]

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Player-Token": self.token}

    def path(self, rest: str = "") -> str:
        return f"/v1/sessions/{self.session}{rest}"

    async def ask(self, method: str, rest: str = "", body: Any = None) -> Answer:
        how = {"json": body} if body is not None else {}
        return await self.visitor.ask(method, self.path(rest), headers=self.headers, **how)

    async def stream(self, rest: str, body: Any = None) -> list[Sent]:
        how = {"json": body} if body is not None else {}
        url = self.visitor.url + self.path(rest)
        async with self.visitor.session.post(url, headers=self.headers, **how) as response:
            return [one async for one in streamed(response)]

    async def say(self, text: str, client_id: str | None = None) -> list[Sent]:
        body = {"text": text} if client_id is None else {"text": text, "client_id": client_id}
        return await self.stream("/messages", body)

    async def follow(self, after: str = "", until: str = "done") -> list[Sent]:
        """What is shown after a place, up to the first event of that type."""
        headers = {**self.headers, **({"Last-Event-ID": after} if after else {})}
        found: list[Sent] = []
        async with self.visitor.session.get(self.visitor.url + self.path("/events"), headers=headers) as response:
            async for one in streamed(response):
                found.append(one)
                if one["type"] == until:
                    break
        return found

    async def now(self) -> dict[str, Any]:
        return (await self.ask("GET")).json


async def begin(visitor: Visitor, template: str = "last-orders", token: str | None = None, **more: Any) -> Guest:
    headers = {"X-Player-Token": token} if token else {}
    answer = await visitor.post("/v1/sessions", {"template": template, **more}, headers=headers)
    assert answer.status == 201, answer.text
    opened = answer.json
    assert answer.headers["location"] == f"/v1/sessions/{opened['session']['id']}"
    return Guest(visitor, opened["player_token"], opened["session"]["id"], opened["session"])


def types(events: list[Sent]) -> list[str]:
    return [one["type"] for one in events]


def words(events: list[Sent]) -> str:
    return "".join(one["content"] for one in events if one["type"] == "chunk")
