"""Following a run over a real socket: nothing lost, nothing repeated, nothing held on to."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import fastapi.routing
import pytest

from dramaturg.kernel.runs import public
from tests.model_server import ModelServer
from tests.server.visitor import Sent, Visitor, served


async def take(count: int, entries: AsyncIterator[Sent]) -> list[Sent]:
    """The first few; then the connection is dropped."""
    taken: list[Sent] = []
    async with aclosing(entries) as stream:
        async for sent in stream:
            taken.append(sent)
            if len(taken) == count:
                break
    return taken


async def in_the_log(visitor: Visitor, run: str) -> list[Sent]:
    entries = public((await visitor.studio.runs.open(run)).entries)
    return [Sent(e.seq, e.event.type, json.loads(e.model_dump_json(by_alias=True))) for e in entries]


async def test_a_stream_gives_every_public_entry_once_and_ends_with_the_run(visitor: Visitor) -> None:
    run = await visitor.play()
    assert await visitor.to_the_end(run) == await in_the_log(visitor, run)


async def test_who_connects_again_loses_nothing_and_hears_nothing_twice(guest: Visitor, models: ModelServer) -> None:
    models.hold(at=4)
    run = await guest.play()
    heard = await take(2, guest.follow(run))
    following = guest.follow(run, after=heard[-1].id)
    heard.append(await anext(following))  # while the run waits for its model
    await following.aclose()
    models.release()
    while heard[-1].event != "scene.ended":
        heard += await take(3, guest.follow(run, after=heard[-1].id))
    assert heard == await in_the_log(guest, run)


async def test_after_in_the_address_does_the_same_and_the_header_is_the_newer(visitor: Visitor) -> None:
    run = await visitor.play()
    everything = await visitor.to_the_end(run)
    path, third = f"/v1/runs/{run}/events?after={everything[2].id}", everything[4].id
    assert (await visitor.get(path)).text.count("data: ") == len(everything) - 3
    later = await visitor.get(path, headers={"Last-Event-ID": str(third)})
    assert later.text.count("data: ") == len(everything) - 5


async def test_who_has_all_of_a_run_that_is_over_is_told_to_stop_asking(visitor: Visitor) -> None:
    run = await visitor.play()
    last = (await visitor.to_the_end(run))[-1]
    await visitor.studio.engine.join()
    answer = await visitor.get(f"/v1/runs/{run}/events", headers={"Last-Event-ID": str(last.id)})
    assert (answer.status, answer.text) == (204, "")


async def test_who_has_more_than_the_log_is_told_so_and_does_not_wait_for_it_to_grow(
    guest: Visitor, models: ModelServer
) -> None:
    models.hold(at=4)
    run = await guest.play()
    await models.received(4)
    written = (await guest.studio.runs.open(run)).seq
    answer = await guest.get(f"/v1/runs/{run}/events", headers={"Last-Event-ID": str(written + 1)})
    assert (answer.status, answer.json["error"]["code"]) == (422, "INVALID_CONFIG")
    assert answer.json["error"]["message"].startswith(f"Run {run} ends at entry {written} for now")
    assert "from its beginning" in answer.json["error"]["message"]


async def test_the_stream_of_a_stopped_run_ends_and_goes_on_when_it_is_resumed(
    guest: Visitor, models: ModelServer
) -> None:
    models.hold(at=8)
    run = await guest.play()
    following = asyncio.create_task(guest.to_the_end(run))
    await models.received(8)
    await guest.post(f"/v1/runs/{run}/cancel")
    heard = await following
    models.release()
    await guest.post(f"/v1/runs/{run}/resume")
    heard += [sent async for sent in guest.follow(run, after=heard[-1].id)]
    assert heard == await in_the_log(guest, run)


async def test_a_run_that_is_deleted_while_it_is_followed_is_over(guest: Visitor, models: ModelServer) -> None:
    models.hold()
    run = await guest.play()
    following = guest.follow(run)
    assert (await anext(following)).event == "scene.opened"
    await guest.studio.runs.delete(run)
    assert [sent async for sent in following] == []


async def test_a_comment_is_sent_while_nothing_happens(
    guest: Visitor, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fastapi.routing._PING_INTERVAL == 15
    monkeypatch.setattr(fastapi.routing, "_PING_INTERVAL", 0.01)
    models.hold()
    run = await guest.play()
    async with guest.session.get(f"{guest.url}/v1/runs/{run}/events") as response:
        async for line in response.content:
            if line.startswith(b": "):
                break


async def test_a_client_that_leaves_leaves_nothing_behind(guest: Visitor, models: ModelServer) -> None:
    models.hold()
    run = await guest.play()
    await models.received(1)
    before = _waiting()
    followers = [guest.follow(run) for _ in range(5)]
    for following in followers:
        await anext(following)
    assert len(_waiting() - before) >= 5
    for following in followers:
        await following.aclose()
    async with asyncio.timeout(240):
        while left := _waiting() - before:
            await asyncio.wait(left)


def _waiting() -> set[asyncio.Task[object]]:
    return asyncio.all_tasks() - {asyncio.current_task()}


async def test_a_server_that_stops_ends_its_streams_and_the_run_can_be_resumed_by_the_next(
    long_story: Path, models: ModelServer
) -> None:
    models.hold(at=6)
    async with served(long_story) as first:
        run = await first.play()
        following = asyncio.create_task(first.to_the_end(run))
        await models.received(6)
        first.server.should_exit = True
        heard = await following
    models.release()
    async with served(long_story) as second:
        assert (await second.get(f"/v1/runs/{run}")).json["status"] == "stopped"
        await second.post(f"/v1/runs/{run}/resume")
        heard += [sent async for sent in second.follow(run, after=heard[-1].id)]
        assert heard == await in_the_log(second, run)
    assert heard[-1].event == "scene.ended"
