"""Scenes composed over HTTP: read, checked before they are played, saved as files."""

import asyncio
import json
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


@pytest.mark.parametrize(
    ("name", "said"), [("CON", "some systems reserve"), ("nul", "some systems reserve"), ("ARGUMENT", "exists already")]
)
async def test_a_scene_gets_a_name_that_a_file_can_have_everywhere(
    visitor: Visitor, story: Path, name: str, said: str
) -> None:
    before = sorted((story / "scenes").iterdir())
    refused = await visitor.ask("PUT", f"/v1/scenes/{name}", json={**COMPOSED, "name": "x"})
    assert (refused.status, refused.code) == (422, "INVALID_CONFIG")
    assert said in refused.json["error"]["message"]
    assert sorted((story / "scenes").iterdir()) == before


async def test_a_file_that_is_there_is_not_overwritten(visitor: Visitor, story: Path) -> None:
    (there,) = (story / "scenes").glob("argument.*")
    before = there.read_bytes()
    await visitor.ask("PUT", "/v1/scenes/twice", json=COMPOSED)
    again = await visitor.ask("PUT", "/v1/scenes/twice", json={**COMPOSED, "maxBeats": 9})
    assert (again.status, again.code) == (422, "INVALID_CONFIG")
    assert read_scene(story / "scenes" / "twice.yaml").max_beats == 6
    assert there.read_bytes() == before


@pytest.mark.parametrize(("method", "path"), [("PUT", "/v1/scenes/halved"), ("POST", "/v1/scenes")])
async def test_half_a_character_is_refused_in_words(method: str, path: str, visitor: Visitor, story: Path) -> None:
    refused = await visitor.ask(method, path, json={"name": "x", "prompt": "x", "characters": ["\ud800"]})
    assert (refused.status, refused.code) == (422, "INVALID_CONFIG")
    assert "half of a surrogate pair is no character" in refused.json["error"]["message"]
    assert not (story / "scenes" / "halved.yaml").exists()


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fx", "a%2Fb", "con%00", ".hidden", "x" * 81, "a\\b"])
async def test_no_name_leads_out_of_the_folder(name: str, visitor: Visitor, story: Path) -> None:
    before = {path for path in story.parent.rglob("*") if "data" not in path.parts}
    assert (await visitor.ask("PUT", f"/v1/scenes/{name}", json=COMPOSED)).status in (404, 405, 422)
    assert {path for path in story.parent.rglob("*") if "data" not in path.parts} == before


QUIET = """\
# A quiet one.
prompt: >
  Bob is late,
  and Alice has waited.
characters: [alice, bob] # nobody else
max_beats: 6
"""
FILE = "/v1/scenes/quiet/file"


@pytest.fixture
def quiet(story: Path) -> Path:
    path = story / "scenes" / "quiet.yaml"
    path.write_bytes(QUIET.encode())
    return path


async def test_a_file_is_read_with_its_scene_and_written_back_as_it_was_sent(visitor: Visitor, quiet: Path) -> None:
    read = (await visitor.get(FILE)).json
    assert (read["file"], read["text"], read["problem"]) == ("scenes/quiet.yaml", QUIET, "")
    assert (read["scene"]["name"], read["scene"]["maxBeats"]) == ("quiet", 6)
    longer = QUIET.replace("max_beats: 6", "max_beats: 9")
    done = await visitor.ask("PUT", FILE, json={"text": longer, "digest": read["digest"]})
    assert (done.status, done.json["text"], done.json["scene"]["maxBeats"]) == (200, longer, 9)
    assert quiet.read_bytes() == longer.encode()
    assert (await visitor.get(FILE)).json == done.json
    again = await visitor.ask("PUT", FILE, json={"text": QUIET, "digest": done.json["digest"]})
    assert (again.status, quiet.read_bytes()) == (200, QUIET.encode())
    assert not list(quiet.parent.glob(".*"))


async def test_a_file_that_was_changed_meanwhile_is_not_overwritten(visitor: Visitor, quiet: Path) -> None:
    digest = (await visitor.get(FILE)).json["digest"]
    quiet.write_text(QUIET + "seed: 2\n", encoding="utf-8")
    late = await visitor.ask("PUT", FILE, json={"text": QUIET, "digest": digest})
    assert (late.status, late.code) == (409, "ALREADY_USED")
    assert "Read it again" in late.json["error"]["message"]
    assert quiet.read_text(encoding="utf-8") == QUIET + "seed: 2\n"


async def test_of_two_who_write_over_the_same_text_one_is_told(visitor: Visitor, quiet: Path) -> None:
    digest = (await visitor.get(FILE)).json["digest"]
    texts = [QUIET + f"seed: {number}\n" for number in range(4)]
    answers = await asyncio.gather(*(visitor.ask("PUT", FILE, json={"text": text, "digest": digest}) for text in texts))
    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
    (written,) = [text for text, answer in zip(texts, answers, strict=True) if answer.status == 200]
    assert quiet.read_text(encoding="utf-8") == written


async def test_a_file_in_json_stays_one(visitor: Visitor, quiet: Path) -> None:
    quiet.unlink()
    path = quiet.with_suffix(".json")
    path.write_text(json.dumps(SCENE), encoding="utf-8")
    digest = (await visitor.get(FILE)).json["digest"]
    refused = await visitor.ask("PUT", FILE, json={"text": QUIET, "digest": digest})
    assert "not valid JSON" in refused.json["error"]["message"]
    text = json.dumps({**SCENE, "maxBeats": 9})
    assert (await visitor.ask("PUT", FILE, json={"text": text, "digest": digest})).json["scene"]["maxBeats"] == 9
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prompt: [", "not valid YAML"),
        ("", "found nothing"),
        (QUIET.replace("[alice, bob]", "[alice]"), "needs a cast of 2 to 5"),
        (QUIET.replace("max_beats", "max_beets"), "Did you mean"),
        (QUIET + "# " + "\u00e4" * 120_000, "Shorten it"),
    ],
)
async def test_what_cannot_be_played_is_not_written(visitor: Visitor, quiet: Path, text: str, said: str) -> None:
    digest = (await visitor.get(FILE)).json["digest"]
    refused = await visitor.ask("PUT", FILE, json={"text": text, "digest": digest})
    assert (refused.status, refused.code) == (422, "INVALID_CONFIG")
    assert said in refused.json["error"]["message"]
    assert quiet.read_bytes() == QUIET.encode()


async def test_a_file_that_cannot_be_played_is_read_with_what_is_wrong(visitor: Visitor, quiet: Path) -> None:
    quiet.write_text("prompt: [", encoding="utf-8")
    read = (await visitor.get(FILE)).json
    assert (read["text"], read["scene"]) == ("prompt: [", None)
    assert "not valid YAML" in read["problem"]
    mended = await visitor.ask("PUT", FILE, json={"text": QUIET, "digest": read["digest"]})
    assert (mended.status, mended.json["problem"]) == (200, "")


async def test_a_link_out_of_the_project_is_neither_read_nor_written(
    visitor: Visitor, quiet: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "quiet.yaml"
    outside.write_text(QUIET, encoding="utf-8")
    digest = (await visitor.get(FILE)).json["digest"]
    quiet.unlink()
    quiet.symlink_to(outside)
    longer = {"text": QUIET + "seed: 2\n", "digest": digest}
    for answer in (await visitor.get(FILE), await visitor.ask("PUT", FILE, json=longer)):
        assert (answer.status, answer.code) == (422, "INVALID_CONFIG")
        assert "link out of" in answer.json["error"]["message"]
    assert outside.read_text(encoding="utf-8") == QUIET
    assert quiet.is_symlink()


async def test_a_link_inside_the_project_stays_one(visitor: Visitor, quiet: Path) -> None:
    real = quiet.rename(quiet.with_name("loud.yaml"))
    quiet.symlink_to(real)
    digest = (await visitor.get(FILE)).json["digest"]
    assert (await visitor.ask("PUT", FILE, json={"text": QUIET + "seed: 2\n", "digest": digest})).status == 200
    assert quiet.is_symlink()
    assert real.read_text(encoding="utf-8") == QUIET + "seed: 2\n"


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fdramaturg", "a%2Fb", "con%00", "nobody", "quiet.yaml", "x" * 81])
async def test_no_name_but_that_of_a_scene_is_read_or_written(name: str, visitor: Visitor, quiet: Path) -> None:
    digest = (await visitor.get(FILE)).json["digest"]
    assert (await visitor.get(f"/v1/scenes/{name}/file")).status in (404, 422)
    edit = {"text": QUIET + "seed: 2\n", "digest": digest}
    assert (await visitor.ask("PUT", f"/v1/scenes/{name}/file", json=edit)).status in (404, 422)
    assert quiet.read_bytes() == QUIET.encode()
