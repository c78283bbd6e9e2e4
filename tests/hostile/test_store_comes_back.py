"""The disk is full or the database away, and then back: what was paid for is stored, and everything goes on."""

from __future__ import annotations

import asyncio
import json
import resource
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from dramaturg.kernel.settings import read_settings
from tests.model_server import ModelServer
from tests.postgres import RestartableServer, restartable_postgres
from tests.scenes.test_kill_and_resume import line_for
from tests.server.players import write_episode
from tests.server.test_restart import process
from tests.server.visitor import CALLS, Visitor, served, write_story

BEAT = 11
"""The first question of a beat: three characters, of which two are asked at once."""


@dataclass
class Place:
    """A server in a process of its own, whose disk can be filled."""

    url: str
    pid: int
    session: aiohttp.ClientSession

    def fill_disk(self) -> None:
        """From now on no file of that process can grow, as on a full disk."""
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def make_room(self) -> None:
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    async def ask(self, method: str, path: str, **how: Any) -> tuple[int, Any]:
        async with self.session.request(method, self.url + path, **how) as response:
            text = await response.text()
            is_json = response.content_type == "application/json"
            return response.status, json.loads(text) if is_json else text

    async def until(self, status: int, method: str, path: str) -> Any:
        """Asks until the answer has this status."""
        while True:
            answered, body = await self.ask(method, path)
            if answered == status:
                return body

    async def over(self, run: str) -> str:
        """The status of a run that does not play any more."""
        while (status := (await self.ask("GET", f"/v1/runs/{run}"))[1]["status"]) == "playing":
            continue
        return status


@asynccontextmanager
async def serving(story: Path) -> AsyncIterator[Place]:
    async with asyncio.timeout(240), aiohttp.ClientSession() as session, process(story) as (server, url):
        yield Place(url, server.pid, session)


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        server.reply = line_for
        yield server


@pytest.fixture
def postgres_of_its_own() -> Iterator[RestartableServer]:
    with restartable_postgres() as server:
        yield server


def story_with(folder: Path, models: str, **store: object) -> Path:
    story = write_story(folder / "story", models)
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in store.items())
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(f"[store]\n{lines}")
    return story


def answers_in(story: Path) -> Counter[str]:
    with sqlite3.connect(f"file:{story / 'data' / 'dramaturg.db'}?mode=ro", uri=True) as db:
        rows = db.execute("select body from events where type = 'model.answered'").fetchall()
    return Counter(json.loads(body)["key"] for (body,) in rows)


async def into_a_beat(place: Place, models: ModelServer) -> str:
    """A scene is being played, and two characters of a beat are asked."""
    models.hold(at=BEAT)
    _, started = await place.ask("POST", "/v1/scenes", json={"scene": "argument"})
    await models.received(BEAT + 1)
    return started["run"]


async def answer_unheard(models: ModelServer) -> None:
    """Both answer. The third character is asked once the first answer is here and waits to be stored."""
    models.release()
    await models.received(BEAT + 2)


async def test_answers_that_come_while_the_disk_is_full_are_stored_when_there_is_room(
    tmp_path: Path, models: ModelServer
) -> None:
    story = story_with(tmp_path, models.url)
    async with serving(story) as place:
        run = await into_a_beat(place, models)
        place.fill_disk()
        await answer_unheard(models)
        status, body = await place.ask("GET", "/healthz")
        assert (status, body["error"]["code"]) == (503, "STORE_UNAVAILABLE")
        place.make_room()
        assert await place.over(run) == "ended"
        assert (await place.ask("GET", "/healthz"))[0] == 200
    assert set(answers_in(story).values()) == {1}
    assert len(models.requests) == answers_in(story).total() == CALLS


async def test_a_run_that_waited_long_enough_pauses_with_the_reason_and_is_resumed_without_paying_twice(
    tmp_path: Path, models: ModelServer
) -> None:
    story = story_with(tmp_path, models.url, wait=0)
    async with serving(story) as place:
        run = await into_a_beat(place, models)
        place.fill_disk()
        await answer_unheard(models)
        refused = await place.until(503, "POST", f"/v1/runs/{run}/resume")
        assert "paused" in refused["error"]["message"]
        place.make_room()
        assert await place.over(run) == "stopped"
        _, shown = await place.ask("GET", f"/v1/runs/{run}")
        assert shown["metadata"]["reason"] == "store_unavailable"
        assert (await place.ask("POST", f"/v1/runs/{run}/resume"))[0] == 202
        assert await place.over(run) == "ended"
    assert len(models.requests) == answers_in(story).total() == CALLS


@pytest.mark.parametrize("wait", [0, 60])
async def test_a_session_goes_on_after_the_disk_was_full_without_a_restart(tmp_path: Path, wait: int) -> None:
    story = write_episode(tmp_path / "story", more=f"[store]\nwait = {wait}\n")
    async with serving(story) as place:
        _, opened = await place.ask("POST", "/v1/sessions", json={"template": "last-orders"})
        player = {"X-Player-Token": opened["player_token"]}
        messages = f"/v1/sessions/{opened['session']['id']}/messages"
        place.fill_disk()
        said = asyncio.create_task(place.ask("POST", messages, json={"text": "Hi.", "client_id": "a"}, headers=player))
        await place.until(503, "GET", "/healthz")
        if not wait:
            assert (await said)[0] == 503
        place.make_room()
        if wait:
            status, heard = await said
            assert (status, "event: done" in heard) == (200, True)
        for client_id in ("a", "b"):
            status, heard = await place.ask(
                "POST", messages, json={"text": "Hi.", "client_id": client_id}, headers=player
            )
            assert (status, "event: done" in heard) == (200, True), heard
        _, view = await place.ask("GET", messages.removesuffix("/messages"), headers=player)
        assert [one["role"] for one in view["messages"]].count("player") == 2


@pytest.mark.parametrize("ended", ["stop", "kill"])
async def test_answers_that_come_while_the_database_is_stopped_are_stored_when_it_is_started(
    tmp_path: Path, models: ModelServer, postgres_of_its_own: RestartableServer, ended: str
) -> None:
    story = story_with(tmp_path, models.url, url=postgres_of_its_own.url)
    async with asyncio.timeout(240), served(read_settings(story, {}, trust=True)) as visitor:
        run = await begun(visitor, models)
        await asyncio.to_thread(getattr(postgres_of_its_own, ended))
        await answer_unheard(models)
        assert (await visitor.get("/healthz")).status == 503
        await asyncio.to_thread(postgres_of_its_own.start)
        assert await over(visitor, run) == "ended"
        assert (await visitor.get("/healthz")).status == 200
    assert len(models.requests) == CALLS


async def test_a_scene_is_cancelled_and_deleted_after_the_database_was_stopped_for_too_long(
    tmp_path: Path, models: ModelServer, postgres_of_its_own: RestartableServer
) -> None:
    story = story_with(tmp_path, models.url, url=postgres_of_its_own.url, wait=0)
    async with asyncio.timeout(240), served(read_settings(story, {}, trust=True)) as visitor:
        run = await begun(visitor, models)
        await asyncio.to_thread(postgres_of_its_own.stop)
        await answer_unheard(models)
        while visitor.studio.engine.is_playing(run):
            await visitor.get("/healthz")
        await asyncio.to_thread(postgres_of_its_own.start)
        cancelled = await visitor.post(f"/v1/runs/{run}/cancel")
        assert (cancelled.status, cancelled.json.get("status")) == (200, "stopped"), cancelled.text
        assert (await visitor.ask("DELETE", f"/v1/runs/{run}")).status == 204
    assert len(models.requests) == BEAT + 2


async def begun(visitor: Visitor, models: ModelServer) -> str:
    models.hold(at=BEAT)
    run = await visitor.play()
    await models.received(BEAT + 1)
    return run


async def over(visitor: Visitor, run: str) -> str:
    while True:
        answer = await visitor.get(f"/v1/runs/{run}")
        if answer.status == 200 and answer.json["status"] != "playing":
            return answer.json["status"]


async def test_a_file_that_is_moved_away_is_noticed_and_one_that_is_put_back_is_written_again(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story")
    file, away = story / "data" / "dramaturg.db", tmp_path / "away.db"
    async with serving(story) as place:
        status, opened = await place.ask("POST", "/v1/sessions", json={"template": "last-orders"})
        assert status == 201
        file.rename(away)
        status, body = await place.ask("GET", "/healthz")
        assert (status, body["error"]["code"]) == (503, "STORE_UNAVAILABLE")
        assert "its file was deleted or moved away" in body["error"]["message"]
        assert str(story) not in body["error"]["message"]
        headers = {"X-Player-Token": opened["player_token"]}
        path = f"/v1/sessions/{opened['session']['id']}/messages"
        assert (await place.ask("POST", path, json={"text": "Hello."}, headers=headers))[0] == 503
        assert (await place.ask("POST", "/v1/sessions", json={"template": "last-orders"}))[0] == 503
        assert not file.exists()
        away.rename(file)
        await place.until(200, "GET", "/healthz")
        assert (await place.ask("POST", path, json={"text": "Hello."}, headers=headers))[0] == 200
