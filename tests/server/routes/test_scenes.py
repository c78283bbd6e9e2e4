"""Scenes over HTTP: played, read, costed, forked."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.server.visitor import CALLS, CAST, SCENE, Visitor, served

WRITTEN = {**SCENE, "name": "on-the-stairs", "initialSpeaker": "bob", "seed": 3}


async def test_a_scene_of_the_project_is_started_by_name_and_its_links_lead_on(visitor: Visitor) -> None:
    answer = await visitor.post("/v1/scenes", {"scene": "argument"})
    assert answer.status == 202
    started = answer.json
    run, links = started["run"], started["links"]
    assert started["status"] == "playing"
    assert answer.headers["location"] == links["self"] == f"/v1/runs/{run}"
    await visitor.to_the_end(run)
    for way in ("self", "transcript", "result", "costs", "events"):
        assert (await visitor.get(links[way])).status == 200, way


async def test_the_result_is_what_lies_on_the_disk(visitor: Visitor, story: Path) -> None:
    run = await visitor.play()
    await visitor.to_the_end(run)
    await visitor.studio.engine.join()
    result = (await visitor.get(f"/v1/runs/{run}/result")).json
    transcript = await visitor.get(f"/v1/runs/{run}/transcript")
    folder = story / result["outputPath"]
    assert set(result) == {"success", "transcript", "metadata", "outputPath", "run"}
    assert transcript.headers["content-type"] == "text/plain; charset=utf-8"
    assert transcript.text == result["transcript"] == (folder / "transcript.txt").read_text(encoding="utf-8")
    assert result["metadata"] == json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    shown = (await visitor.get(f"/v1/runs/{run}")).json
    assert (shown["status"], shown["metadata"]) == ("ended", result["metadata"])


@pytest.mark.parametrize("spelling", ["camel", "snake"])
async def test_a_scene_may_be_written_out_in_either_spelling(visitor: Visitor, spelling: str) -> None:
    snake = {"maxBeats": "max_beats", "initialSpeaker": "initial_speaker"}
    body = WRITTEN if spelling == "camel" else {snake.get(key, key): value for key, value in WRITTEN.items()}
    run = await visitor.play(body | {"model": "rehearsal"})
    opened = (await visitor.to_the_end(run))[0].data["event"]
    assert opened["opener"] == "bob"
    assert opened["seed"] == 3
    assert opened["config"]["maxBeats"] == 6
    assert {member["model"] for member in opened["cast"]} == {"rehearsal"}


async def test_the_seed_of_the_request_is_the_seed_of_the_run(visitor: Visitor) -> None:
    run = await visitor.play({"scene": "argument", "seed": 42})
    assert (await visitor.get(f"/v1/runs/{run}")).json["seed"] == 42


async def test_scenes_are_listed_and_a_broken_one_says_why_without_saying_where(visitor: Visitor, story: Path) -> None:
    (story / "scenes" / "broken.yaml").write_text("prompt: [", encoding="utf-8")
    answer = await visitor.get("/v1/scenes")
    argument, broken = answer.json["scenes"]
    assert (argument["name"], argument["title"], argument["characters"]) == ("argument", "Argument", list(CAST))
    assert argument["problem"] is None
    assert "not valid YAML" in broken["problem"]
    assert str(story) not in answer.text


async def test_a_scene_whose_card_is_missing_is_listed_with_what_is_missing(visitor: Visitor, story: Path) -> None:
    scene = "prompt: Bob waits.\ncharacters: [alice, nobody-yet]\n"
    (story / "scenes" / "late.yaml").write_text(scene, encoding="utf-8")
    listed = {one["name"]: one for one in (await visitor.get("/v1/scenes")).json["scenes"]}
    assert "Character 'nobody-yet' not found" in listed["late"]["problem"]
    assert listed["late"]["characters"] == ["alice", "nobody-yet"]
    assert listed["argument"]["problem"] is None


@pytest.mark.parametrize(
    "name", ["../argument", "../../etc/passwd", "/etc/hostname.yaml", "scenes/argument.json", "argument.json"]
)
async def test_only_names_of_scenes_are_taken_never_paths(visitor: Visitor, name: str) -> None:
    answer = await visitor.post("/v1/scenes", {"scene": name})
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


async def test_the_same_key_starts_one_run_however_often_it_is_sent(visitor: Visitor, story: Path) -> None:
    key = {"Idempotency-Key": "order-66"}
    runs = await asyncio.gather(*(visitor.play(headers=key) for _ in range(4)))
    assert len(set(runs)) == 1
    assert await visitor.play(headers={"Idempotency-Key": "order-67"}) != runs[0]
    assert len((await visitor.get("/v1/runs")).json["runs"]) == 2
    await visitor.to_the_end(runs[0])
    assert await visitor.play(headers=key) == runs[0]
    async with served(story) as later:
        assert await later.play(headers=key) == runs[0]


async def test_a_key_that_was_used_for_another_request_is_refused(visitor: Visitor) -> None:
    key = {"Idempotency-Key": "order-66"}
    await visitor.play(headers=key)
    answer = await visitor.post("/v1/scenes", {"scene": "argument", "seed": 2}, headers=key)
    assert (answer.status, answer.code) == (422, "INVALID_CONFIG")


async def test_a_key_whose_request_was_refused_can_be_used_again(visitor: Visitor) -> None:
    key = {"Idempotency-Key": "order-66"}
    assert (await visitor.post("/v1/scenes", {"scene": "argumant"}, headers=key)).status == 404
    assert await visitor.play(headers=key)


async def test_costs_are_told_by_character_beat_and_purpose_and_add_up(guest: Visitor) -> None:
    run = await guest.play()
    await guest.to_the_end(run)
    table = (await guest.get(f"/v1/runs/{run}/costs")).json
    metadata = (await guest.get(f"/v1/runs/{run}")).json["metadata"]
    rows, cells, total = table["rows"], table["cells"], table["total"]
    assert total["calls"] == len(cells) == CALLS
    assert total["inputTokens"] + total["outputTokens"] == metadata["costs"]["totalTokens"]
    for part in (rows, cells, table["beats"]):
        assert sum(row["inputTokens"] for row in part) == total["inputTokens"]
    everybody = {*((name, "acting") for name in CAST), ("director", "judging")}
    assert {(row["who"], row["purpose"]) for row in cells if row["beat"] == 1} == everybody
    assert {(row["who"], row["purpose"]) for row in rows} == everybody
    assert 0 < total["cachedShare"] < 1
    assert total["usd"] is None
    assert table["shared"]["calls"] == 0


async def test_a_fork_shares_the_past_hears_the_note_and_leaves_its_parent_alone(
    guest: Visitor, models: ModelServer, long_story: Path
) -> None:
    parent = await guest.play()
    before = await guest.to_the_end(parent)
    await guest.studio.engine.join()
    folder = long_story / "data" / "scenes"
    written = (folder / "argument" / "transcript.txt").read_bytes()
    asked = len(models.requests)

    answer = await guest.post(f"/v1/runs/{parent}/fork", {"beat": 2, "note": "Bob, say it now."})
    assert answer.status == 202
    fork = answer.json["run"]
    after = await guest.to_the_end(fork)
    await guest.studio.engine.join()

    shared = [sent for sent in before if sent.data["event"].get("line", sent.data["event"]).get("beat", 0) <= 2]
    shared = [sent for sent in shared if sent.event != "scene.ended"]
    assert after[: len(shared)] == shared
    assert len(models.requests) - asked == 3 * 4
    first = [request for request in models.requests[asked:] if b"natural_end" not in request.raw][: len(CAST)]
    assert all(b"Bob, say it now." in request.raw for request in first)
    assert (folder / "argument" / "transcript.txt").read_bytes() == written
    assert (folder / "argument-2" / "transcript.txt").is_file()
    shown = (await guest.get(f"/v1/runs/{fork}")).json
    assert (shown["parent"], shown["status"]) == (parent, "ended")
    costs = (await guest.get(f"/v1/runs/{fork}/costs")).json
    assert (costs["shared"]["calls"], costs["total"]["calls"]) == (2 + 2 * 4, CALLS)


async def test_a_fork_where_no_beat_can_follow_is_refused(visitor: Visitor) -> None:
    run = await visitor.play()
    await visitor.to_the_end(run)
    last = (await visitor.get(f"/v1/runs/{run}")).json["metadata"]["totalBeats"] - 1
    for beat in (last, 99):
        answer = await visitor.post(f"/v1/runs/{run}/fork", {"beat": beat})
        assert (answer.status, answer.code) == (404, "NOT_FOUND")
        assert f"0 to {last - 1}" in answer.json["error"]["message"]


async def test_what_the_parent_spent_does_not_count_against_the_budget_of_its_fork(
    guest: Visitor, long_story: Path
) -> None:
    parent = await guest.play()
    await guest.to_the_end(parent)
    rows = (await guest.get(f"/v1/runs/{parent}/costs")).json["beats"]
    spent = sum(row["inputTokens"] + row["outputTokens"] for row in rows if row["beat"] <= 4)
    with (long_story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"[budget]\ntokens = {spent}\n")
    async with served(long_story) as poorer:
        fork = (await poorer.post(f"/v1/runs/{parent}/fork", {"beat": 4})).json["run"]
        await poorer.to_the_end(fork)
        await poorer.studio.engine.join()
        assert (await poorer.get(f"/v1/runs/{fork}")).json["status"] == "ended"
