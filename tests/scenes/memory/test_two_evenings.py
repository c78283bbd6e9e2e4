"""The example: two scenes in a row, played by the rehearsal company, the second remembers the first."""

import shutil
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.state import scene_state
from tests.scenes.memory.staging import studio_of

EXAMPLE = Path(__file__).parents[3] / "examples" / "two-evenings"


async def test_the_second_evening_is_asked_with_what_the_first_left(tmp_path: Path) -> None:
    story = tmp_path / "two-evenings"
    shutil.copytree(EXAMPLE, story, ignore=shutil.ignore_patterns("data"))
    clock = StillClock()
    company = RehearsalCompany(clock)

    async def answer(request: ModelRequest) -> ModelAnswer:
        return await company.complete(request)

    model = ScriptedModel(answer, profile=company.profile)
    async with studio_of(story, model, clock) as studio:
        first = await studio.scenes.open(find_scene(story, "1-the-borrowed-boat"), model="rehearsal")
        await studio.start(first)
        clock.wind(86_400)
        model.requests.clear()
        second = await studio.scenes.open(find_scene(story, "2-the-mended-boat"), model="rehearsal")
        await studio.start(second)
    asked = {request.key.partition("/")[2]: request for request in model.requests if request.purpose == "acting"}
    state = scene_state(first.entries)
    assert state.ended is not None
    assert state.ended.goal_achieved
    recalled = scene_state(second.entries).recalled
    for name, shown in (("hedda", "Hedda"), ("ansel", "Ansel")):
        heard = {line.number: line.content for line in heard_by(shown, state.lines)}
        assert recalled[name].memories
        for memory in recalled[name].memories:
            assert memory.text in asked[name].system
            assert memory.quote == heard[memory.line] or not memory.quote
    assert "Ansel promised you" in asked["hedda"].system
    assert "You promised Hedda" in asked["ansel"].system
    assert "What you remember" not in asked["ovid"].system
