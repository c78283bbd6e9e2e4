"""A budget that is reached stops a run, and raising it lets the run play on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from dramaturg.kernel.errors import BudgetExceeded
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Limits, ModelAnswered, RunStopped
from dramaturg.kernel.settings import BudgetSettings
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.scenes.memory.staging import studio_of
from tests.stage import write_cards

SCENE = {"prompt": "Scene goal: Bob apologizes.", "characters": ["alice", "bob"], "maxBeats": 4, "lookahead": False}


def costly(request: ModelRequest) -> ModelAnswer:
    text = '{"goals": []}' if request.purpose == "judging" else f'[TONE: low] "Word {request.key}."'
    return ModelAnswer(text=text, model="able", usage=Usage(input_tokens=900, output_tokens=100), cost_usd=0.01)


def write_scene(story: Path, tokens: int | None) -> None:
    budget = {"budget": {"tokens": tokens}} if tokens else {}
    (story / "scenes").mkdir(exist_ok=True)
    (story / "scenes" / "talk.yaml").write_text(yaml.safe_dump(SCENE | budget), encoding="utf-8")


def settings_raised(studio: Studio, story: Path) -> None:
    raised = studio.settings.model_copy(update={"budget": BudgetSettings(tokens=900_000)})
    studio.resources.settings = raised


def file_raised(studio: Studio, story: Path) -> None:
    write_scene(story, 900_000)


@pytest.mark.parametrize(
    ("where", "way", "limits"),
    [
        ("settings", settings_raised, None),
        ("scene", file_raised, None),
        ("scene", lambda studio, story: None, Limits(tokens=900_000)),
        ("settings", lambda studio, story: None, Limits(tokens=900_000)),
    ],
    ids=["in the settings", "in the scene file", "at resume, over the scene's", "at resume, over the settings'"],
)
async def test_raising_a_reached_budget_lets_the_run_play_on(
    where: str, way: Callable[[Studio, Path], None], limits: Limits | None, tmp_path: Path
) -> None:
    write_cards(tmp_path, ["alice", "bob"])
    write_scene(tmp_path, 5000 if where == "scene" else None)
    model = ScriptedModel(costly, name="able")
    async with studio_of(tmp_path, model) as studio:
        if where == "settings":
            small = studio.settings.model_copy(update={"budget": BudgetSettings(tokens=5000)})
            studio.resources.settings = small
        run = await studio.scenes.open(find_scene(tmp_path, "talk"), model="able")
        with pytest.raises(BudgetExceeded, match="--budget"):
            await studio.start(run)
        assert isinstance(run.entries[-1].event, RunStopped)
        asked = len(model.requests)
        way(studio, tmp_path)
        again = await studio.adopt(run.id, limits)
        await studio.start(again)
    assert again.state.ended is not None
    assert again.state.ended.reason == "max_beats_exceeded"
    keys = [request.key for request in model.requests]
    assert len(keys) > asked
    assert len(keys) == len(set(keys)), "no answer is paid for twice"


async def test_a_budget_raised_too_little_stops_it_again_and_it_can_be_raised_once_more(tmp_path: Path) -> None:
    write_cards(tmp_path, ["alice", "bob"])
    write_scene(tmp_path, 3000)
    async with studio_of(tmp_path, ScriptedModel(costly, name="able")) as studio:
        run = await studio.scenes.open(find_scene(tmp_path, "talk"), model="able")
        with pytest.raises(BudgetExceeded):
            await studio.start(run)
        for tokens in (6000, 900_000):
            again = await studio.adopt(run.id, Limits(tokens=tokens))
            if tokens == 6000:
                with pytest.raises(BudgetExceeded):
                    await studio.start(again)
            else:
                await studio.start(again)
        state = scene_state((await studio.scenes.open_run(run.id)).entries)
    assert state.ended is not None


async def test_a_verdict_that_is_under_way_when_the_budget_is_spent_is_stored(tmp_path: Path) -> None:
    write_cards(tmp_path, ["alice", "bob"])
    write_scene(tmp_path, None)
    refused = asyncio.Event()

    async def answer(request: ModelRequest) -> ModelAnswer | Exception:
        if request.key == "beat-2/bob":
            refused.set()
            return BudgetExceeded("spent")
        if request.key == "beat-1/judge":
            async with asyncio.timeout(60):
                await refused.wait()
            for _ in range(20):  # the scene has broken off by then
                await asyncio.sleep(0)
        return costly(request)

    async with studio_of(tmp_path, ScriptedModel(answer, name="able")) as studio:
        scene = find_scene(tmp_path, "talk").model_copy(update={"lookahead": True})
        run = await studio.scenes.open(scene, model="able")
        with pytest.raises(BudgetExceeded):
            await studio.start(run)
        stored = [entry.event.key for entry in run.entries if isinstance(entry.event, ModelAnswered)]
    assert "beat-1/judge" in stored
