"""A server is told to end while requests are being answered: each learns how it stands, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings
from tests.faults.chats import reply, write_episode
from tests.faults.servers import House, Server, house
from tests.model_server import ModelServer

IMPATIENT = "[server]\ndrain_seconds = 0.0\ngrace_seconds = 0.1\n"
SAID = {"text": "Is the ferry late?", "client_id": "the-first-message"}
COMPLETION = {"model": "episode/last-orders", "messages": [{"role": "user", "content": "Is the bar open?"}]}
COMPATIBLE = ("type", "param")
END = "event: done"


@pytest.fixture
def place(store_settings: Settings, tmp_path: Path, models: ModelServer) -> House:
    models.reply = reply
    made = house(tmp_path, models, store_settings.store.url)
    write_episode(made.story)
    settings = made.story / "dramaturg.toml"
    written = settings.read_text(encoding="utf-8").replace("concurrency = 2", "concurrency = 8")
    settings.write_text(written + IMPATIENT, encoding="utf-8")
    return made


async def begin(server: Server) -> tuple[str, dict[str, str]]:
    """A chat that has begun: its path, and the token of its player."""
    _, opened = await server.ask("POST", "/v1/sessions", json={"template": "last-orders"})
    return f"/v1/sessions/{opened['session']['id']}", {"X-Player-Token": opened["player_token"]}


@asynccontextmanager
async def ending(server: Server, models: ModelServer, asked: int) -> AsyncIterator[None]:
    """Once the provider was asked so often and does not answer, the server is told to end; it leaves no traceback."""
    await models.received(asked)
    server.send(signal.SIGTERM)
    yield
    await server.process.communicate()
    assert "Traceback" not in server.errors.read_text(encoding="utf-8")


async def test_requests_that_still_wait_when_the_grace_is_over_are_told_to_come_again(
    place: House, models: ModelServer
) -> None:
    async with place.server() as server:
        path, token = await begin(server)
        asked = len(models.requests)
        models.hold(at=asked + 1)
        draft = asyncio.create_task(server.session.post(f"{server.url}{path}/draft", headers=token))
        completion = asyncio.create_task(server.session.post(f"{server.url}/v1/chat/completions", json=COMPLETION))
        async with ending(server, models, asked + 2):
            refusals = [await draft, await completion]
        errors = [(await refusal.json())["error"] for refusal in refusals]
    assert [(one.status, one.headers["Retry-After"]) for one in refusals] == [(503, "2")] * 2
    assert {one.headers["X-Content-Type-Options"] for one in refusals} == {"nosniff"}
    assert [set(one) for one in errors] == [{"code", "message", "context"}, {"code", "message", "context", *COMPATIBLE}]
    assert errors[0]["code"] == "SHUTTING_DOWN"


async def test_streams_are_ended_in_order_and_the_next_server_answers_once(place: House, models: ModelServer) -> None:
    async with place.server() as server:
        path, token = await begin(server)
        asked = len(models.requests)
        models.hold(at=asked + 1)
        _, started = await server.ask("POST", "/v1/scenes", json={"scene": "argument"})
        scene = await server.session.get(f"{server.url}/v1/runs/{started['run']}/events")
        session = await server.session.get(f"{server.url}{path}/events", headers=token)
        turn = await server.session.post(f"{server.url}{path}/messages", json=SAID, headers=token)
        async with ending(server, models, asked + 2):
            # A response that is cut off is an error here.
            sent = [await stream.text() for stream in (scene, session, turn)]
    assert [END in text for text in sent] == [False, True, False]  # the greeting of the session had its own
    models.release()
    async with place.server() as server:
        again = await server.session.post(f"{server.url}{path}/messages", json=SAID, headers=token)
        assert END in await again.text()
        assert await server.over(started["run"]) == "ended"
    said = [json.loads(body) for (body,) in await place.read("SELECT body FROM events WHERE type = 'player.spoke'")]
    assert [one["client_id"] for one in said] == [SAID["client_id"]]
    assert set((await place.paid()).values()) == {1}
