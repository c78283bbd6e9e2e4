"""A player's token ends while messages wait: what was written is kept, and nothing more is asked of a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.database import Statement
from dramaturg.kernel.store.transactions import in_sequence
from dramaturg.studio import Studio
from tests.episodes.staging import FLIRT, Halting, kind_of, spoken
from tests.server.players import Guest, Sent, begin, played_by, streamed, types, words, write_episode
from tests.server.visitor import Visitor, served

TALK: dict[str, object] = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
QUIET = "[episodes]\nextraction = false\n"
ANSWER = "One lamp is still lit, and I am not going to tell you why that is."


@pytest.fixture
def model() -> Halting:
    return Halting(spoken(ANSWER), after=3)


@pytest.fixture
async def visitor(tmp_path: Path, model: Halting) -> AsyncIterator[Visitor]:
    async with served(write_episode(tmp_path / "story", TALK, more=QUIET)) as visiting:
        played_by(visiting, model)
        yield visiting


@pytest.fixture
async def anna(visitor: Visitor) -> Guest:
    return await begin(visitor, name="Anna")


@pytest.fixture
async def talk(anna: Guest, model: Halting) -> AsyncIterator[dict[str, aiohttp.ClientResponse]]:
    """The responses to a message of Anna's whose answer has begun, and to two that wait for it."""
    async with asyncio.timeout(120), AsyncExitStack() as stack:
        responses: dict[str, aiohttp.ClientResponse] = {}
        for client_id in ("c1", "c2", "c3"):
            body = {"text": f"This is {client_id}.", "client_id": client_id}
            url = anna.visitor.url + anna.path("/messages")
            sent = anna.visitor.session.post(url, headers=anna.headers, json=body)
            responses[client_id] = await stack.enter_async_context(sent)
        await model.reached.wait()
        yield responses


async def heard(response: aiohttp.ClientResponse) -> list[Sent]:
    return [one async for one in streamed(response)]


def token_id(guest: Guest) -> str:
    return guest.token.split(".")[2]


def asked(model: Halting) -> int:
    return len([one for one in model.requests if kind_of(one) == "answer"])


async def with_another_token(guest: Guest) -> Guest:
    player = guest.view["player"]["id"]
    return replace(guest, token=(await guest.visitor.post("/v1/tokens", {"player": player})).json["player_token"])


async def by_the_host(guest: Guest) -> None:
    assert (await guest.visitor.ask("DELETE", f"/v1/tokens/{token_id(guest)}")).status == 204


async def by_the_player(guest: Guest) -> None:
    assert (await guest.visitor.ask("DELETE", "/v1/players/me/token", headers=guest.headers)).status == 204


async def by_another_process(guest: Guest) -> None:
    async with Studio.open(read_settings(guest.visitor.studio.settings.project, {}, trust=True)) as other:
        await other.episodes.players.revoke_token(token_id(guest))


async def by_its_date(guest: Guest) -> None:
    store = await open_store(guest.visitor.studio.settings)
    sql = "UPDATE player_tokens SET expires_at = 1 WHERE id = :id"
    await store.database.write(in_sequence(Statement(sql, {"id": token_id(guest)})))
    await store.close()


@pytest.mark.parametrize("end", [by_the_host, by_the_player, by_another_process, by_its_date])
async def test_what_waits_when_the_last_token_ends_is_kept_and_not_asked_of_a_model(
    end: Callable[[Guest], Awaitable[None]],
    anna: Guest,
    talk: dict[str, aiohttp.ClientResponse],
    model: Halting,
) -> None:
    await end(anna)
    model.go.set()
    for client_id in ("c2", "c3"):
        told = await heard(talk[client_id])
        assert [one["code"] for one in told if one["type"] == "error"] == ["PLAYER_TOKEN_REVOKED"]
        assert words(told) == ""
    await anna.visitor.studio.episodes.settle(anna.session)
    assert asked(model) == 1
    shown = await (await with_another_token(anna)).now()
    assert [(one["role"], one["content"]) for one in shown["messages"]][1:] == [
        ("player", "This is c1."),
        ("character", f'*She wipes a glass*\n"{ANSWER}"'),
        ("player", "This is c2."),
        ("player", "This is c3."),
    ]


async def test_a_player_who_has_another_token_is_answered(
    anna: Guest, talk: dict[str, aiohttp.ClientResponse], model: Halting
) -> None:
    await with_another_token(anna)
    await by_the_host(anna)
    model.go.set()
    assert types(await heard(talk["c3"]))[-2:] == ["message_complete", "done"]
    assert asked(model) == 3


async def test_so_is_one_who_renews_a_token_while_messages_wait(
    anna: Guest, talk: dict[str, aiohttp.ClientResponse], model: Halting
) -> None:
    assert (await anna.visitor.ask("POST", "/v1/players/me/token", headers=anna.headers)).status in (200, 201)
    model.go.set()
    assert types(await heard(talk["c3"]))[-2:] == ["message_complete", "done"]
    assert asked(model) == 3
