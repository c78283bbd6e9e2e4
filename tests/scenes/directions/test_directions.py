"""The author steers a scene while it is played: in order, once, from any process."""

from __future__ import annotations

from dramaturg.kernel.settings import Settings
from dramaturg.scenes.directions.direction import DIRECTIONS
from dramaturg.scenes.directions.events import DirectionTaken
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.scenes.directions.steered import steered


async def test_an_event_thrown_in_while_the_scene_waits_is_in_the_transcript(store_settings: Settings) -> None:
    async with steered(store_settings.project, store_settings.store) as scene:
        scene.play()
        await scene.waits_before(0)
        await scene.ask("step")
        await scene.waits_before(1)
        await scene.ask("event", text="The lights go out.")
        await scene.ask("go")
        await scene.to_the_end()
        assert scene.page.count("[EVENT: The lights go out]") == 1
        assert [event.direction.do for event in scene.events(DirectionTaken)] == ["pause", "step", "event", "go"]
        again = await scene.studio.scenes.open_run(scene.run.id)
        assert scene_state(again.entries).lines == scene.state.lines


async def test_a_second_process_steers_the_one_that_plays(store_settings: Settings) -> None:
    async with steered(store_settings.project, store_settings.store) as scene, Studio.open(store_settings) as elsewhere:
        scene.play()
        await scene.waits_before(0)
        for asked in ({"do": "event", "text": "A knock."}, {"do": "end"}):
            await elsewhere.scenes.steer(scene.run.id, DIRECTIONS.validate_python(asked), author="Ann")
        await scene.to_the_end()
        assert scene.page == ["[EVENT: A knock]"]
        assert scene.state.ended.reason == "ended_by_author"
        assert scene.state.ended.beats == 0
