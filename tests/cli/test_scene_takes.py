"""`scene takes`: one scene several times, side by side."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.cli.story import SCENE, document, new_story, typed
from tests.cli.test_runs_why import dramaturg
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import project


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def test_takes_are_ordinary_runs_and_the_first_is_what_the_others_are_held_against(story: Path) -> None:
    table = json.loads(typed(story, "scene", "takes", SCENE, "--models", "rehearsal", "--seeds", "3,3,4", "--json"))
    one, same, other = table["takes"]
    assert [take["seed"] for take in table["takes"]] == [3, 3, 4]
    assert (same["common"], same["departs"]) == (1.0, None)
    assert other["common"] < 1
    assert other["departs"]["number"] >= 1
    assert table["passRate"] == table["reached"] / 3
    runs = [json.loads(line)["id"] for line in typed(story, "runs", "list", "--json").splitlines()]
    assert sorted(runs) == sorted(take["run"] for take in table["takes"])
    assert one["reason"] == document(story)["metadata"]["reason"]


def test_the_table_has_a_row_a_take_and_ends_with_the_pass_rate(story: Path) -> None:
    shown = typed(story, "scene", "takes", SCENE, "-n", "2", "--models", "rehearsal")
    rows = shown.splitlines()
    assert rows[0].split() == ["take", "goal", "end", "seed", "beats", "lines", "cuts", "tokens", "cost", "s", "common"]
    assert [row.split()[0] for row in rows[1:3]] == ["1", "2"]
    assert "the others are compared with this one" in shown
    assert rows[-1].startswith("Goal reached in ")
    assert rows[-1].endswith("%).")


def test_seeds_that_are_no_numbers_and_scenes_that_are_not_there_are_refused(story: Path) -> None:
    assert "whole numbers" in typed(story, "scene", "takes", SCENE, "--seeds", "a,b", code=2)
    assert "not found" in typed(story, "scene", "takes", "nothing", code=2)


def test_ways_of_playing_are_compared_like_models(story: Path) -> None:
    shown = typed(story, "scene", "takes", SCENE, "-n", "1", "--models", "rehearsal", "--agents", "direct,assisted")
    assert "rehearsal, assisted" in " ".join(shown.split())
    assert "the same" in shown
    assert "direct, assisted and task" in typed(story, "scene", "takes", SCENE, "--agents", "blind", code=2)


def takes_of(story: Path, *options: str) -> list[str]:
    table = json.loads(typed(story, "scene", "takes", SCENE, "--models", "rehearsal", *options, "--json"))
    return [take["run"] for take in table["takes"]]


def test_takes_are_shown_side_by_side_and_one_of_them_stands_for_all(story: Path, tmp_path: Path) -> None:
    one, two, _ = takes_of(story, "--seeds", "3,4,3")
    shown = typed(story, "takes", "compare", one)
    assert "take 1" in shown
    assert "take 3" in shown
    assert max(map(len, shown.splitlines()[5:])) <= 80
    rows = json.loads(typed(story, "takes", "compare", two, one, "--json"))
    assert [take["run"] for take in rows["takes"]] == [two, one]
    assert any(a and b and a["content"] != b["content"] for a, b in (row["cells"] for row in rows["rows"]))
    again = takes_of(story, "--seeds", "3")[0]
    assert "(15 lines the same)" in typed(story, "takes", "compare", one, again)
    assert "lines the same)" not in typed(story, "takes", "compare", one, again, "--all")
    page = tmp_path / "takes.html"
    typed(story, "takes", "compare", one, "--html", str(page))
    assert '<th scope="col">Take 3<br>' in page.read_text(encoding="utf-8")
    assert "already exists" in typed(story, "takes", "compare", one, "--html", str(page), code=2)


def test_many_takes_are_shown_below_one_another(story: Path) -> None:
    runs = takes_of(story, "-n", "4")
    shown = typed(story, "takes", "compare", *runs)
    assert "\n1  Iris [" in shown
    assert "\n4  Iris [" in shown


def test_runs_that_cannot_be_compared_are_refused(story: Path) -> None:
    (run,) = takes_of(story, "-n", "1")
    assert f"Run {run} is alone" in typed(story, "takes", "compare", run, code=2)
    typed(story, "scene", "new", "other")
    other = json.loads(typed(story, "scene", "run", "other", "--model", "rehearsal", "--json").splitlines()[-1])["run"]
    assert "different scenes" in typed(story, "takes", "compare", run, other, code=2)


def test_the_favourite_is_shown_in_lists_and_is_one_of_its_batch(story: Path) -> None:
    one, two = takes_of(story, "-n", "2")
    before = typed(story, "runs", "show", one, "--debug")
    assert f"Run {one} is the favourite." in typed(story, "takes", "pick", one)
    assert f"is the favourite, instead of {one}." in typed(story, "takes", "pick", two)
    listed = {row["id"]: row["picked"] for row in map(json.loads, typed(story, "runs", "list", "--json").splitlines())}
    assert listed == {one: False, two: True}
    assert "take 2, favourite" in typed(story, "runs", "list")
    assert f"favourite {two}" in typed(story, "scene", "list")
    assert "favourite" in typed(story, "takes", "compare", one)
    assert typed(story, "runs", "show", one, "--debug") == before
    fork = json.loads(typed(story, "runs", "fork", two, "--beat", "1", "--json").splitlines()[-1])["run"]
    assert {
        row["id"]: row["picked"] for row in map(json.loads, typed(story, "runs", "list", "--json").splitlines())
    } == {
        one: False,
        two: True,
        fork: False,
    }
    assert "no favourite any more" in typed(story, "takes", "pick", two, "--undo")
    assert "favourite" not in typed(story, "runs", "list")


async def test_where_every_take_fails_the_command_fails_and_says_why(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.fault("401", times=100)
        story = project(tmp_path, server.url)
        code, _, err = await dramaturg("scene", "takes", "long", "-n", "2", "--project", story)
    assert code == 3
    assert "take 1:" in err
    assert "Traceback" not in err
