"""The steered scene in `docs/scenes.md` is what is really played, and every direction is explained there."""

import asyncio
import shutil
from pathlib import Path

from dramaturg.cli.direction_lines import DirectionLines
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.author.typed import COMMANDS
from dramaturg.scenes.scene import find_scene
from dramaturg.studio import Studio
from tests.scenes.directions.steered import SteeredScene

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "docs" / "scenes.md").read_text(encoding="utf-8").split("## Steering a scene")[1].split("\n## ")[0]


async def test_the_steered_scene_of_the_page_is_what_is_played(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(ROOT / "examples" / "the-apology", story, ignore=shutil.ignore_patterns("data"))
    shown = [line for line in SECTION.split("```text\n")[1].split("```")[0].splitlines() if line]
    waits, typed = shown[0], [line for line in shown if line.startswith("/")]
    spoken = [line for line in shown[1:] if not line.startswith("/")]
    async with Studio.open(read_settings(story, {})) as studio:
        run = await studio.scenes.open(find_scene(story, "the-apology"), model="rehearsal")
        scene = SteeredScene(studio, run, studio.runs.perform(run))
        await scene.ask("pause")
        scene.play()
        for beat in range(3):
            await scene.waits_before(beat)
            await scene.ask("step")
        await scene.waits_before(3)
        assert waits.startswith("(waiting before beat 3:")
        for line in typed:
            await DirectionLines(studio, run).receive(line)
        async with asyncio.timeout(240):
            await scene.playing
        at = scene.page.index(spoken[0])
        assert scene.page[at : at + len(spoken)] == spoken
        assert not any(line.startswith("Charlie") for line in scene.page[at:])
        assert scene.state.ended.goal_achieved


def test_the_page_explains_every_direction() -> None:
    assert [word for word in COMMANDS if f"`/{word}" not in SECTION] == []
