"""Fifteen kinds of scene end honestly: walked through by the company, achieved only by a cast that deserves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.transcript import WALKED_THROUGH
from dramaturg.scenes.wire import SceneResult, result_of
from tests.scenes.memory.staging import studio_of
from tests.stage import play_scripted

KINDS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "fifteen.yaml").read_text(encoding="utf-8"))
SEEDS = (1, 2, 3, 4)
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["name"])


def config(kind: dict[str, Any]) -> dict[str, Any]:
    names = [f"part{place}" for place in range(len(kind["cast"]))]
    known = {"name": kind["name"], "prompt": kind["prompt"], "goal": kind["goal"], "characters": names}
    return known | {"maxBeats": 12, "lookahead": False}


def cards(kind: dict[str, Any]) -> dict[str, str]:
    return {f"part{place}": f"# {name}\n\n## Personality\n- Direct\n" for place, name in enumerate(kind["cast"])}


async def walked(kind: dict[str, Any], folder: Path, seed: int) -> tuple[SceneState, SceneResult]:
    from dramaturg.scenes.scene import scene_from

    (folder / ".claude" / "agents").mkdir(parents=True, exist_ok=True)
    for name, text in cards(kind).items():
        (folder / ".claude" / "agents" / f"{name}.md").write_text(text, encoding="utf-8")
    async with studio_of(folder, RehearsalCompany(StillClock())) as studio:
        run = await studio.scenes.open(scene_from(config(kind)), model="rehearsal", seed=seed)
        await studio.start(run)
        return scene_state(run.entries), result_of(run.id, run.entries)


async def played(kind: dict[str, Any], script: list[list[Any]], held: list[int], folder: Path) -> SceneState:
    """A cast that says these lines, one at a beat, and a judge that claims what it is told to."""
    parts = {name: f"part{place}" for place, name in enumerate(kind["cast"])}

    def reply(request: ModelRequest) -> str:
        beat = int(request.key.partition("/")[0].removeprefix("beat-"))
        said = script[min(beat, len(script)) - 1] if 0 < beat <= len(script) else None
        if request.purpose != "judging":
            mine = said is not None and request.key.endswith(f"/{parts[said[0]]}")
            return f'[TONE: plain] "{said[1]}"' if mine and said else "[SILENT]"
        claims = [{"id": row[2], "met": True, "speaker": row[0], "quote": row[1]} for row in script[:beat] if row[2]]
        claims += [{"id": number, "met": True, "speaker": "", "quote": ""} for number in held]
        return json.dumps({"goals": claims, "confidence": 1.0, "natural_end": beat >= len(script)})

    run = await play_scripted(config(kind), ScriptedModel(reply), folder, cards=cards(kind))
    return scene_state(run.entries)


def test_there_are_fifteen() -> None:
    assert len(KINDS) == 15


@kinds
async def test_the_company_walks_it_through_and_says_so(kind: dict[str, Any], tmp_path: Path) -> None:
    for seed in SEEDS:
        state, result = await walked(kind, tmp_path / str(seed), seed)
        acts = [goal for goal in state.goals if goal.id not in kind.get("lasting", [])]
        assert all(line.action == "react" and not line.content for line in state.lines if line.kind == "line")
        assert state.ended is not None
        assert state.ended.beats <= 2 * len(state.goals) + 1
        if acts:
            lines = [line for line in state.lines if line.kind == "line"]
            for line, goal in zip(lines, acts, strict=True):
                others = {name for name in kind["cast"] if name != line.speaker}
                assert not any(goal.text.startswith(name.split()[-1]) for name in others), goal.text
            shown = [line.nonverbal or "" for line in state.lines if line.kind == "line"]
            assert len(shown) == len(acts)
            assert all(text in goal.text for text, goal in zip(shown, acts, strict=True)), shown
        assert (state.ended.reason, result.metadata.goal_achieved) == ("walked_through", False)
        assert "[SCENE END - Goal: Walked through]" in result.transcript
        assert WALKED_THROUGH in result.transcript


@kinds
async def test_a_cast_that_deserves_it_achieves_it(kind: dict[str, Any], tmp_path: Path) -> None:
    state = await played(kind, kind["deserves"], kind.get("lasting", []), tmp_path)
    assert state.ended is not None
    assert (state.ended.reason, state.ended.goal_achieved) == ("goal_achieved", True), state.verdict


@kinds
async def test_a_judge_that_claims_what_was_not_shown_ends_nothing(kind: dict[str, Any], tmp_path: Path) -> None:
    state = await played(kind, kind["does_not"], [], tmp_path)
    assert state.ended is not None
    assert not state.ended.goal_achieved, state.verdict
