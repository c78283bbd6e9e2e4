"""Runs over HTTP: listed, stopped, resumed, deleted."""

import os

from dramaturg.kernel.runs import Holder
from dramaturg.mcp_server.tools import Tools
from tests.model_server import ModelServer
from tests.server.visitor import CALLS, Visitor


async def test_runs_are_listed_newest_first_and_can_be_narrowed(visitor: Visitor) -> None:
    first = await visitor.play()
    await visitor.to_the_end(first)
    second = await visitor.play()
    await visitor.to_the_end(second)
    await visitor.studio.engine.join()
    listed = (await visitor.get("/v1/runs")).json["runs"]
    assert {run["run"] for run in listed} == {first, second}
    assert listed == sorted(listed, key=lambda run: (run["createdAt"], run["run"]), reverse=True)
    assert (await visitor.get("/v1/runs?status=playing")).json["runs"] == []
    assert len((await visitor.get("/v1/runs?kind=scene&status=ended&limit=1")).json["runs"]) == 1
    assert (await visitor.get("/v1/runs?kind=episode")).json["runs"] == []


async def test_runs_are_listed_page_by_page_and_each_once(visitor: Visitor) -> None:
    runs = [await visitor.play() for _ in range(5)]
    for run in runs:
        await visitor.to_the_end(run)
    pages, before = [], ""
    while not pages or before:
        page = (await visitor.get(f"/v1/runs?limit=2{before}")).json
        pages.append([one["run"] for one in page["runs"]])
        before = f"&before={page['next']}" if page["next"] else ""
    assert pages == [[runs[4], runs[3]], [runs[2], runs[1]], [runs[0]]]
    gone = await visitor.get(f"/v1/runs?before={'0' * len(runs[0])}")
    assert (gone.status, gone.code) == (404, "NOT_FOUND")


async def test_newer_sessions_of_players_do_not_take_the_places_of_runs_in_a_list(visitor: Visitor) -> None:
    first, second = [await visitor.play() for _ in range(2)]
    for run in (first, second):
        await visitor.to_the_end(run)
    for _ in range(3):
        assert (await visitor.post("/v1/sessions", {"character": "alice"})).status == 201
    page = (await visitor.get("/v1/runs?limit=1")).json
    assert [one["run"] for one in page["runs"]] == [second]
    older = (await visitor.get(f"/v1/runs?limit=2&before={page['next']}")).json
    assert ([one["run"] for one in older["runs"]], older["next"]) == ([first], None)
    spent = (await visitor.get("/v1/costs?limit=1")).json
    assert (spent["counted"], [one["run"] for one in spent["runs"]]) == (1, [second])
    told = await Tools(visitor.studio).list_runs(limit=2)
    assert [one.run for one in told.runs] == [second, first]


async def test_a_listed_run_says_nothing_of_the_machine_that_plays_it(visitor: Visitor) -> None:
    run = await visitor.play()
    record = await visitor.studio.runs.get(run)
    for path in ("/v1/runs", f"/v1/runs/{run}"):
        assert record.player not in (await visitor.get(path)).text


async def test_a_run_is_stopped_resumed_to_its_end_and_asks_nothing_twice(guest: Visitor, models: ModelServer) -> None:
    models.hold(at=8)
    run = await guest.play()
    await models.received(8)

    stopped = await guest.post(f"/v1/runs/{run}/cancel")
    assert (stopped.status, stopped.json["status"]) == (200, "stopped")
    assert (await guest.post(f"/v1/runs/{run}/cancel")).json["status"] == "stopped"
    assert (await guest.get(f"/v1/runs/{run}")).json["metadata"]["reason"] == "cancelled"

    models.release()
    resumed = await guest.post(f"/v1/runs/{run}/resume")
    assert resumed.status == 202
    assert resumed.headers["location"] == f"/v1/runs/{run}"
    await guest.to_the_end(run)
    await guest.studio.engine.join()
    assert (await guest.get(f"/v1/runs/{run}")).json["status"] == "ended"
    assert (await guest.get(f"/v1/runs/{run}/costs")).json["total"]["calls"] == CALLS


async def test_a_run_that_has_ended_is_not_resumed_and_the_way_out_is_named(visitor: Visitor) -> None:
    run = await visitor.play()
    await visitor.to_the_end(run)
    await visitor.studio.engine.join()
    answer = await visitor.post(f"/v1/runs/{run}/resume")
    assert (answer.status, answer.code) == (422, "INVALID_CONFIG")
    assert "fork it" in answer.json["error"]["message"]


async def test_a_run_is_not_resumed_twice_nor_deleted_while_it_plays(guest: Visitor, models: ModelServer) -> None:
    models.hold()
    run = await guest.play()
    await models.received(1)
    for method, path in (("POST", f"/v1/runs/{run}/resume"), ("DELETE", f"/v1/runs/{run}")):
        answer = await guest.ask(method, path)
        assert (answer.status, answer.code) == (409, "FENCED")
    await guest.post(f"/v1/runs/{run}/cancel")
    assert (await guest.ask("DELETE", f"/v1/runs/{run}")).status == 204
    assert (await guest.get(f"/v1/runs/{run}")).code == "NOT_FOUND"


async def test_a_run_that_is_no_scene_has_a_record_and_a_stream_and_no_transcript(visitor: Visitor) -> None:
    run = await visitor.studio.runs.create("why", "argument, line 1")
    await visitor.studio.runs.mark(run, "ended")
    shown = (await visitor.get(f"/v1/runs/{run.id}")).json
    assert (shown["kind"], shown["metadata"]) == ("why", None)
    assert await visitor.to_the_end(run.id) == []
    for view in ("transcript", "result"):
        assert (await visitor.get(f"/v1/runs/{run.id}/{view}")).code == "NOT_FOUND"
    assert (await visitor.get(f"/v1/runs/{run.id}/costs")).json["total"]["calls"] == 0


async def test_a_run_of_another_process_is_left_to_it(guest: Visitor) -> None:
    runs = guest.studio.runs
    here, runs.holder = runs.holder, Holder.of(os.getppid())
    run = await runs.create("scene", "elsewhere")
    runs.holder, runs.leases.seconds = here, 0.0  # nobody waits here for the other's lease to end
    answer = await guest.post(f"/v1/runs/{run.id}/cancel")
    assert (answer.status, answer.code) == (409, "FENCED")


async def test_a_pause_for_a_provider_is_in_the_stream_and_the_run_can_be_stopped_in_it(
    guest: Visitor, models: ModelServer
) -> None:
    models.fault("429", after=3, times=99, retry_after="1500")
    run = await guest.play()
    async for sent in guest.follow(run):
        if sent.event == "run.paused":
            break
    assert sent.data["event"]["provider"] == "house"
    assert sent.data["event"]["until"] > sent.data["at"] + 1400
    assert set(sent.data["event"]) == {"type", "provider", "until"}
    assert (await guest.get(f"/v1/runs/{run}")).json["status"] == "playing"
    stopped = await guest.post(f"/v1/runs/{run}/cancel")
    assert (stopped.status, stopped.json["status"]) == (200, "stopped")
    assert "unable to respond" not in (await guest.get(f"/v1/runs/{run}/transcript")).text
