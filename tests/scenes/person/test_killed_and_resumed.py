"""A scene with a person in it is killed and played on: every answer counts once, and Bob is still a person."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from contextlib import suppress
from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests import warm
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for, project


async def dramaturg(story: Path, *words: str) -> asyncio.subprocess.Process:
    return await warm.start(
        "-m", "dramaturg", *words, "--project", str(story), "--json",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip


async def answers_in(database: Path, count: int) -> list[dict[str, object]]:
    """The person's answers in the log, as soon as there are so many."""
    while True:
        rows = []
        with suppress(sqlite3.OperationalError), sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
            rows = db.execute("select body from events where type = 'seat.answered' order by seq").fetchall()
        if len(rows) >= count:
            return [json.loads(body) for (body,) in rows]
        await asyncio.sleep(0.01)


async def test_an_answer_is_spoken_once_wherever_the_process_dies(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        scene = json.loads((story / "scenes" / "long.json").read_text(encoding="utf-8"))
        (story / "scenes" / "long.json").write_text(json.dumps(scene | {"maxBeats": 4}), encoding="utf-8")
        server.hold(at=3)
        first = await dramaturg(story, "scene", "run", "long", "--as", "bob", "--wait")
        assert first.stdin is not None
        first.stdin.write(b"I lost the key.\n")
        await answers_in(story / "data" / "dramaturg.db", 1)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        server.release()
        async with Studio.open(read_settings(story, {}), trust=True) as studio:
            (record,) = await studio.runs.find("scene", limit=5)
            run = await studio.scenes.open_run(record.id)
            await studio.scenes.seats.say(run, "bob", "terminal", "I looked everywhere.")
        again = await dramaturg(story, "runs", "resume", record.id, "--as", "bob")
        out, err = await again.communicate(b"It is in the river.\n")
    result = json.loads(out.splitlines()[-1])
    assert result["success"], err.decode()
    answers = await answers_in(story / "data" / "dramaturg.db", 3)
    assert [(one["beat"], one["text"]) for one in answers] == [
        (1, "I lost the key."),
        (2, "I looked everywhere."),
        (3, "It is in the river."),
    ]
    assert len({one["number"] for one in answers}) == 3
    for answer in answers:
        assert result["transcript"].count(str(answer["text"])) == 1
    assert "PLAYED BY: Bob: a person; the others: house/character" in result["transcript"]
    shown = [json.loads(row) for row in out.splitlines()[:-1]]
    assert [one["number"] for one in shown] == list(range(1, len(shown) + 1))
