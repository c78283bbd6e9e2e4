"""Two servers and three workers on one Postgres, as the compose file starts them, while some of them are killed."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.database import Statement
from tests import warm
from tests.cluster.house import House, open_house
from tests.model_server import ModelServer
from tests.postgres import Server
from tests.scenes.test_kill_and_resume import line_for

BEATS, CALLS = 3, 1 + 1 + 2 * 4
"""The opener and the judge, then three characters and the judge a beat."""


async def entries(house: House) -> list[tuple[str, int, str, str]]:
    """Every entry of every log: run, number, type and body."""
    store = await open_store(read_settings(house.story, house.env))
    try:
        rows = await store.database.read(
            Statement("SELECT run_id, seq, type, body FROM events ORDER BY run_id, seq", {})
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]
    finally:
        await store.close()


def in_three_beats(house: House) -> None:
    scene = json.loads((house.story / "scenes" / "long.json").read_text()) | {"maxBeats": BEATS}
    (house.story / "scenes" / "long.json").write_text(json.dumps(scene))


@pytest.mark.timeout(290)
async def test_what_killed_processes_played_goes_on_elsewhere_and_nothing_is_asked_twice(
    postgres: Server, tmp_path: Path
) -> None:
    url = await postgres.new_database()
    async with ModelServer() as provider:
        provider.reply = line_for
        async with open_house(tmp_path, provider.url, url, places=2) as house:
            in_three_beats(house)
            first, second = house.servers
            provider.hold(at=12)  # some have begun, none is at its end
            runs = [await house.play(server, seed=seed) for seed in range(4) for server in (first, second)]
            await provider.received(12)
            await house.workers[0].kill()
            await second.kill()
            in_flight = len(provider.requests)
            provider.release()
            assert [await house.ended(first, run) for run in runs] == ["ended"] * 8
            log = await entries(house)
    keys = Counter((run, json.loads(body)["key"]) for run, _, kind, body in log if kind == "model.answered")
    assert set(keys.values()) == {1}
    assert len(keys) == 8 * CALLS
    assert len(provider.requests) <= 8 * CALLS + in_flight  # at most what was on its way is asked again
    for run in runs:
        numbers = [seq for one, seq, _, _ in log if one == run]
        assert numbers == list(range(1, len(numbers) + 1))
    await postgres.drop_database(url)


@pytest.mark.timeout(290)
async def test_a_batch_is_played_by_workers_and_goes_on_when_its_command_is_killed(
    postgres: Server, tmp_path: Path
) -> None:
    url = await postgres.new_database()
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"scene": "long", "seed": {seed}}}\n' for seed in range(6)))

    async def batch(house: House) -> asyncio.subprocess.Process:
        return await warm.start(
            "-m", "dramaturg", "scene", "batch", str(rows), "--on", "workers", "--json",
            "--project", str(house.story),
            env=house.env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async with ModelServer() as provider:
        provider.reply = line_for
        async with open_house(tmp_path / "story", provider.url, url) as house:
            in_three_beats(house)
            provider.hold(at=8)
            first = await batch(house)
            await provider.received(8)
            first.send_signal(signal.SIGKILL)
            await first.wait()
            done = await batch(house)  # while workers play what the first one queued
            provider.release()
            out, err = await done.communicate()
            *results, summary = map(json.loads, out.splitlines())
            assert (done.returncode, summary["finished"], summary["failures"]) == (0, 6, {}), err.decode()
            assert {one["outcome"] for one in results} == {"ended"}
            assert len(provider.requests) == 6 * CALLS
            for worker in house.workers:
                await worker.stop()
                assert worker.process.returncode == 0
    await postgres.drop_database(url)


@pytest.mark.timeout(290)
async def test_two_people_have_workers_play_one_batch_and_each_row_is_paid_once(
    postgres: Server, tmp_path: Path
) -> None:
    url = await postgres.new_database()
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"scene": "long", "seed": {seed}}}\n' for seed in range(6)))
    outs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl", tmp_path / "here.jsonl"]

    async def batch(house: House, out: Path) -> asyncio.subprocess.Process:
        return await warm.start(
            "-m", "dramaturg", "scene", "batch", str(rows), "--on", "here" if out is outs[2] else "workers", "--json",
            "--project", str(house.story), "--out", str(out),
            env=house.env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async with ModelServer() as provider:
        provider.reply = line_for
        async with open_house(tmp_path / "story", provider.url, url) as house:
            in_three_beats(house)
            people = [await batch(house, out) for out in outs]
            for person, out in zip(people, outs, strict=True):
                printed, err = await person.communicate()
                summary = json.loads(printed.splitlines()[-1])
                assert (person.returncode, summary["finished"], summary["failures"]) == (0, 6, {}), (printed, err)
                results = [json.loads(line) for line in out.read_text().splitlines()]
                assert sorted((one["line"], one["outcome"]) for one in results) == [(n, "ended") for n in range(1, 7)]
            log = await entries(house)
    keys = Counter((run, json.loads(body)["key"]) for run, _, kind, body in log if kind == "model.answered")
    assert set(keys.values()) == {1}
    assert len(provider.requests) == len(keys) == 6 * CALLS
    await postgres.drop_database(url)
