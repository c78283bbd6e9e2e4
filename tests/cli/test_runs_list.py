"""`runs list` and `runs delete`: what was played here in one row each, and how it goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from dramaturg.cli import run_table
from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.runs.digest import LoggedEvent, RunDigest
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.digest import scene_facts
from dramaturg.scenes.scene import find_scene
from dramaturg.studio import Studio
from tests.cli.story import SCENE, new_story, rehearsed, typed
from tests.cli.test_app import imported

GOAL = "Walter confesses that he painted it; Iris forgives him; they agree on how to tell the museum"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def listed(story: Path) -> list[dict[str, object]]:
    return [json.loads(row) for row in typed(story, "runs", "list", "--json").splitlines()]


def fork(story: Path, run: str) -> str:
    return json.loads(typed(story, "runs", "fork", run, "--beat", "2", "--json").splitlines()[-1])["run"]


def test_a_row_has_goal_end_beats_model_seed_cost_and_what_it_was_forked_from(story: Path) -> None:
    first = rehearsed(story)
    second = fork(story, first)
    new, old = listed(story)
    assert (old["id"], new["id"], new["parent_id"], new["forked_at_beat"]) == (first, second, first, 2)
    assert (old["goal"], old["goal_achieved"], old["reason"]) == (GOAL, True, "goal_achieved")
    assert (old["models"], old["seed"], old["usd"], old["tokens"]) == (["rehearsal"], 1, 0.0, 0)
    assert (
        old["beats"] == json.loads((story / "data/scenes" / SCENE / "scene.json").read_text())["metadata"]["totalBeats"]
    )
    shown = typed(story, "runs", "list")
    head, fork_row, about, goal, *_ = shown.splitlines()
    assert head.split() == ["run", "name", "end", "beats", "model", "seed", "cost"]
    assert fork_row.split()[0] == second
    assert f"fork of {first} after beat 2" in about
    assert goal.strip().startswith("Walter confesses")
    assert "goal achieved" in fork_row


def test_the_table_is_never_wider_than_eighty_columns(story: Path) -> None:
    long = (story / "scenes" / f"{SCENE}.yaml").read_text(encoding="utf-8")
    name = "漢字の場面とても長い名前の場面の話"
    (story / "scenes" / f"{name}.yaml").write_text(long.replace(f"name: {SCENE}", f"name: {name}"), encoding="utf-8")
    typed(story, "scene", "run", name, "--model", "rehearsal", "--seed", "9223372036854775807", "--quiet")
    shown = typed(story, "runs", "list").splitlines()
    assert len(shown) == 4
    assert max(map(cell_len, shown)) <= 80


@pytest.mark.parametrize("letter", ["A", "漢", "e\u0301"])
def test_names_without_an_end_are_shortened_by_looking_at_what_fits(
    letter: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    monkeypatch.setattr(run_table, "cell_len", lambda text: looked.append(len(text)) or cell_len(text))
    name = letter * 50_000
    run = {"status": "ended", "created_at": 0, "updated_at": 0, "seed": 1, "forked_at": None, "adoptions": 0}
    run_table.print_digests([RunDigest(id="x", kind="scene", name=name, goal=name, parent_id=None, **run)])
    assert max(map(cell_len, capsys.readouterr().out.splitlines())) <= 80
    assert sum(looked) < 8 * len(name)


def test_listing_imports_nothing_that_plays(story: Path) -> None:
    rehearsed(story)
    modules = imported(["runs", "list", "--project", str(story)])
    capabilities = ("scenes", "episodes", "workshop", "ensemble", "characters")
    loaded = {name for name in modules if name.startswith("dramaturg.") and name.split(".")[1] in capabilities}
    names_of_works = {"dramaturg.workshop", "dramaturg.workshop.works", "dramaturg.workshop.works.table"}
    assert loaded == {"dramaturg.scenes", "dramaturg.scenes.digest"} | names_of_works


def test_a_scene_that_was_played_on_after_its_end_has_not_ended() -> None:
    ended = LoggedEvent("scene.ended", {"goal_achieved": True, "reason": "goal_achieved", "beats": 4})
    assert scene_facts([LoggedEvent("beat.played", {"beat": 4}), ended]).reason == "goal_achieved"
    again = scene_facts([ended, LoggedEvent("beat.played", {"beat": 5})])
    assert (again.reason, again.goal_achieved, again.beats) == ("", None, 5)


@pytest.mark.parametrize("folder", ["scenes", "../x", "scenes/..", "/etc", "scenes/a/b", "", "dramaturg.db"])
def test_a_log_cannot_name_a_folder_that_is_not_its_own(folder: str) -> None:
    assert scene_facts([LoggedEvent("scene.opened", {"cast": [], "goals": [], "folder": folder})]).folder == ""


async def test_one_log_that_cannot_be_read_does_not_hide_the_others(story: Path) -> None:
    async with Studio.open(read_settings(story, {}, trust=True)) as studio:
        good = await studio.scenes.open(find_scene(story, SCENE), model="rehearsal")
        await studio.runs.create("scene", "no events", run_id="0" * 18)
        found: list[RunDigest] = await studio.digests()
        assert {one.id: one.goal for one in found} == {good.id: GOAL, "0" * 18: ""}


def test_deleting_asks_and_says_what_goes_and_what_stays(story: Path) -> None:
    run = rehearsed(story)
    forked = fork(story, run)
    shown = typed(story, "runs", "delete", run, keys="n\n", code=2)
    assert f"{run} (scene {SCENE}, ended): the log goes; what its cast remembers of it stays." in shown
    assert f"Its fork stays, with a copy of what was shared: {forked}." in shown
    assert f"data/scenes/{SCENE}/ (4 files) stays; --files deletes it too." in shown
    assert "Nothing was deleted" in shown
    assert len(listed(story)) == 2
    assert f"Run {run} is deleted." in typed(story, "runs", "delete", run, keys="y\n")
    assert (story / "data/scenes" / SCENE / "transcript.txt").exists()


def test_a_fork_plays_on_shows_and_forks_again_without_its_parent(story: Path) -> None:
    run = rehearsed(story)
    forked = fork(story, run)
    before = typed(story, "runs", "show", forked)
    typed(story, "runs", "delete", run, "--yes", "--files")
    assert not (story / "data/scenes" / SCENE).exists()
    assert (story / "data/scenes" / f"{SCENE}-2" / "transcript.txt").exists()
    assert typed(story, "runs", "show", forked) == before
    assert typed(story, "runs", "why", forked, "end")
    assert typed(story, "runs", "cost", forked)
    assert fork(story, forked) in {one["id"] for one in listed(story)}


def test_all_are_deleted_or_none(story: Path) -> None:
    run = rehearsed(story)
    assert "There is no run 'zzzz'" in typed(story, "runs", "delete", run, "zzzz", "--yes", code=2)
    assert [one["id"] for one in listed(story)] == [run]
    assert "add --yes" in typed(story, "runs", "delete", run, "--json", code=2)
    told = json.loads(typed(story, "runs", "delete", run, run[:10], "--yes", "--files", "--json"))
    assert (told["run"], told["deleted"], told["filesDeleted"]) == (run, True, True)
    assert listed(story) == []


async def test_a_run_that_is_played_is_refused_and_one_whose_process_died_is_not(story: Path) -> None:
    async with Studio.open(read_settings(story, {}, trust=True)) as studio:
        run = await studio.scenes.open(find_scene(story, SCENE), model="rehearsal")
        with pytest.raises(RunFenced, match="is being played; stop it first"):
            await studio.plan_deletions([run.id])
        with pytest.raises(RunFenced):
            await studio.delete(run.id)
        host = studio.runs.holder.host
        await studio.resources.runs._store.runs.adopt(run.id, f"{host}/999999999/1", 1.0)
        await studio.delete(run.id)
        assert await studio.runs.find() == []


def test_files_that_another_run_has_too_stay(story: Path, tmp_path: Path) -> None:
    run = rehearsed(story)
    typed(story, "runs", "export", run, "--log", str(tmp_path / "run.log"))
    typed(story, "runs", "import", str(tmp_path / "run.log"), "--as-new")
    copy = next(str(one["id"]) for one in listed(story) if one["id"] != run)
    told = json.loads(typed(story, "runs", "delete", copy, "--yes", "--files", "--json"))
    assert (told["shared"], told["filesDeleted"]) == ([run], False)
    assert (story / "data/scenes" / SCENE / "transcript.txt").exists()
