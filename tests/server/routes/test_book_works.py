"""Long work of a book over HTTP, on a real socket."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.test_openapi import OPERATIONS, _check
from tests.server.visitor import served
from tests.workshop.works.cases import TABLE

WORKS = "/v1/projects/main/works"


def story(folder: Path) -> Path:
    (folder / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return folder


async def test_a_work_is_priced_started_followed_and_read(tmp_path: Path) -> None:
    async with served(create_app(read_settings(story(tmp_path), {}, trust=True), works=TABLE)) as visitor:
        price = (await visitor.post(f"{WORKS}/reading/price", {})).json
        assert (price["leastQuestions"], price["mostQuestions"]) == (3, 4)
        assert price["blindSpots"] == ["the story bible"]
        started = await visitor.post(f"{WORKS}/reading", {"request": {"scenes": 2}, "tokens": 100_000})
        assert started.status == 202
        run = started.json["run"]
        assert started.headers["location"] == f"/v1/runs/{run}"
        sent = await visitor.to_the_end(run)
        told = [one.event for one in sent if one.event != "work.progressed"]
        assert told == ["mood.found", "mood.found", "work.remarked", "work.ended"]
        found = (await visitor.get(f"{WORKS}/{run}")).json
        _check(found, OPERATIONS["get_work"][2]["responses"]["200"])
        assert found["status"] == "ended"
        assert found["request"] == {"scenes": 2}
        assert found["result"]["verdict"] == "A gloomy book."
        assert [one["run"] for one in (await visitor.get(WORKS)).json["works"]] == [run]
        kinds = [one["kind"] for one in (await visitor.get("/v1/runs")).json["runs"]]
        assert kinds == ["reading"]
        costs = (await visitor.get(f"/v1/runs/{run}/costs")).json
        assert costs["total"]["calls"] == 3


async def test_a_work_that_is_not_there_a_bad_request_and_a_foreign_run_are_refused(tmp_path: Path) -> None:
    async with served(create_app(read_settings(story(tmp_path), {}, trust=True), works=TABLE)) as visitor:
        assert (await visitor.post(f"{WORKS}/juggling", {})).status == 404
        assert (await visitor.post(f"{WORKS}/reading", {"request": {"scenes": "many"}})).status == 422
        deep: object = 1
        for _ in range(500):
            deep = [deep]
        for way in ("", "/price"):
            assert (await visitor.post(f"{WORKS}/reading{way}", {"request": {"scenes": deep}})).status == 400
        assert (await visitor.get(f"{WORKS}/0000000000000000aa")).status == 404
