"""Looking into lines of characters that remember, and of models that were helped."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import CueGiven
from dramaturg.scenes.insight.account import account_of, find_line, occasion_of_line
from dramaturg.scenes.insight.causes import causes_of, without
from dramaturg.scenes.insight.occasion import occasion_of
from dramaturg.scenes.state import scene_state
from tests.scenes.memory.staging import THE_LETTER, THE_MILL, scene, script, studio_of
from tests.scenes.memory.staging import play as play_remembered
from tests.scenes.test_assisted import distinct, small
from tests.scenes.test_assisted import play as play_helped


async def test_a_memory_is_in_the_account_and_can_be_taken_away(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play_remembered(studio, scene(THE_LETTER))
    model = script(THE_MILL)
    async with studio_of(tmp_path, model) as studio:
        run = await play_remembered(studio, scene(THE_MILL))
    line = find_line(run.entries, "Here we are again")
    occasion, settings = occasion_of_line(run.entries, line), read_settings(tmp_path, {})
    whole = occasion.request(settings)
    assert whole == next(request for request in model.requests if request.key == "beat-0/alice")
    memories = [cause for cause in causes_of(occasion) if cause.kind == "memory"]
    assert tuple(cause.text for cause in memories) == account_of(run.entries, line).memories
    assert memories
    for cause in memories:
        less = without(occasion, cause).request(settings)
        assert cause.text in whole.system
        assert len(less.system) < len(whole.system)


async def test_a_helped_model_has_an_account_and_no_prompt_to_take_anything_from(tmp_path: Path) -> None:
    run = await play_helped(tmp_path, small(distinct))
    cue = next(entry.event for entry in run.entries if isinstance(entry.event, CueGiven))
    occasion = occasion_of(run.entries, cue.beat, cue.character)
    assert occasion.helped
    assert occasion.changed == ()
    line = next(line for line in scene_state(run.entries).lines if line.beat == cue.beat)
    assert account_of(run.entries, line).asked == cue.message
    with pytest.raises(InvalidConfig, match="was played with help"):
        occasion.request(read_settings(tmp_path, {}))
