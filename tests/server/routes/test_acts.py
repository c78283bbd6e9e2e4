"""Acts over HTTP: listed, started, followed, cancelled, resumed, forked."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.model_server import ModelServer
from tests.server.visitor import CALLS, Visitor, served

ACT = {
    "scenes": [
        {"scene": "argument", "then": [{"when": "achieved", "play": "again"}, {"else": "end"}]},
        {"scene": "argument", "as": "again"},
    ]
}


def write_act(story: Path, name: str = "play", act: object = ACT) -> None:
    (story / "acts").mkdir(exist_ok=True)
    (story / "acts" / f"{name}.yaml").write_text(yaml.safe_dump(act), encoding="utf-8")


async def test_acts_are_listed_and_a_broken_one_says_why(visitor: Visitor, story: Path) -> None:
    write_act(story)
    write_act(story, "broken", {"scenes": []})
    broken, play = (await visitor.get("/v1/acts")).json["acts"]
    assert play == {"name": "play", "title": "Play", "scenes": ["argument", "again"], "problem": None}
    assert "needs scenes" in broken["problem"]
    assert str(story) not in broken["problem"]


async def test_an_act_is_started_followed_by_its_links_and_its_scenes_by_theirs(visitor: Visitor, story: Path) -> None:
    write_act(story)
    answer = await visitor.post("/v1/acts", {"act": "play", "seed": 4})
    assert answer.status == 202
    started = answer.json
    links = started["links"]
    assert answer.headers["location"] == links["self"]
    sent = await visitor.to_the_end(started["run"])
    assert [one.event for one in sent] == [
        "act.opened",
        *["act_scene.started", "act_scene.ended"] * 2,
        "act.ended",
    ]
    scene = sent[1].data["event"]["run"]
    assert (await visitor.get(f"/v1/runs/{scene}/transcript")).status == 200
    assert (await visitor.get(f"/v1/runs/{scene}")).json["seed"] == 4
    await visitor.studio.engine.join()
    result = (await visitor.get(links["result"])).json
    assert result["success"]
    assert [one["name"] for one in result["metadata"]["scenes"]] == ["argument", "again"]
    folder = story / result["outputPath"]
    assert (folder / "transcript.txt").read_text(encoding="utf-8") == result["transcript"]
    assert (await visitor.get(links["self"])).json["kind"] == "act"
    forked = await visitor.post(links["fork"], {"scene": 2, "seed": 5})
    assert forked.status == 202
    await visitor.to_the_end(forked.json["run"])
    assert (await visitor.get(f"/v1/acts/{forked.json['run']}")).json["metadata"]["scenes"][0]["run"] == scene
    assert (await visitor.post(links["fork"], {"scene": 3})).code == "NOT_FOUND"


async def test_what_cannot_be_played_is_refused_and_starts_nothing(visitor: Visitor, story: Path) -> None:
    write_act(story, "lost", {"scenes": ["argment"]})
    write_act(story, "round", {"scenes": [{"scene": "argument", "then": "argument"}]})
    write_act(story, "hopeless", {"scenes": [{"scene": "argument", "then": [{"when": {"met": 7}, "play": "end"}]}]})
    lost = await visitor.post("/v1/acts", {"act": "lost"})
    assert (lost.status, lost.code) == (404, "NOT_FOUND")
    assert "The act 'lost' names a scene that is not there" in lost.text
    assert "Did you mean 'argument'?" in lost.text
    for name in ("round", "hopeless"):
        assert (await visitor.post("/v1/acts", {"act": name})).code == "INVALID_CONFIG"
    assert (await visitor.post("/v1/acts", {"act": "../scenes/argument"})).code == "NOT_FOUND"
    assert (await visitor.get("/v1/runs")).json["runs"] == []


async def test_a_repeated_request_with_a_key_starts_one_act(visitor: Visitor, story: Path) -> None:
    write_act(story)
    key = {"Idempotency-Key": "evening-1"}
    first, second = [await visitor.post("/v1/acts", {"act": "play"}, headers=key) for _ in range(2)]
    assert first.json["run"] == second.json["run"]
    assert (await visitor.post("/v1/acts", {"act": "play", "seed": 2}, headers=key)).code == "INVALID_CONFIG"
    await visitor.to_the_end(first.json["run"])


async def test_a_scene_is_no_act_and_an_act_is_no_scene(visitor: Visitor, story: Path) -> None:
    write_act(story)
    scene = await visitor.play()
    act = (await visitor.post("/v1/acts", {"act": "play"})).json["run"]
    assert (await visitor.get(f"/v1/acts/{scene}")).status == 404
    assert (await visitor.get(f"/v1/runs/{act}/why/1")).status == 404
    await visitor.to_the_end(scene)
    await visitor.to_the_end(act)


async def test_an_act_that_is_cancelled_stops_its_scene_and_is_resumed_where_it_stood(
    long_story: Path, models: ModelServer
) -> None:
    write_act(long_story, act={"scenes": ["argument", {"scene": "argument", "as": "again"}]})
    models.hold(at=CALLS + 5)
    async with served(long_story) as guest:
        run = (await guest.post("/v1/acts", {"act": "play"})).json["run"]
        await models.received(CALLS + 5)
        stopped = await guest.post(f"/v1/runs/{run}/cancel")
        assert stopped.json["status"] == "stopped"
        scenes = (await guest.get("/v1/runs", params={"kind": "scene"})).json["runs"]
        assert sorted(one["status"] for one in scenes) == ["ended", "stopped"]
        models.release()
        assert (await guest.post(f"/v1/runs/{run}/resume")).status == 202
        sent = await guest.to_the_end(run)
        result = (await guest.get(f"/v1/acts/{run}")).json
    assert "act_scene.resumed" in [one.event for one in sent]
    assert [one["name"] for one in result["metadata"]["scenes"]] == ["argument", "again"]
    assert len({request.raw for request in models.requests}) == 2 * CALLS
