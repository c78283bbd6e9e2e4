"""A character whose card is called as the director's own questions are is asked beside the director."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import ModelAnswered
from dramaturg.scenes.events import VerdictReached
from dramaturg.scenes.question_keys import event_key, judge_key, line_key, line_of
from dramaturg.scenes.state import scene_state
from tests.stage import play_scripted


@pytest.mark.parametrize("name", ["judge", "event", "director"])
async def test_a_card_and_the_director_never_get_each_others_answers(name: str, tmp_path: Path) -> None:
    def reply(request: ModelRequest) -> str:
        if request.purpose == "judging":
            return '{"goals": []}'
        return '{"event": "A shutter bangs."}' if request.purpose == "events" else f'[TONE: low] "{request.key}, then."'

    scene = {
        "name": "court", "prompt": "Scene goal: Bob apologizes.", "characters": [name, "bob"], "maxBeats": 4,
        "worldEvents": "model",
    }  # fmt: skip
    run = await play_scripted(scene, ScriptedModel(reply), tmp_path)
    asked = [entry.event for entry in run.entries if isinstance(entry.event, ModelAnswered)]
    assert len({one.key for one in asked}) == len(asked)
    verdicts = [entry.event for entry in run.entries if isinstance(entry.event, VerdictReached)]
    assert verdicts
    assert not [one for one in verdicts if one.unscored]
    said = [line.content for line in scene_state(run.entries).lines if line.kind != "event"]
    assert said
    assert not [line for line in said if "goals" in line or "shutter" in line]


@given(st.integers(0, 999), st.sampled_from(["judge", "event", "Judge", "bob", "an event", "judge-2", "director"]))
def test_a_line_is_found_by_its_key_and_no_key_is_the_directors(beat: int, name: str) -> None:
    key = line_key(beat, name)
    assert key not in (judge_key(beat), event_key(beat))
    assert line_of(key) == line_of(f"{key}#take-2") == line_of(f"{key}/words") == (beat, name)
    assert line_of(judge_key(beat)) is line_of(event_key(beat)) is line_of(f"{judge_key(beat)}#revision-1") is None
