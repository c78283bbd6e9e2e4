"""Acts played: the order, the branches, the memory, what stops them and how they go on."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable, NotFound
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.acts.act import find_act
from dramaturg.scenes.acts.events import ActSceneResumed
from dramaturg.scenes.memories import CharacterRecollection
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.scenes.acts.staging import costly, play_act, played, scene, state_of, write_story
from tests.scenes.memory.staging import studio_of

EXAMPLE = Path(__file__).parents[3] / "examples" / "the-lost-umbrella"
BRANCH = {
    "scenes": [
        {"scene": "first", "then": [{"when": "achieved", "play": "warm"}, {"else": "cold"}]},
        "warm",
        "cold",
        "after",
    ]
}
FOUR = {"warm": scene(), "cold": scene(), "after": scene()}


@asynccontextmanager
async def opened(story: Path) -> AsyncIterator[Studio]:
    async with Studio.open(read_settings(story, {})) as studio:
        yield studio


async def recalled(studio: Studio, run_id: str) -> dict[str, CharacterRecollection]:
    return dict(scene_state((await studio.scenes.open_run(run_id)).entries).recalled)


async def test_an_achieved_goal_and_a_walk_through_lead_to_different_scenes(tmp_path: Path) -> None:
    good = write_story(tmp_path / "good", {"first": scene(), **FOUR}, play=BRANCH)
    bare = write_story(tmp_path / "bare", {"first": scene(lines=False), **FOUR}, play=BRANCH)
    async with opened(good) as studio:
        run = await play_act(studio)
    assert played(run) == ["first", "warm", "after"]
    async with opened(bare) as studio:
        run = await play_act(studio)
    assert played(run) == ["first", "cold", "after"]
    first = state_of(run).played[0]
    assert first.ending.reason == "walked_through"
    assert not any(goal.met for goal in first.ending.goals)
    transcript = (bare / "data" / "acts" / "play" / "transcript.txt").read_text(encoding="utf-8")
    assert "[SCENE END - Goal: Walked through]\n\n[NEXT: cold, because nothing else holds]" in transcript
    assert transcript.count("The rehearsal company has no words") == 1


async def test_the_example_is_played_to_a_friday_that_remembers_tuesday_on_every_seed(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "story", ignore=shutil.ignore_patterns("data"))
    async with opened(tmp_path / "story") as studio:
        for seed in range(1, 9):
            run = await play_act(studio, "the-lost-umbrella", seed=seed)
            assert played(run) == ["the-green-umbrella", "friday"]
            assert all(one.ending.goal_achieved for one in state_of(run).played)
            assert "Friday" in state_of(run).played[1].text.partition("[SCENE START]")[2].split("Odile [")[1]


async def test_the_other_branch_of_the_example_is_played_if_nobody_promises(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(EXAMPLE, story, ignore=shutil.ignore_patterns("data"))
    first = story / "scenes" / "the-green-umbrella.yaml"
    written = yaml.safe_load(first.read_text(encoding="utf-8"))
    kept = [moment for moment in written["lines"] if moment.get("goal") != 3]
    first.write_text(yaml.safe_dump(written | {"lines": kept}), encoding="utf-8")
    card = story / ".claude" / "agents" / "bertram.md"
    rows = card.read_text(encoding="utf-8").splitlines(keepends=True)
    card.write_text("".join(row for row in rows if "When promising" not in row), encoding="utf-8")
    async with opened(story) as studio:
        run = await play_act(studio, "the-lost-umbrella")
    assert played(run) == ["the-green-umbrella", "the-empty-hook"]
    assert state_of(run).played[1].ending.goal_achieved


async def test_a_cast_remembers_this_act_only_and_nothing_of_an_earlier_performance(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": scene(), "b": scene()}, play={"scenes": ["a", "b"]})
    async with opened(story) as studio:
        for _ in range(2):
            run = await play_act(studio)
            first, second = state_of(run).played
            assert await recalled(studio, first.run) == {}
            kept = await recalled(studio, second.run)
            assert {memory.run for memory in kept["alice"].memories} == {first.run}
            assert any("forgave" in memory.text for memory in kept["bob"].memories)
        assert await studio.scenes.memory.characters() == ()


async def test_memory_can_be_turned_off_and_a_scene_that_remembers_adds_what_is_stored(tmp_path: Path) -> None:
    scenes = {"a": scene(), "b": scene(remembers=True)}
    story = write_story(
        tmp_path, scenes, play={"scenes": ["a", "b"]}, forgetful={"scenes": ["a", "b"], "remembers": False}
    )
    async with opened(story) as studio:
        first, second = state_of(await play_act(studio, "forgetful")).played
        assert (await recalled(studio, second.run))["alice"].is_empty
        once, again = state_of(await play_act(studio)).played
        kept = (await recalled(studio, again.run))["alice"].memories
        assert {memory.run for memory in kept} == {second.run, once.run}
        assert first.run not in {memory.run for memory in kept}


async def test_who_went_off_and_is_there_again_is_remarked_on_if_the_exit_was_played(tmp_path: Path) -> None:
    leaving = scene(characters=["alice", "bob", "cora"], parts={"cora": {"leaves": 2}})
    back = scene(characters=["alice", "bob", "cora"])
    late = scene(characters=["alice", "bob", "cora"], parts={"cora": {"enters": 2}})
    gone = [{"scene": "leaving", "then": [{"when": {"left": "Cora"}, "play": "back"}, {"else": "end"}]}, "back"]
    story = write_story(
        tmp_path,
        {"leaving": leaving, "back": back, "late": late},
        play={"scenes": [*gone, {"scene": "back", "as": "again"}]},
        entering={"scenes": ["leaving", "late"]},
    )
    async with opened(story) as studio:
        run = await play_act(studio)
        assert played(run) == ["leaving", "back", "again"]
        remarks = [one.remarks for one in state_of(run).begun]
        assert remarks == [(), ("Cora went off in 'leaving' and is on stage when 'back' begins.",), ()]
        assert [one.remarks for one in state_of(await play_act(studio, "entering")).begun] == [(), ()]
        found = await studio.acts.check(find_act(story, "play"))
        assert "cora leaves 'leaving' at beat 2 and is on stage when 'back' begins." in found.remarks


async def test_a_scene_that_vanished_stops_the_act_and_resuming_goes_on_once_it_is_back(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": scene(), "b": scene()}, play={"scenes": ["a", "b"]})
    async with opened(story) as studio:
        run = await studio.acts.open(find_act(story, "play"))
        text = (story / "scenes" / "b.yaml").read_text(encoding="utf-8")
        (story / "scenes" / "b.yaml").unlink()
        with pytest.raises(NotFound, match="'b' not found"):
            await studio.start(run)
        assert played(run) == ["a"]
        assert "[ACT STOPPED - not_found]" in studio.acts.result(run).transcript
        (story / "scenes" / "b.yaml").write_text(text, encoding="utf-8")
        again = await studio.adopt(run.id)
        await studio.start(again)
        assert played(again.run) == ["a", "b"]
        assert len(await studio.runs.find("scene")) == 2


async def test_cancelling_the_act_stops_its_scene_and_cancelling_the_scene_stops_its_act(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": scene(), "b": scene()}, play={"scenes": ["a", "b"]})
    held = asyncio.Event()
    asked = asyncio.Event()

    async def answer(request: ModelRequest) -> ModelAnswer:
        asked.set()
        await held.wait()
        return costly(request)

    async with studio_of(story, ScriptedModel(answer, name="able")) as studio:
        for cancelled in ("act", "scene"):
            asked.clear()
            run = await studio.acts.open(find_act(story, "play"), model="able")
            task = studio.start(run)
            await asked.wait()
            scene_run = (await studio.runs.find("scene", status="playing"))[0].id
            await studio.cancel(run.id if cancelled == "act" else scene_run)
            await asyncio.wait([task])
            assert [(await studio.runs.get(one)).status for one in (run.id, scene_run)] == ["stopped", "stopped"]
        held.set()
        again = await studio.adopt(run.id)
        await studio.start(again)
        assert played(again.run) == ["a", "b"]
        assert state_of(again.run).played[0].run == scene_run
        assert [entry.event.run for entry in again.run.entries if isinstance(entry.event, ActSceneResumed)] == [
            scene_run
        ]


async def test_a_cast_that_cannot_answer_stops_the_act_and_its_scene_is_played_again(tmp_path: Path) -> None:
    steps = ["a", {"scene": "b", "then": [{"when": {"ended": "cast unavailable"}, "play": "c"}, {"else": "end"}]}, "c"]
    story = write_story(tmp_path, {"a": scene(), "b": scene(), "c": scene()}, play={"scenes": steps})
    down = True

    def answer(request: ModelRequest) -> ModelAnswer:
        if down and request.purpose != "judging":
            raise ModelUnavailable("The provider is down.")
        return costly(request)

    async with studio_of(story, ScriptedModel(answer, name="able")) as studio:
        run = await studio.acts.open(find_act(story, "play"), model="able")
        with pytest.raises(ModelUnavailable, match="The cast of 'a' could not answer"):
            await studio.start(run)
        assert played(run) == []
        down = False
        again = await studio.adopt(run.id)
        await studio.start(again)
        assert played(again.run) == ["a", "b"]
        assert [one.name for one in state_of(again.run).begun] == ["a", "a", "b"]
        assert [one.number for one in studio.acts.result(again.run).metadata.scenes] == [1, 2]


async def test_a_fork_shares_the_scenes_before_it_and_pays_only_for_its_own(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": scene(), "b": scene(), "c": scene()}, play={"scenes": ["a", "b", "c"]})
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        run = await play_act(studio, model="able")
        paid = len(model.requests)
        fork = await studio.acts.fork(run.id, 3, seed=9)
        await studio.start(fork)
        assert len(model.requests) - paid == paid // 3
        first, other = state_of(run).played, state_of(fork).played
        assert [one.run for one in other[:2]] == [one.run for one in first[:2]]
        assert other[2].run != first[2].run
        assert (await studio.runs.get(other[2].run)).seed == 9
        text = studio.acts.result(fork).transcript
        assert f"FORKED FROM: run {run.id}, before scene 3" in text
        with pytest.raises(NotFound, match="one of its scenes 1 to 3"):
            await studio.acts.fork(run.id, 5)
        with pytest.raises(InvalidConfig, match="too large"):
            await studio.acts.fork(run.id, 2, seed=2**63)


async def test_a_deleted_scene_is_named_where_it_is_needed_and_the_transcript_stays(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": scene(), "b": scene()}, play={"scenes": ["a", "b"]})
    async with opened(story) as studio:
        run = await play_act(studio)
        gone = state_of(run).played[0].run
        before = studio.acts.result(run).transcript
        await studio.delete(gone)
        assert studio.acts.result(await studio.acts.open_run(run.id)).transcript == before
        with pytest.raises(InvalidConfig, match=f"gone: a \\(run {gone}\\)"):
            await studio.acts.export(run, "md")
        assert await studio.acts.export(run, "txt") == before
