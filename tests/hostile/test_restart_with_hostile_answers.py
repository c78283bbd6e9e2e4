"""Answers that once stopped the house are in the log, the server is killed, and the next one plays on from them."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.episodes.staging import FLIRT, spoken, write_project
from tests.model_server import Asked, ModelServer
from tests.model_server.protocols import prompt_of
from tests.scenes.test_kill_and_resume import line_for
from tests.server.test_restart import process
from tests.server.visitor import write_story
from tests.workshop.workroom import saying

TEXTS = {
    "a fence and newlines": "```" + "\n" * 1600,
    "a brace and spaces": "{" + " " * 20_000,
    "quotes": '"' * 20_000,
    "dashes": "- " * 10_000,
    "objects": '{"a":' * 3_000,
    "an angle and spaces": "<" + " " * 20_000,
    "tags": "<key>" * 4_000,
}
FOREMANS = ("an angle and spaces", "tags")
MARK = "It is about {}."
"""Said in a scene or a message, and so in the prompts that follow from it: which text is the answer."""
ELSE = "And now something else."
EPISODE = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
SCENE = {"characters": ["alice", "bob"], "maxBeats": 3, "lookahead": False}


@dataclass
class Provider:
    """Gives each text once to whoever is told of it, and then talks sense. Bob waits until the server was killed."""

    killed: asyncio.Event = field(default_factory=asyncio.Event)
    given: list[str] = field(default_factory=list)
    """The questions that were answered with a hostile text."""

    async def wait(self, number: int, body: dict[str, Any]) -> None:
        if prompt_of(body).endswith("Beat 1. Bob:"):
            await self.killed.wait()

    def reply(self, asked: Asked) -> str:
        if "natural_end" in asked.prompt or " Bob:" in asked.prompt[-20:] or asked.prompt.endswith("Beat 0. Alice:"):
            return line_for(asked)
        if "worth keeping" in asked.prompt:
            return "{}"
        question = json.dumps(asked.body)
        last = asked.prompt.rpartition("user:")[2]
        about = asked.prompt if last.endswith("Beat 1. Alice:") else "" if ELSE in last else last
        if hostile := next((text for name, text in TEXTS.items() if MARK.format(name) in about), ""):
            self.given.append(question)
            return hostile
        if "THE FOREMAN" in asked.prompt:
            return saying("And on.")
        return line_for(asked) if "Alice:" in asked.prompt[-20:] else spoken()


@dataclass
class Client:
    """Someone at a server who plays, talks and consults."""

    url: str
    session: aiohttp.ClientSession

    async def ask(self, method: str, path: str, **how: Any) -> str:
        async with self.session.request(method, self.url + path, **how) as response:
            text = await response.text()
            assert response.status < 400, (path, text[:300])
            return text

    async def play(self, name: str) -> str:
        scene = {**SCENE, "name": name, "prompt": f"They argue. {MARK.format(name)}"}
        return str(json.loads(await self.ask("POST", "/v1/scenes", json=scene))["run"])

    async def arrive(self) -> tuple[str, dict[str, str]]:
        opened = json.loads(await self.ask("POST", "/v1/sessions", json={"template": FLIRT["name"]}))
        return opened["session"]["id"], {"X-Player-Token": opened["player_token"]}

    async def say(self, session: str, token: dict[str, str], text: str) -> str:
        return await self.ask("POST", f"/v1/sessions/{session}/messages", json={"text": text}, headers=token)

    async def consult(self, text: str) -> str:
        return await self.ask("POST", "/v1/projects/main/consult", json={"message": text})


def rows(story: Path, sql: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(story / "data" / "dramaturg.db")) as db, db:
        return db.execute(sql, values).fetchall()


async def logged(story: Path, key: str, count: int) -> None:
    """Returns when so many answers to questions of that name are in the log."""
    like = f'%"key":"{key}"%'
    while len(rows(story, "SELECT 1 FROM events WHERE type = 'model.answered' AND body LIKE ?", like)) < count:
        await asyncio.sleep(0.02)


async def settled(story: Path, run: str) -> str:
    """The status of a run as soon as nobody plays it."""
    while (status := rows(story, "SELECT status FROM runs WHERE id = ?", run)[0][0]) == "playing":
        await asyncio.sleep(0.02)
    return str(status)


def forget_what_followed(story: Path, run: str) -> None:
    """Leaves a log as if its process had died right after the last answer was stored: nobody has read it yet."""
    asked = "type = 'model.answered' AND json_extract(body, '$.purpose') IN ('acting', 'writing')"
    ((last,),) = rows(story, f"SELECT max(seq) FROM events WHERE run_id = ? AND {asked}", run)
    rows(story, "DELETE FROM events WHERE run_id = ? AND seq > ?", run, last)
    rows(story, "UPDATE runs SET status = 'playing' WHERE id = ?", run)
    rows(story, "UPDATE sessions SET seq = ? WHERE id = ?", last, run)


def answered_once(story: Path) -> None:
    keys = rows(story, "SELECT run_id, json_extract(body, '$.key') FROM events WHERE type = 'model.answered'")
    assert set(Counter(keys).values()) == {1}, [key for key, count in Counter(keys).items() if count > 1]


async def test_a_server_that_died_with_a_hostile_answer_in_its_log_plays_on_and_asks_nobody_again(
    tmp_path: Path,
) -> None:
    provider = Provider()
    async with ModelServer() as models, aiohttp.ClientSession() as http:
        models.reply, models.on_request = provider.reply, provider.wait
        story = write_story(tmp_path / "story", models.url)
        write_project(story, EPISODE)
        settings = (story / "dramaturg.toml").read_text(encoding="utf-8")
        settings = settings.replace("concurrency = 2", "concurrency = 40")
        (story / "dramaturg.toml").write_text(f'{settings}\n[workshop]\nagent = "direct"\n', encoding="utf-8")

        async with process(story) as (first, url):
            client = Client(url, http)
            scenes = [await client.play(name) for name in TEXTS]
            sessions = {name: await client.arrive() for name in TEXTS}
            for name, (session, token) in sessions.items():
                assert "event: done" in await client.say(session, token, MARK.format(name))
            assert "event: done" in await client.consult(MARK.format(FOREMANS[0]))
            await logged(story, "beat-1/alice", len(TEXTS))
            first.send_signal(signal.SIGKILL)
            await first.wait()
        (book,) = (run for (run,) in rows(story, "SELECT id FROM runs WHERE kind = 'foreman'"))
        for run in (*(session for session, _ in sessions.values()), book):
            forget_what_followed(story, run)
        provider.killed.set()

        async with process(story) as (second, url):
            client = Client(url, http)
            assert [await settled(story, run) for run in scenes] == ["ended"] * len(scenes)
            for session, token in sessions.values():
                assert await settled(story, session) == "stopped"
                assert "You took your time." in await client.say(session, token, ELSE)
            assert await settled(story, book) == "stopped"
            assert "And on." in await client.consult(ELSE)
            assert "event: done" in await client.consult(MARK.format(FOREMANS[1]))
            second.send_signal(signal.SIGKILL)
            await second.wait()
        forget_what_followed(story, book)

        async with process(story) as (_, url):
            client = Client(url, http)
            assert await settled(story, book) == "stopped"
            assert "And on." in await client.consult(ELSE)

    assert len(provider.given) == len(set(provider.given)) == 2 * len(TEXTS) + len(FOREMANS)
    answered_once(story)
    read = "type IN ('character.answered', 'answer.failed') AND json_extract(body, '$.message_id') = 'm3'"
    assert len(rows(story, f"SELECT run_id FROM events WHERE {read}")) == len(sessions)
    assert len(rows(story, "SELECT run_id FROM events WHERE type = 'run.adopted'")) >= 2 * len(TEXTS) + len(FOREMANS)
    assert not rows(story, "SELECT id FROM runs WHERE status NOT IN ('ended', 'stopped')")
    assert not rows(story, "SELECT run_id FROM events WHERE type = 'run.failed'")
