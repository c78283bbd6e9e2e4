"""The world cuts in three times at most, and what the author planned counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.state import scene_state
from tests.scenes.test_moderator import rehearsal
from tests.stage import play_scripted

PLANNED = ("A bell rings.", "A cart goes by.", "The lamp flickers.")


@pytest.mark.parametrize("planned", [3, 2])
async def test_after_three_events_the_scene_is_left_to_its_people(planned: int, tmp_path: Path) -> None:
    played = rehearsal(12)
    events = [{"beat": beat, "text": text} for beat, text in enumerate(PLANNED[:planned], start=1)]
    run = await play_scripted({**played.config(), "events": events}, ScriptedModel(played.answer), tmp_path)
    happened = [line.content for line in scene_state(run.entries).lines if line.kind == "event"]
    assert happened[:planned] == list(PLANNED[:planned])
    assert len(happened) == 3
