"""Why, takes, exports and characters over HTTP."""

import json
from pathlib import Path

import pytest

from dramaturg.scenes.exports import export_run
from tests.model_server import ModelServer
from tests.server.visitor import Visitor


async def ended(visitor: Visitor, body: object = None) -> str:
    run = await visitor.play(body)
    await visitor.to_the_end(run)
    await visitor.studio.engine.join()
    return run


async def test_a_line_has_an_account_and_the_end_an_explanation(visitor: Visitor) -> None:
    run = await ended(visitor)
    told = (await visitor.get(f"/v1/runs/{run}/why/1")).json
    assert told["explanation"] is None
    assert told["account"]["line"]["number"] == 1
    assert told["account"]["notes"][0]["toAll"] is False
    told = (await visitor.get(f"/v1/runs/{run}/why/end")).json
    assert (told["account"], told["explanation"]["topic"]) == (None, "end")
    assert told["explanation"]["cause"] == (await visitor.get(f"/v1/runs/{run}")).json["metadata"]["reason"]


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        ("99", 404, "its lines are 1 to"),
        ("note:99", 404, "end"),
        ("potato", 404, "No line"),
        ("1?test=true", 422, "POST"),
    ],
)
async def test_what_is_not_there_is_refused_with_what_there_is(
    visitor: Visitor, what: str, status: int, words: str
) -> None:
    answer = await visitor.get(f"/v1/runs/{await ended(visitor)}/why/{what}")
    assert answer.status == status
    assert answer.code
    assert words in answer.json["error"]["message"]


async def test_a_test_is_a_run_of_its_own_and_its_link_has_what_it_found(guest: Visitor, models: ModelServer) -> None:
    scene = await ended(guest)
    before = len(models.requests)
    answer = await guest.post(f"/v1/runs/{scene}/why/2", {"again": 2})
    assert answer.status == 202
    why, links = answer.json["run"], answer.json["links"]
    assert answer.headers["location"] == f"/v1/runs/{why}"
    await guest.studio.engine.join()
    found = (await guest.get(links["ablation"])).json
    assert (found["run"], found["status"], found["ablation"]["run"]) == (why, "ended", scene)
    assert found["ablation"]["floor"] == 0.0
    assert len(models.requests) - before == 2 + len(found["ablation"]["effects"])
    assert (await guest.get(f"/v1/runs/{scene}/ablation")).status == 404
    assert (await guest.post(f"/v1/runs/{scene}/why/end")).status == 404
    assert (await guest.get(f"/v1/runs/{why}/why/1")).status == 404


async def test_takes_are_started_together_and_compared_side_by_side(visitor: Visitor) -> None:
    answer = await visitor.post("/v1/takes", {"scene": "argument", "seeds": [3, 3, 4], "models": ["rehearsal"]})
    assert answer.status == 202
    started = answer.json
    assert answer.headers["location"] == started["link"] == f"/v1/takes/{started['takes']}"
    assert len({one["run"] for one in started["runs"]}) == 3
    await visitor.studio.engine.join()
    table = (await visitor.get(started["link"])).json
    assert [take["run"] for take in table["takes"]] == [one["run"] for one in started["runs"]]
    assert [take["seed"] for take in table["takes"]] == [3, 3, 4]
    assert table["takes"][1]["common"] == 1.0
    assert (table["playing"], table["passRate"]) == (0, table["reached"] / 3)
    fork = await visitor.post(f"/v1/runs/{started['runs'][0]['run']}/fork", {"beat": 0})
    assert fork.status == 202
    await visitor.studio.engine.join()
    assert len((await visitor.get(started["link"])).json["takes"]) == 3


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"scene": "argumant"}, 404, "Did you mean"),
        ({"scene": "argument", "count": 21}, 422, "count"),
        (
            {"scene": "argument", "count": 20, "models": ["rehearsal"], "agents": ["direct", "assisted"]},
            422,
            "40 takes",
        ),
        ({"scene": "argument", "agents": ["blind"]}, 422, "agents"),
        ({"scene": "argument", "models": ["rehearsal", "nobody/nothing"]}, 422, "nobody"),
        ({"scene": "argument", "models": ["rehearsal"], "agents": ["direct", "task"]}, 422, "claude-code"),
    ],
)
async def test_takes_that_cannot_all_be_played_leave_no_run(
    visitor: Visitor, body: dict, status: int, words: str
) -> None:
    answer = await visitor.post("/v1/takes", body)
    assert answer.status == status
    assert answer.code
    assert words in answer.text
    assert (await visitor.get("/v1/runs")).json["runs"] == []
    assert (await visitor.get(f"/v1/takes/{'0' * 18}")).status == 404


@pytest.mark.parametrize(
    ("form", "ending", "media"),
    [
        ("fountain", "fountain", "text/plain; charset=utf-8"),
        ("vtt", "vtt", "text/vtt; charset=utf-8"),
        ("markdown", "md", "text/markdown; charset=utf-8"),
        ("md", "md", "text/markdown; charset=utf-8"),
        ("html", "html", "text/html; charset=utf-8"),
        ("json", "json", "application/json"),
        ("txt", "txt", "text/plain; charset=utf-8"),
    ],
)
async def test_an_export_is_the_file_with_its_type_and_its_name(
    visitor: Visitor, form: str, ending: str, media: str
) -> None:
    run = await ended(visitor)
    answer = await visitor.get(f"/v1/runs/{run}/exports/{form}")
    assert answer.status == 200
    assert answer.headers["content-type"] == media
    assert answer.headers["content-disposition"] == f'attachment; filename="argument.{ending}"'
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.text == export_run(run, (await visitor.studio.runs.open(run)).entries, ending)


async def test_a_format_nobody_knows_is_refused_with_those_we_know(visitor: Visitor) -> None:
    run = await ended(visitor)
    for form in ("pdf", "fountan", ",", "html,md"):
        answer = await visitor.get(f"/v1/runs/{run}/exports/{form}")
        assert (answer.status, answer.code) == (422, "INVALID_CONFIG")
        assert "fountain" in answer.text


@pytest.fixture
def remembering(story: Path) -> Path:
    path = story / "scenes" / "argument.json"
    scene = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(scene | {"remembers": True, "maxBeats": 12}), encoding="utf-8")
    return story


async def test_a_character_is_shown_with_card_memories_mood_and_bonds(remembering: Path, visitor: Visitor) -> None:
    await ended(visitor)
    listed = (await visitor.get("/v1/characters")).json["characters"]
    assert [one["name"] for one in listed] == ["alice", "bob", "charlie"]
    told = (await visitor.get("/v1/characters/Alice")).json
    assert (told["name"], told["card"]["displayName"], told["card"]["headings"]) == ("alice", "Alice", ["Personality"])
    assert told["memories"] == (await visitor.get("/v1/characters/alice/memories")).json["memories"]
    assert told["memories"][0]["scene"] == "argument"
    assert {bond["toward"] for bond in told["bonds"]} <= {"bob", "charlie"}
    assert told["bonds"][0]["history"]


async def test_memories_are_edited_forgotten_and_reset(remembering: Path, visitor: Visitor) -> None:
    await ended(visitor)
    base = "/v1/characters/alice/memories"
    first, *rest = (await visitor.get(base)).json["memories"]
    edited = await visitor.ask("PATCH", f"{base}/{first['id']}", json={"text": "Bob  meant well."})
    assert (edited.status, edited.json["text"], edited.json["edited"]) == (200, "Bob meant well.", True)
    assert (await visitor.ask("PATCH", f"{base}/{first['id']}", json={"text": " "})).code == "INVALID_CONFIG"
    assert (await visitor.ask("DELETE", f"{base}/{first['id']}")).status == 204
    assert [one["id"] for one in (await visitor.get(base)).json["memories"]] == [one["id"] for one in rest]
    assert (await visitor.ask("DELETE", f"{base}/{first['id']}")).code == "NOT_FOUND"
    assert (await visitor.ask("DELETE", base)).status == 204
    told = (await visitor.get("/v1/characters/alice")).json
    assert (told["memories"], told["bonds"], told["mood"]["valence"]) == ([], [], 0.0)


@pytest.mark.parametrize("name", ["alicia", "..%2f..%2fetc%2fpasswd", "x" * 64])
async def test_a_character_that_is_not_here_is_not_found(visitor: Visitor, name: str) -> None:
    for path in (f"/v1/characters/{name}", f"/v1/characters/{name}/memories"):
        assert (await visitor.get(path)).status == 404
    assert "alice" in (await visitor.get("/v1/characters/alicia")).text


async def test_a_card_that_cannot_be_read_is_listed_with_the_reason(visitor: Visitor, story: Path) -> None:
    (story / ".claude" / "agents" / "zoe.md").write_text("", encoding="utf-8")
    zoe = (await visitor.get("/v1/characters")).json["characters"][-1]
    assert (zoe["name"], zoe["displayName"]) == ("zoe", "")
    assert "empty" in zoe["problem"]
    answer = await visitor.get("/v1/characters/zoe")
    assert (answer.status, answer.code) == (422, "CHARACTER_LOAD_ERROR")
