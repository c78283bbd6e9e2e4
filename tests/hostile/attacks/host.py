"""A public host to attack: a token for its author, one episode open to players and one that is not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.server.app import create_app
from dramaturg.server.http.security_headers import HEADERS
from tests.episodes.staging import FLIRT
from tests.server.players import write_episode
from tests.server.visitor import CAST, SCENE, Answer, Visitor, served
from tests.stage import write_cards

TOKEN = "the-authors-own-key-to-the-house"
AUTHOR = {"Authorization": f"Bearer {TOKEN}"}
OPEN, CLOSED = "last-orders", "private-party"
LIMITS = "per_player = 100000\nper_address = 1000000\nburst = 1000\n"
SECURITY = tuple(name.lower() for name in HEADERS)


def public_settings(folder: Path, players: str = "", server: str = "", more: str = "") -> Settings:
    """A project with an open and a closed episode; `players` and `server` are lines of those tables."""
    limits = "" if "per_address" in players else LIMITS
    tables = (
        f'[players]\nopen = ["{OPEN}"]\n{limits}{players}\n[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n{server}\n'
    )
    quiet = '[voices]\nengine = "silent"\n'
    closed = {**FLIRT, "name": CLOSED, "title": "A private party"}
    story = write_episode(folder, FLIRT, closed, more=f"{tables}{quiet}{more}")
    write_cards(story, CAST)
    (story / "scenes").mkdir()
    (story / "scenes" / "argument.json").write_text(json.dumps(SCENE), encoding="utf-8")
    return read_settings(story, {"DRAMATURG_STAGE_DOOR": TOKEN}, trust=True)


@dataclass
class Player:
    """A player of the open episode: their token and session."""

    token: str
    session: str
    share: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Player-Token": self.token}


@dataclass
class Host:
    """The server under attack. Every response is checked for the headers that each must have."""

    visitor: Visitor
    asked: int = field(default=0)

    async def ask(self, method: str, path: str, **how: Any) -> Answer:
        """The answer; of a stream that has begun, only its status and headers."""
        self.asked += 1
        async with self.visitor.session.request(method, self.visitor.url + path, **how) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            check_headers(headers, f"{method} {path}")
            endless = response.content_type == "text/event-stream"
            return Answer(response.status, headers, "" if endless else await response.text(errors="replace"))

    async def arrive(self, template: str = OPEN, headers: Mapping[str, str] | None = None, **more: Any) -> Player:
        body = {"template": template, **more}
        answer = await self.ask("POST", "/v1/sessions", json=body, headers=dict(headers or {}))
        assert answer.status == 201, answer.text
        return Player(answer.json["player_token"], answer.json["session"]["id"])

    async def play_to_the_end(self, player: Player) -> Player:
        """Three turns, then a share of the result."""
        path = f"{self.visitor.url}/v1/sessions/{player.session}"
        for words in ("Hello.", "Is it always this quiet?", "Then I will stay."):
            async with self.visitor.session.post(
                f"{path}/messages", json={"text": words}, headers=player.headers
            ) as response:
                assert response.status == 200
                await response.read()
        await self.visitor.studio.episodes.settle(player.session)
        base = f"/v1/sessions/{player.session}"
        preview = await self.ask("POST", f"{base}/share/preview", json={}, headers=player.headers)
        assert preview.status == 200, preview.text
        body = {"seen": preview.json["seen"]}
        shared = await self.ask("POST", f"{base}/share", json=body, headers=player.headers)
        player.share = shared.json["share_id"]
        return player


def check_headers(headers: Mapping[str, str], where: str) -> None:
    assert set(SECURITY) <= set(headers), f"{where} lacks {set(SECURITY) - set(headers)}"
    assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]


@asynccontextmanager
async def public_host(settings: Settings, *, hosts: tuple[str, ...] | None = None) -> AsyncIterator[Host]:
    app = create_app(settings, hosts=hosts)
    async with served(app) as visitor:
        yield Host(visitor)


@asynccontextmanager
async def raw_session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session
