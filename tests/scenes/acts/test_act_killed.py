"""An act is killed anywhere and played on: no scene is begun twice, nothing is paid for twice."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.model_server import ModelServer
from tests.scenes.acts.staging import scene
from tests.scenes.test_kill_and_resume import dramaturg, line_for
from tests.stage import write_cards

SCENE = scene(lines=False, maxBeats=3, lookahead=False)
CALLS = 2 + 2 * 3
KILLED_AT = (1, 2, CALLS - 1, CALLS, CALLS + 1, CALLS + 4, 2 * CALLS)
"""At the first question, inside a scene, at its last question, at the first of the next scene, at the very last."""


def project(story: Path, url: str) -> Path:
    write_cards(story, ("alice", "bob"))
    for folder, name, value in (
        ("scenes", "a", SCENE),
        ("scenes", "b", SCENE),
        ("acts", "play", {"scenes": ["a", {"scene": "b", "as": "later"}]}),
    ):
        (story / folder).mkdir(exist_ok=True)
        (story / folder / f"{name}.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")
    (story / "dramaturg.toml").write_text(
        '[models]\ndefault = "house/character"\ndirector = "house/character"\n[scenes]\nagent = "direct"\n'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\nconcurrency = 1\n',
        encoding="utf-8",
    )
    return story


def answered(story: Path) -> list[tuple[str, str]]:
    """The run and the key of every answer in the store."""
    with sqlite3.connect(f"file:{story / 'data' / 'dramaturg.db'}?mode=ro", uri=True) as db:
        rows = db.execute("select run_id, body from events where type = 'model.answered' order by seq").fetchall()
    return [(run, json.loads(body)["key"]) for run, body in rows]


async def listed(story: Path) -> list[dict[str, str]]:
    out, _ = await (await dramaturg("runs", "list", "--project", story)).communicate()
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("killed_at", KILLED_AT)
async def test_a_killed_act_is_played_on_and_asks_nothing_again(killed_at: int, tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        server.hold(at=killed_at)
        first = await dramaturg("act", "run", "play", "--project", story)
        await server.received(killed_at)
        while killed_at > 1 and len(answered(story)) < killed_at - 1:
            await asyncio.sleep(0.01)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        asked = len(server.requests)
        paid = {request.raw for request in server.requests[: killed_at - 1]}
        server.release()
        act = next(run["id"] for run in await listed(story) if run["kind"] == "act")
        out, err = await (await dramaturg("runs", "resume", act, "--project", story)).communicate()
        result = json.loads(out.splitlines()[-1])
        runs = await listed(story)

    assert [one["name"] for one in result["metadata"]["scenes"]] == ["a", "later"], err.decode()
    assert Counter(run["kind"] for run in runs) == {"act": 1, "scene": 2}
    assert {run["status"] for run in runs} == {"ended"}
    keys = answered(story)
    assert len(keys) == len(set(keys)) == 2 * CALLS
    later = {request.raw for request in server.requests[asked:]}
    assert not paid & later
    assert len(paid) + len(server.requests[asked:]) == 2 * CALLS
