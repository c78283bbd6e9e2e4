"""A scene is killed in the middle and played on: nothing is lost, nothing is paid for twice."""

import asyncio
import json
import os
import random
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests import warm
from tests.model_server import Asked, ModelServer
from tests.stage import write_cards

BEATS = 20
CALLS = 1 + 1 + (BEATS - 1) * 4  # the opener and the judge, then three characters and the judge a beat
WORDS = (
    "harbour ledger window garden bridge letter winter engine candle market orchard kitchen station mirror blanket "
    "river doctor captain neighbour surgeon painter widow cousin soldier baker teacher miner pilot clerk singer judge "
    "carried broke painted counted buried followed borrowed mended forgot promised whispered burned measured guarded "
    "yellow crooked silent heavy narrow wooden bitter early hollow broken distant gentle rusty stubborn crowded plain"
).split()  # so many that no two lines are alike, and nobody talks in circles
KILLED_AT = 31  # in the middle of a beat: some of it is answered, some is not


def line_for(asked: Asked) -> str:
    """A line that no other request gets, and a judge who never sees the goal reached."""
    if '"natural_end"' in asked.prompt:
        return json.dumps({"goals": [], "confidence": 0.1, "natural_end": False})
    words = " ".join(random.Random(asked.prompt).sample(WORDS, 12))
    return f'[TONE: steady] "I {words}."'


def project(folder: Path, url: str) -> Path:
    write_cards(folder, ("alice", "bob", "charlie"))
    (folder / "scenes").mkdir()
    scene = {"prompt": "They argue. Scene goal: Bob apologizes.", "characters": ["alice", "bob", "charlie"]}
    (folder / "scenes" / "long.json").write_text(json.dumps(scene | {"maxBeats": BEATS}), encoding="utf-8")
    (folder / "dramaturg.toml").write_text(
        f'[models]\ndefault = "house/character"\ndirector = "house/character"\n'
        f'[scenes]\nagent = "direct"\n'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\nconcurrency = 2\n',
        encoding="utf-8",
    )
    return folder


async def dramaturg(*words: str | Path) -> asyncio.subprocess.Process:
    return await warm.start(
        "-m", "dramaturg", *map(str, words), "--json",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip


async def answers_in(database: Path, count: int) -> list[str]:
    """The keys of the answers in the log, as soon as there are so many."""
    while True:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
            rows = db.execute("select body from events where type = 'model.answered' order by seq").fetchall()
        if len(rows) >= count:
            return [json.loads(body)["key"] for (body,) in rows]
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("killed_at", [KILLED_AT, KILLED_AT + 1])
async def test_a_killed_scene_is_played_on_and_no_answered_request_is_asked_again(
    tmp_path: Path, killed_at: int
) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        server.hold(at=killed_at)
        first = await dramaturg("scene", "run", "long", "--project", story)
        await server.received(killed_at)
        before = await answers_in(story / "data" / "dramaturg.db", killed_at - 1)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        answered, asked = {request.raw for request in server.requests[: killed_at - 1]}, len(server.requests)
        server.release()

        run = json.loads((await (await dramaturg("runs", "list", "--project", story)).communicate())[0])["id"]
        out, err = await (await dramaturg("runs", "resume", run, "--project", story)).communicate()

    result = json.loads(out.splitlines()[-1])
    assert result["metadata"] | {"duration": 0} == {
        "name": "long",
        "duration": 0,
        "totalBeats": BEATS,
        "characterCount": 3,
        "goalAchieved": False,
        "reason": "max_beats_exceeded",
        "errors": [],
        "leaks": [],
        "words": {"spoken": 754, "byModel": 754},
        "costs": result["metadata"]["costs"],
    }, err.decode()
    keys = await answers_in(story / "data" / "dramaturg.db", CALLS)
    assert Counter(keys) == Counter(set(keys))
    assert keys[: killed_at - 1] == before
    assert len(keys) == CALLS
    later = server.requests[asked:]
    assert not answered & {request.raw for request in later}
    assert len(answered) + len(later) == CALLS
    lines = [json.loads(line) for line in out.splitlines()[:-1]]
    assert [entry["seq"] for entry in lines] == sorted({entry["seq"] for entry in lines})
