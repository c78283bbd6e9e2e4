"""The host's view: directors without words, limits, and files of episodes that are changed with care."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import Model
from tests.episodes.staging import house, spoken
from tests.one_model import OneModel
from tests.server.players import begin, example, words
from tests.server.visitor import Visitor, served

SECRET = "Zyzzyva, my maiden name"


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(example("the-missing-ledger", tmp_path / "story")) as visiting:
        yield visiting


async def test_the_host_sees_how_far_a_session_is_and_nothing_that_was_said(host: Visitor) -> None:
    guest = await begin(host, name="Anna", template="the-ferryman")
    await guest.say(SECRET)
    (listed,) = (await host.get("/v1/host/sessions")).json["sessions"]
    assert (listed["id"], listed["template"], listed["turn_count"]) == (guest.session, "the-ferryman", 1)
    seen = await host.get(f"/v1/host/sessions/{guest.session}")
    assert seen.json["session"] == listed
    assert seen.json["clues"]
    assert {one["found"] for one in seen.json["clues"]} <= {True, False}
    assert len(seen.json["tension_curve"]) == 1
    answer = (await guest.now())["messages"][-1]["structured"]["dialogue"]
    assert "Zyzzyva" not in seen.text + (await host.get("/v1/host/sessions")).text
    assert answer not in seen.text
    assert (await host.get("/v1/host/sessions/1mkq8zt4c0v7hxw3rn")).status == 404


class Other(OneModel):
    """A model by its name; the usual ones are whoever plays here."""

    def open(self, name: str) -> Model:
        if name == "attic/nobody":
            raise InvalidConfig("There is no provider 'attic'.")
        return super().open(name)


async def test_another_model_plays_a_session_on(host: Visitor) -> None:
    guest = await begin(host, name="Anna", template="the-ferryman")
    path = f"/v1/host/sessions/{guest.session}"
    assert (await host.get(path)).json["model"] == "rehearsal"
    host.studio.resources.gateway = Other(house(spoken("Nobody crossed.")))  # type: ignore[assignment]
    assert (await host.ask("PUT", f"{path}/model", json={"model": "attic/nobody"})).status == 422
    assert (await host.get(path)).json["model"] == "rehearsal"
    done = await host.ask("PUT", f"{path}/model", json={"model": " attic/other "})
    assert (done.status, done.json["model"]) == (200, "attic/other")
    assert "Nobody crossed." in words(await guest.say("Who crossed before it was light?"))
    assert (await host.ask("PUT", "/v1/host/sessions/1mkq8zt4c0v7hxw3rn/model", json={"model": ""})).status == 404


async def test_limits_and_what_was_used_are_told(host: Visitor) -> None:
    told = (await host.get("/v1/host/limits")).json
    assert (told["guests"], told["tokens_per_day"], told["spent"]["tokens"]) == (True, None, 0)


async def test_what_players_use_is_counted_where_nothing_is_limited_too(host: Visitor) -> None:
    guest = await begin(host, name="Anna", template="the-ferryman")
    host.studio.resources.gateway = OneModel(house(spoken("Nobody crossed.")))  # type: ignore[assignment]
    await guest.say("Who crossed?")
    assert (await host.get("/v1/host/limits")).json["spent"]["tokens"] > 0


async def test_a_clue_of_an_earlier_episode_has_come_out_for_the_host_as_well(host: Visitor) -> None:
    first = await begin(host, name="Anna", template="the-ferryman")
    host.studio.resources.gateway = OneModel(house(spoken("She had a parcel.")))  # type: ignore[assignment]
    await first.say("What did she carry?")
    last = await begin(host, template="the-accusation", token=first.token)
    told = (await host.get(f"/v1/host/sessions/{last.session}")).json["clues"]
    assert [one["id"] for one in told if one["found"]] == ["parcel"]


async def test_an_episode_is_changed_only_over_what_was_read_and_only_to_what_can_be_played(host: Visitor) -> None:
    path = "/v1/host/episodes/the-ferryman"
    read = (await host.get(path)).json
    assert read["problem"] == ""
    better = read["text"].replace("title: The ferryman", "title: The ferryman's oath")
    wrong = await host.ask("PUT", path, json={"text": "character: 2024-13-45\n", "digest": read["digest"]})
    other = await host.ask("PUT", path, json={"text": f"{better}\nname: somebody-else\n", "digest": read["digest"]})
    assert (wrong.status, other.status) == (422, 422)
    done = await host.ask("PUT", path, json={"text": better, "digest": read["digest"]})
    assert (done.status, done.json["text"]) == (200, better)
    assert (await host.get("/v1/episodes/the-ferryman")).json["title"] == "The ferryman's oath"
    late = await host.ask("PUT", path, json={"text": read["text"], "digest": read["digest"]})
    assert (late.status, late.code) == (409, "ALREADY_USED")
    folder = host.studio.settings.project / "episodes"
    assert not [one for one in folder.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize(
    ("right", "wrong", "key", "said"),
    [
        ("character: teo", "character: theo", "character", "Did you mean 'teo'?"),
        ("character: teo", "characters: [teo, nobody]", "characters", "Character 'nobody' not found"),
        ("evaluation: mystery_progress", "evaluation: flirt-tset", "evaluation", "Evaluation 'flirt-tset' not found"),
    ],
)
async def test_an_episode_that_names_what_is_not_there_is_not_saved(
    host: Visitor, right: str, wrong: str, key: str, said: str
) -> None:
    path = "/v1/host/episodes/the-ferryman"
    read = (await host.get(path)).json
    text = read["text"].replace(right, wrong)
    refused = await host.ask("PUT", path, json={"text": text, "digest": read["digest"]})
    assert (refused.status, said in refused.json["error"]["message"]) == (422, True)
    assert (await host.get(path)).json == read
    (problem,) = (await host.post(f"{path}/check", {"text": text})).json["problems"]
    assert (problem["path"], said in problem["message"]) == ([key], True)
    (host.studio.settings.project / "episodes" / "the-ferryman.yaml").write_text(text, encoding="utf-8")
    assert said in (await host.get(path)).json["problem"]


@pytest.mark.parametrize("name", ["..%2fdramaturg", "nobody", "%2e%2e", "the-ferryman.yaml"])
async def test_only_episodes_of_the_project_are_read(host: Visitor, name: str) -> None:
    assert (await host.get(f"/v1/host/episodes/{name}")).status == 404


async def test_a_file_that_cannot_be_played_is_shown_with_what_is_wrong(host: Visitor) -> None:
    (host.studio.settings.project / "episodes" / "broken.yaml").write_text("title: [", encoding="utf-8")
    read = (await host.get("/v1/host/episodes/broken")).json
    assert read["text"] == "title: ["
    assert "not valid YAML" in read["problem"]


async def test_a_text_is_checked_before_it_is_saved_and_each_problem_has_its_place(host: Visitor) -> None:
    path = "/v1/host/episodes/the-ferryman"
    text = (await host.get(path)).json["text"]
    check = partial(host.post, f"{path}/check")
    assert (await check({"text": text.replace("The landing", "The quay")})).json["shown"]["scene_card"]["title"] == (
        "The quay, first light"
    )
    late = (await check({"text": text.replace("deadline: 7", "deadline: 1")})).json
    assert late["shown"] is None
    assert [one["path"] for one in late["problems"]] == [["beats", 1]]
    assert "before its target turn" in late["problems"][0]["message"]
    aimless = (await check({"text": text.replace("beat_gated", "objective")})).json["problems"]
    assert [one["path"] for one in aimless] == [["completion_criteria"]]
    torn = (await check({"text": "title: ["})).json["problems"]
    assert (torn[0]["path"], "not valid YAML" in torn[0]["message"]) == ([], True)
    assert (await host.get(path)).json["text"] == text
    assert (await host.post("/v1/host/episodes/nobody/check", {"text": text})).status == 404


async def test_a_new_episode_is_a_file_that_can_be_played_and_written_on(host: Visitor) -> None:
    begun = await host.post(
        "/v1/host/episodes", {"name": "the-mill", "title": "The mill: at night", "character": "teo"}
    )
    assert (begun.status, begun.json["file"], begun.json["problem"]) == (201, "episodes/the-mill.yaml", "")
    assert (await host.get("/v1/episodes/the-mill")).json["title"] == "The mill: at night"
    edit = {"text": begun.json["text"] + "opening_line: Who is there?\n", "digest": begun.json["digest"]}
    assert (await host.ask("PUT", "/v1/host/episodes/the-mill", json=edit)).status == 200
    guest = await begin(host, name="Anna", template="the-mill")
    assert (await guest.now())["messages"][0]["content"] == "Who is there?"


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"name": "the-ferryman", "character": "teo"}, 409),
        ({"name": "THE-FERRYMAN", "character": "teo"}, 409),
        ({"name": "CON", "character": "teo"}, 422),
        ({"name": "nul.x", "character": "teo"}, 422),
        ({"name": "../out", "character": "teo"}, 422),
        ({"name": "the-mill/x", "character": "teo"}, 422),
        ({"name": "the-mill", "character": "nobody"}, 422),
        ({"name": "the-mill"}, 422),
    ],
)
async def test_a_new_episode_overwrites_nothing_and_lies_where_episodes_lie(
    host: Visitor, wanted: dict[str, str], status: int
) -> None:
    folder = host.studio.settings.project / "episodes"
    before = {file: file.read_text("utf-8") for file in folder.iterdir()}
    assert (await host.post("/v1/host/episodes", wanted)).status == status
    assert {file: file.read_text("utf-8") for file in folder.iterdir()} == before
    assert not (folder.parent / "out.yaml").exists()
