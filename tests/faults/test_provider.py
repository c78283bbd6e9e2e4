"""The provider refuses, breaks off, drips or never stops while a server plays: all of it ends, and is paid for once."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.settings import Settings
from tests.faults.audit import audit
from tests.faults.chaos import SCENE_WORDS, write_scenes
from tests.faults.chats import Chat, chat_with, write_episode
from tests.faults.provider_count import ProviderCount
from tests.faults.servers import House, Server, house
from tests.model_server import ModelServer

IMPATIENT = "[providers.house]\ntimeout = 2\nstream_timeout = 3\n"
EITHER = ("429", "500", "529", "cut", "garbage")
STREAMED = (*EITHER, "cut-stream", "error-in-stream", "no-end")
WHOLE = (*EITHER, "cut-body", "error-in-body")
SHARE = 0.3
CHATS, TURNS = 2, 3
STORM = 8
"""So many requests in a row fail: more than one question is tried."""

BEGUN = 5
"""The request with which the second beat of the scene is under way."""

Choose = Callable[[bool], str | None]
"""How a request fails, streamed or not; None if it is answered."""


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server, asyncio.timeout(250):
        yield server


@pytest.fixture
def place(store_settings: Settings, tmp_path: Path, models: ModelServer) -> House:
    made = house(tmp_path, models, store_settings.store.url)
    write_episode(made.story)
    write_scenes(made.story, 2)
    return made


class Misbehaviour:
    """Lets the requests to a provider fail as they are chosen to."""

    def __init__(self, models: ModelServer) -> None:
        self.count = ProviderCount(models, re.compile(SCENE_WORDS), 1)
        self.choose: Choose = lambda _streamed: None
        self.failed = 0
        self._models, self._take = models, models.on_request
        models.on_request = self._take_or_fail

    def storm(self, streamed: str, whole: str) -> None:
        """The next requests fail, whoever asks."""
        begun = self.failed
        self.choose = lambda is_stream: (streamed if is_stream else whole) if self.failed < begun + STORM else None

    def fail_at_random(self) -> None:
        chance = random.Random(17)
        self.choose = lambda is_stream: (
            chance.choice(STREAMED if is_stream else WHOLE) if chance.random() < SHARE else None
        )

    async def _take_or_fail(self, number: int, body: dict[str, Any]) -> None:
        await self._take(number, body)  # type: ignore[misc]
        if kind := self.choose(bool(body.get("stream"))):
            self.failed += 1
            self._models.fault(kind, retry_after="1" if kind == "429" else "")


@pytest.fixture
async def provider(models: ModelServer) -> Misbehaviour:
    made = Misbehaviour(models)
    await made.count.allow(10**9)
    return made


async def play(server: Server, number: int) -> str:
    _, started = await server.ask("POST", "/v1/scenes", json={"scene": f"night-{number}"})
    return await server.over(started["run"])


async def play_through(place: House, provider: Misbehaviour, begin: Callable[[], None]) -> int:
    """A scene and chats are played while the provider fails, to their end. Returns how many good answers were lost.

    Every log is whole, with each message once; nothing recorded was asked again; and the server plays on as before.
    """
    async with place.server() as server:
        chats = [await chat_with(server) for _ in range(CHATS)]
        playing = asyncio.create_task(play(server, 0))
        await place.models.received(BEGUN)
        begin()
        await asyncio.gather(*(chat.talk(TURNS) for chat in chats))
        assert await playing == "ended"
        assert provider.failed >= STORM
        await check_well(server, provider, chats)
        found = await audit(place)
        assert (found.gaps, found.twice, found.asked_again(provider.count)) == (0, 0, 0)
        assert found.found({chat.session: chat.answered for chat in chats}) == CHATS * (TURNS + 1)
        assert await place.read("SELECT id FROM runs WHERE status = 'playing'") == []
        return provider.count.total - provider.failed - found.answers


async def check_well(server: Server, provider: Misbehaviour, chats: list[Chat]) -> None:
    """When the provider is well again, so is the server: everything is answered at the first try."""
    provider.choose = lambda _streamed: None
    failures = [chat.failures for chat in chats]
    await asyncio.gather(*(chat.say() for chat in chats))
    assert [chat.failures for chat in chats] == failures
    assert await play(server, 1) == "ended"
    assert (await server.ask("GET", "/healthz"))[0] == 200
    assert "Traceback" not in server.errors.read_text(encoding="utf-8")


async def test_a_third_of_all_requests_fail_in_every_way_and_no_answer_is_lost(
    place: House, provider: Misbehaviour
) -> None:
    assert await play_through(place, provider, provider.fail_at_random) == 0


@pytest.mark.parametrize(
    ("streamed", "whole"),
    [
        ("429", "429"),
        ("cut-stream", "cut-body"),
        ("error-in-stream", "error-in-body"),
        ("garbage", "garbage"),
    ],
)
async def test_many_requests_in_a_row_fail_in_one_way_and_no_answer_is_lost(
    place: House, provider: Misbehaviour, streamed: str, whole: str
) -> None:
    assert await play_through(place, provider, lambda: provider.storm(streamed, whole)) == 0


@pytest.mark.parametrize("kind", ["hang", "drip", "endless"])
async def test_answers_that_never_come_to_their_end_are_given_up_after_the_provider_s_timeout(
    place: House, provider: Misbehaviour, kind: str
) -> None:
    file = place.story / "dramaturg.toml"
    patient = file.read_text(encoding="utf-8")
    file.write_text(patient.replace("[providers.house]\n", IMPATIENT), encoding="utf-8")
    await play_through(place, provider, lambda: provider.storm(kind, kind))
