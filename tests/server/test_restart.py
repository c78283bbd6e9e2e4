"""A server is killed, and the next one plays on what it left."""

import asyncio
import json
import os
import re
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from tests import warm
from tests.model_server import ModelServer
from tests.server.visitor import CALLS

KILLED_AT = 12  # in the middle of a beat: some of it is answered, some is not


@asynccontextmanager
async def process(story: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`dramaturg serve` as a process of its own, and its address."""
    started = await warm.start(
        "-m", "dramaturg", "serve", "--port", "0", "--project", str(story),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    assert started.stdout
    try:
        found = re.search(r"http://\S+", (await started.stdout.readline()).decode())
        assert found, (await started.stderr.read()).decode() if started.stderr else ""
        yield started, found[0]
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


def answered(story: Path) -> list[str]:
    """The keys of the answers in the log."""
    with sqlite3.connect(f"file:{story / 'data' / 'dramaturg.db'}?mode=ro", uri=True) as db:
        rows = db.execute("select body from events where type = 'model.answered' order by seq").fetchall()
    return [json.loads(body)["key"] for (body,) in rows]


async def test_a_killed_servers_run_is_played_on_by_the_next_and_every_answer_is_paid_once(
    long_story: Path, models: ModelServer
) -> None:
    models.hold(at=KILLED_AT)
    heard: list[tuple[int, str]] = []
    async with asyncio.timeout(240), aiohttp.ClientSession() as session:
        async with process(long_story) as (first, url):
            async with session.post(f"{url}/v1/scenes", json={"scene": "argument"}) as response:
                run = (await response.json())["run"]
            await models.received(KILLED_AT)
            async with session.get(f"{url}/v1/runs/{run}/events") as stream:
                while not heard or heard[-1][1] != "beat.played" or len(heard) < 5:
                    heard.append(await _sent(stream))
                while len(answered(long_story)) < KILLED_AT - 1:
                    await asyncio.sleep(0.01)
                first.send_signal(signal.SIGKILL)
                await first.wait()
        before, paid = answered(long_story), {request.raw for request in models.requests[: KILLED_AT - 1]}
        asked = len(models.requests)
        models.release()

        async with process(long_story) as (_, url):
            last = {"Last-Event-ID": str(heard[-1][0])}
            async with session.get(f"{url}/v1/runs/{run}/events", headers=last) as stream:
                while heard[-1][1] != "scene.ended":
                    heard.append(await _sent(stream))
                assert (await stream.content.read()) == b""
            async with session.get(f"{url}/v1/runs/{run}") as response:
                shown = await response.json()

    keys = answered(long_story)
    assert shown["status"] == "ended"
    assert shown["metadata"]["reason"] == "max_beats_exceeded"
    assert Counter(keys) == Counter(set(keys))
    assert (len(keys), keys[: len(before)]) == (CALLS, before)
    assert not paid & {request.raw for request in models.requests[asked:]}
    with sqlite3.connect(f"file:{long_story / 'data' / 'dramaturg.db'}?mode=ro", uri=True) as db:
        assert heard == db.execute("select seq, type from events where not hidden order by seq").fetchall()


async def _sent(stream: aiohttp.ClientResponse) -> tuple[int, str]:
    """The next event of a stream: its id and type."""
    fields: dict[str, str] = {}
    while True:
        line = (await stream.content.readline()).decode().rstrip("\n")
        if not line and fields:
            return int(fields["id"]), fields["event"]
        name, _, value = line.partition(": ")
        if name:
            fields[name] = value


async def test_ctrl_c_stops_the_server_in_order_and_what_played_can_be_resumed(
    long_story: Path, models: ModelServer
) -> None:
    models.hold(at=4)
    async with asyncio.timeout(240), aiohttp.ClientSession() as session, process(long_story) as (server, url):
        async with session.post(f"{url}/v1/scenes", json={"scene": "argument"}) as response:
            run = (await response.json())["run"]
        async with session.get(f"{url}/v1/runs/{run}/events") as stream:
            await models.received(4)
            server.send_signal(signal.SIGINT)
            assert b"scene.opened" in await stream.content.read()
        _, err = await server.communicate()
    assert server.returncode == 130
    assert b"Traceback" not in err
    with sqlite3.connect(f"file:{long_story / 'data' / 'dramaturg.db'}?mode=ro", uri=True) as db:
        assert db.execute("select status from runs").fetchall() == [("stopped",)]
