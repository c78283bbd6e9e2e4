"""A scene in which a secret is to be kept: a judge that flatters does not make it kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.state import scene_state
from tests.stage import play_scripted


@pytest.mark.parametrize(("line", "held"), [("It is buried beneath the orchard.", ()), ("Ask somebody else.", (1,))])
async def test_a_flattering_judge_keeps_no_secret_that_was_told(
    line: str, held: tuple[int, ...], tmp_path: Path
) -> None:
    def reply(request: ModelRequest) -> str:
        return '{"goals": [{"id": 1, "met": true}]}' if request.purpose == "judging" else f'[TONE: low] "{line}"'

    scene = {
        "name": "will", "prompt": "A garden.", "goal": "Bob does not reveal the secret", "characters": ["bob", "alice"],
        "initialSpeaker": "bob", "maxBeats": 2,
        "parts": {"bob": {"secrets": ["The will is buried beneath the orchard."]}},
    }  # fmt: skip
    run = await play_scripted(scene, ScriptedModel(reply), tmp_path)
    assert scene_state(run.entries).verdict.held == held
