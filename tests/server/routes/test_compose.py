"""Scenes composed over HTTP: read, checked before they are played, saved as files."""

from pathlib import Path

import pytest

from dramaturg.scenes.scene import read_scene
from tests.server.visitor import SCENE, Visitor

COMPOSED = {
    **SCENE,
    "name": "on-the-stairs",
    "goal": "Bob says sorry. Alice forgives him.",
    "prompt": "They meet between two floors.",
    "maxBeats": 6,
    "parts": {"bob": {"note": "He is late.", "secrets": ["He has the key."], "played_by": "person", "wait": True}},
}


async def test_a_check_says_what_a_scene_will_mean_and_writes_nothing(visitor: Visitor) -> None:
    checked = (await visitor.post("/v1/scenes/check", COMPOSED)).json
    assert [goal["text"] for goal in checked["goals"]] == ["Bob says sorry", "Alice forgives him"]
    assert checked["price"]["lowTokens"] <= checked["price"]["highTokens"]
    told = {one["name"]: one["system"] + one["firstCue"] for one in checked["briefings"]}
    assert "He has the key." in told["bob"]
    assert "He has the key." not in told["alice"]
    assert (await visitor.get("/v1/runs")).json["runs"] == []


async def test_a_check_refuses_what_playing_would_refuse(visitor: Visitor) -> None:
    for body in (
        {**COMPOSED, "characters": ["alice"]},
        {**COMPOSED, "characters": ["alice", "nobody"]},
        {"scene": "x"},
    ):
        refused, played = await visitor.post("/v1/scenes/check", body), await visitor.post("/v1/scenes", body)
        assert refused.status == played.status >= 400
        assert refused.json["error"]["message"] == played.json["error"]["message"]


async def test_a_scene_that_was_saved_is_read_back_and_played(visitor: Visitor, story: Path) -> None:
    assert (await visitor.ask("PUT", "/v1/scenes/on-the-stairs", json=COMPOSED)).status == 201
    written = read_scene(story / "scenes" / "on-the-stairs.yaml")
    assert written.sheet("bob").secrets == ("He has the key.",)
    back = (await visitor.get("/v1/scenes/on-the-stairs")).json
    assert {key: back[key] for key in ("name", "goal", "prompt", "maxBeats")} == {
        key: COMPOSED[key] for key in ("name", "goal", "prompt", "maxBeats")
    }
    assert "on-the-stairs" in [one["name"] for one in (await visitor.get("/v1/scenes")).json["scenes"]]


async def test_a_file_that_is_there_is_not_overwritten(visitor: Visitor, story: Path) -> None:
    (there,) = (story / "scenes").glob("argument.*")
    before = there.read_bytes()
    await visitor.ask("PUT", "/v1/scenes/twice", json=COMPOSED)
    again = await visitor.ask("PUT", "/v1/scenes/twice", json={**COMPOSED, "maxBeats": 9})
    assert (again.status, again.code) == (422, "INVALID_CONFIG")
    assert read_scene(story / "scenes" / "twice.yaml").max_beats == 6
    assert there.read_bytes() == before


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fx", "a%2Fb", "con%00", ".hidden", "x" * 81, "a\\b"])
async def test_no_name_leads_out_of_the_folder(name: str, visitor: Visitor, story: Path) -> None:
    before = {path for path in story.parent.rglob("*") if "data" not in path.parts}
    assert (await visitor.ask("PUT", f"/v1/scenes/{name}", json=COMPOSED)).status in (404, 405, 422)
    assert {path for path in story.parent.rglob("*") if "data" not in path.parts} == before
