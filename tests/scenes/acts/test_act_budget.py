"""One budget for all scenes of an act: it stops the act where it is spent, and raising it lets it play on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from dramaturg.kernel.errors import BudgetExceeded, InvalidConfig
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Limits
from dramaturg.kernel.runs.costs import answers
from dramaturg.kernel.settings import BudgetSettings
from dramaturg.scenes.acts.act import find_act
from dramaturg.studio import Studio
from tests.scenes.acts.staging import costly, play_act, played, scene, state_of, write_story
from tests.scenes.memory.staging import studio_of

SCENE = scene(lines=False, maxBeats=3, lookahead=False)
CALLS = 2 + 2 * 3
"""What a scene asks: the opener and the judge, then two characters and the judge, a thousand tokens each."""


def write(story: Path, **act: object) -> Path:
    return write_story(story, {"a": SCENE, "b": SCENE}, play={"scenes": ["a", "b"], **act})


def in_the_act(studio: Studio, story: Path) -> None:
    write(story, budget={"tokens": 90_000})


def in_the_settings(studio: Studio, story: Path) -> None:
    studio.resources.settings = studio.settings.model_copy(update={"budget": BudgetSettings(tokens=90_000)})


@pytest.mark.parametrize(
    ("act", "way", "limits"),
    [
        ({"budget": {"tokens": 12_500}}, in_the_act, None),
        ({"budget": {"usd": 0.125}}, lambda studio, story: None, Limits(usd=9.0)),
        ({}, in_the_settings, None),
        ({}, lambda studio, story: None, Limits(tokens=2 * 1000 * CALLS + 500)),
    ],
    ids=["the act's, raised there", "dollars, raised at resume", "the settings', raised there", "raised at resume"],
)
async def test_the_scenes_share_one_budget_and_it_can_be_raised(
    act: dict[str, object], way: Callable[[Studio, Path], None], limits: Limits | None, tmp_path: Path
) -> None:
    story = write(tmp_path, **act)
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        if not act:
            studio.resources.settings = studio.settings.model_copy(update={"budget": BudgetSettings(tokens=12_500)})
        run = await studio.acts.open(find_act(story, "play"), model="able")
        with pytest.raises(BudgetExceeded):
            await studio.start(run)
        assert played(run) == ["a"]
        assert (await studio.runs.get(run.id)).status == "failed"
        spent = len(model.requests)
        assert CALLS < spent <= 13
        way(studio, story)
        again = await studio.adopt(run.id, limits)
        await studio.start(again)
        assert played(again.run) == ["a", "b"]
        assert len(model.requests) == 2 * CALLS
        keys = [paid.key for one in state_of(again.run).played for paid in await paid_in(studio, one.run)]
        assert len(keys) == 2 * CALLS


async def paid_in(studio: Studio, run_id: str) -> list[object]:
    return list(answers((await studio.scenes.open_run(run_id)).entries))


async def test_a_budget_that_is_spent_exactly_opens_no_further_scene(tmp_path: Path) -> None:
    story = write(tmp_path, budget={"tokens": 1000 * CALLS + 1})
    raised = yaml.safe_load((story / "acts" / "play.yaml").read_text(encoding="utf-8"))
    async with studio_of(story, ScriptedModel(costly, name="able")) as studio:
        run = await studio.acts.open(find_act(story, "play"), model="able")
        raised["budget"]["tokens"] = 1000 * CALLS
        (story / "acts" / "play.yaml").write_text(yaml.safe_dump(raised), encoding="utf-8")
        with pytest.raises(BudgetExceeded):
            await studio.start(run)
        assert len(await studio.runs.find("scene")) == 1


async def test_the_own_budget_of_a_scene_still_holds_and_is_raised_in_its_file(tmp_path: Path) -> None:
    story = write(tmp_path, budget={"tokens": 90_000})
    tight = SCENE | {"budget": {"tokens": 3500}}
    (story / "scenes" / "b.yaml").write_text(yaml.safe_dump(tight), encoding="utf-8")
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        run = await studio.acts.open(find_act(story, "play"), model="able")
        with pytest.raises(BudgetExceeded):
            await studio.start(run)
        assert len(model.requests) <= CALLS + 4
        (story / "scenes" / "b.yaml").write_text(yaml.safe_dump(SCENE), encoding="utf-8")
        again = await studio.adopt(run.id)
        await studio.start(again)
        assert len(model.requests) == 2 * CALLS


async def test_a_budget_too_small_for_the_first_request_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    story = write(tmp_path, budget={"tokens": 9})
    async with studio_of(story, ScriptedModel(costly, name="able")) as studio:
        with pytest.raises(InvalidConfig, match="too small for its first scene: 9 tokens"):
            await studio.acts.open(find_act(story, "play"), model="able")
        assert await studio.runs.find() == []


async def test_a_fork_has_the_whole_budget_for_its_own_scenes(tmp_path: Path) -> None:
    story = write(tmp_path, budget={"tokens": 2 * 1000 * CALLS + 500})
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        run = await play_act(studio, model="able")
        fork = await studio.acts.fork(run.id, 2)
        await studio.start(fork)
        assert played(fork) == ["a", "b"]
        entries = await studio.acts.kind.paid_entries(fork)
        assert len(answers(entries)) == 2 * CALLS
