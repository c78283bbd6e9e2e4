"""Two servers on one database: a chat on one is followed on the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from dramaturg.kernel.settings import Settings
from tests.episodes.staging import FLIRT
from tests.server.players import Sent, streamed, words, write_episode
from tests.server.test_restart import process

TURNS = 8


@pytest.fixture
def servers(store_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose processes share a database."""
    if store_settings.store.url:
        monkeypatch.setenv("DRAMATURG_STORE_URL", store_settings.store.url)
    return write_episode(tmp_path / "chat", {**FLIRT, "completion_mode": "open", "evaluation": None})


class Chat:
    """A session, and its player at one of the servers."""

    def __init__(self, client: aiohttp.ClientSession, session: str, token: str) -> None:
        self._client = client
        self._session = session
        self.headers = {"X-Player-Token": token}

    async def say(self, url: str, text: str) -> list[Sent]:
        path = f"{url}/v1/sessions/{self._session}/messages"
        async with self._client.post(path, json={"text": text}, headers=self.headers) as response:
            return [one async for one in streamed(response)]

    async def delete(self, url: str) -> None:
        async with self._client.delete(f"{url}/v1/sessions/{self._session}", headers=self.headers) as response:
            assert response.status == 204, await response.text()

    async def is_gone(self, url: str) -> bool:
        async with self._client.get(f"{url}/v1/sessions/{self._session}", headers=self.headers) as response:
            return response.status == 404

    @asynccontextmanager
    async def followed(self, url: str, after: str = "") -> AsyncIterator[AsyncIterator[Sent]]:
        headers = {**self.headers, **({"Last-Event-ID": after} if after else {})}
        async with self._client.get(f"{url}/v1/sessions/{self._session}/events", headers=headers) as response:
            assert response.status == 200, await response.text()
            yield streamed(response)


@asynccontextmanager
async def two_servers(project: Path) -> AsyncIterator[tuple[str, str, Chat]]:
    """Their addresses, and a session that was opened at the first."""
    async with (
        asyncio.timeout(240),
        aiohttp.ClientSession() as client,
        process(project) as (_, first),
        process(project) as (_, second),
    ):
        async with client.post(f"{first}/v1/sessions", json={"template": "last-orders"}) as response:
            opened = await response.json()
            assert response.status == 201, opened
        yield first, second, Chat(client, opened["session"]["id"], opened["player_token"])


async def until_done(events: AsyncIterator[Sent], turns: int) -> list[Sent]:
    """What is shown until so many messages of the player are answered; the opening is nobody's message."""
    heard: list[Sent] = []
    async for one in events:
        heard.append(one)
        if answered(heard) == turns:
            break
    return heard


def answered(events: list[Sent]) -> int:
    return sum(one["type"] == "done" and bool(one["client_id"]) for one in events)


async def test_every_turn_of_a_chat_is_seen_at_the_other_server_and_who_was_cut_off_goes_on_there(
    servers: Path,
) -> None:
    async with two_servers(servers) as (first, second, chat):
        async with chat.followed(second) as events:
            following = asyncio.create_task(until_done(events, TURNS))
            said = [await chat.say(first, f"Word {n}.") for n in range(TURNS)]
            heard = await following
        assert answered([one for turn in said for one in turn]) == TURNS
        async with chat.followed(first) as events:
            whole = await until_done(events, TURNS)
        cut = len(whole) // 2
        async with chat.followed(second, whole[cut]["id"]) as events:
            rest = await until_done(events, answered(whole[cut + 1 :]))
    for seen in (heard, whole):
        assert answered(seen) == TURNS
        assert words(seen) == "".join(words(turn) for turn in said)
    assert words(rest) == words(whole[cut + 1 :])
    assert [one["id"] for one in rest if one["type"] != "chunk"] == [
        one["id"] for one in whole[cut + 1 :] if one["type"] != "chunk"
    ]


async def test_followers_of_both_servers_see_a_chat_that_goes_from_one_to_the_other(servers: Path) -> None:
    async with (
        two_servers(servers) as (first, second, chat),
        chat.followed(first) as here,
        chat.followed(second) as there,
    ):
        following = [asyncio.create_task(until_done(events, 4)) for events in (here, there)]
        said = [await chat.say(url, "Word.") for url in (first, second, first, second)]
        heard = await asyncio.gather(*following)
    for one in heard:
        assert answered(one) == 4
        assert words(one) == "".join(words(turn) for turn in said)


async def test_a_session_that_is_deleted_at_one_server_ends_for_those_who_follow_it_at_the_other(servers: Path) -> None:
    async with two_servers(servers) as (first, second, chat), chat.followed(second) as events:
        await anext(events)
        await chat.delete(first)
        async for one in events:  # it has an end, which is what this is about
            assert one["type"] != "chunk"
        assert await chat.is_gone(second)


async def test_a_question_that_a_chat_program_sends_to_both_servers_is_asked_once(servers: Path) -> None:
    body = {"model": "episode/last-orders", "messages": [{"role": "user", "content": "Good evening."}]}

    async with two_servers(servers) as (first, second, _), aiohttp.ClientSession() as client:

        async def ask(url: str) -> tuple[int, str, str]:
            async with client.post(f"{url}/v1/chat/completions", json=body) as response:
                return response.status, response.headers.get("X-Dramaturg-Session", ""), await response.text()

        answers = await asyncio.gather(ask(first), ask(second))
    assert [status for status, _, _ in answers] == [200, 200], answers
    assert len({session for _, session, _ in answers}) == 1
