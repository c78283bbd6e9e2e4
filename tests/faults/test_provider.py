"""The provider refuses, breaks off, drips or never stops while a server plays: everything ends, and is paid once."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.settings import Settings
from tests.faults.audit import audit
from tests.faults.chats import write_episode
from tests.faults.provider_count import ProviderCount
from tests.faults.servers import House, Server, house
from tests.model_server import ModelServer

IMPATIENT = "concurrency = 2\ntimeout = 2\nstream_timeout = 4\n"
MIX = ("429", "500", "529", "cut", "cut-body", "cut-stream", "garbage", "error-in-body", "error-in-stream", "no-end")
SHARE = 0.3
TURNS = 2


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server, asyncio.timeout(250):
        yield server


@pytest.fixture
def place(store_settings: Settings, tmp_path: Path, models: ModelServer) -> House:
    made = house(tmp_path, models, store_settings.store.url)
    file = made.story / "dramaturg.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("concurrency = 2\n", IMPATIENT), encoding="utf-8")
    write_episode(made.story)
    return made


class Chat:
    """A player who says everything until it is answered."""

    def __init__(self, server: Server, opened: dict[str, Any]) -> None:
        self._server = server
        self.session = str(opened["session"]["id"])
        self._token = {"X-Player-Token": str(opened["player_token"])}
        self.answered: list[str] = []

    async def say(self, key: str) -> list[str]:
        """The types of what was shown at each try."""
        path, tries = f"/v1/sessions/{self.session}/messages", list[str]()
        while True:
            message = {"text": f"Word {key}.", "client_id": f"message-{key}"}
            status, told = await self._server.ask("POST", path, json=message, headers=self._token)
            assert status == 200, told
            shown = re.findall(r"^event: (\S+)", told, re.M)
            tries.append(shown[-1])
            if "error" not in shown:
                self.answered.append(message["client_id"])
                return tries


async def chat_with(server: Server) -> Chat:
    status, opened = await server.ask("POST", "/v1/sessions", json={"template": "last-orders"})
    assert status == 201, opened
    return Chat(server, opened)


async def check_whole(place: House, count: ProviderCount, chats: list[Chat]) -> None:
    """No entry is missing or doubled, no recorded question was asked again, and every message is there once."""
    found = await audit(place)
    assert (found.gaps, found.twice, found.asked_again(count)) == (0, 0, 0)
    assert found.found({chat.session: chat.answered for chat in chats}) == sum(len(chat.answered) for chat in chats)
    assert await place.read("SELECT id FROM runs WHERE status = 'playing' AND kind <> 'episode'") == []


async def test_a_third_of_all_answers_fail_in_every_way_and_scenes_and_chats_end(
    place: House, models: ModelServer
) -> None:
    count, chance = ProviderCount(models, re.compile("They argue"), 1), random.Random(17)
    await count.allow(10**9)
    take = models.on_request
    assert take is not None

    async def fail_some(number: int, body: dict[str, Any]) -> None:
        if chance.random() < SHARE:
            models.fault(chance.choice(MIX))
        await take(number, body)  # type: ignore[misc]

    models.on_request = fail_some
    async with place.server() as server:
        chats = [await chat_with(server) for _ in range(3)]
        _, started = await server.ask("POST", "/v1/scenes", json={"scene": "argument"})
        await asyncio.gather(*(chat.say(f"{number}") for number in range(TURNS) for chat in chats))
        assert await server.over(started["run"]) == "ended"
        assert (await server.ask("GET", "/healthz"))[0] == 200
    await check_whole(place, count, chats)


@pytest.mark.parametrize("kind", ["hang", "drip", "endless", "garbage", "cut-stream", "error-in-stream", "429"])
async def test_a_player_whose_answer_never_comes_to_its_end_is_told_and_answered_at_the_next_try(
    place: House, models: ModelServer, kind: str
) -> None:
    count = ProviderCount(models, re.compile("They argue"), 1)
    async with place.server() as server:
        chat = await chat_with(server)
        await chat.say("0")
        models.fault(kind, times=4)  # as often as it is tried
        tries = await chat.say("1")
        assert tries == ["error", "done"]
        assert await chat.say("2") == ["done"]
        assert (await server.ask("GET", "/healthz"))[0] == 200
    await check_whole(place, count, [chat])
