"""`--pace` and `--fast`: time to read, on a clock that is not waited for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rich.console import Console

from dramaturg.cli.edge import at_speaking_pace
from dramaturg.cli.reading_pace import ReadingPace
from dramaturg.cli.replay_view import show_again
from dramaturg.cli.scene_view import SceneView
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import LineSpoken, SceneEnded
from dramaturg.scenes.insight.replay import replay_steps
from dramaturg.scenes.line import Line
from tests.cli.story import SCENE, new_story, rehearsed, typed
from tests.scenes.insight.played import the_cup

EXAMPLES = Path(__file__).parents[2] / "examples"


def spoken(text: str) -> LineSpoken:
    return LineSpoken(line=Line(number=1, beat=0, speaker="Bob", content=text))


END = SceneEnded(goal_achieved=True, reason="goal_achieved", beats=1)


@pytest.mark.parametrize(("pace", "waits"), [(1.0, [10.0, 1.0]), (0.5, [5.0, 0.5]), (2.0, [20.0, 2.0]), (0.0, [])])
async def test_a_line_stays_as_long_as_it_takes_to_read(pace: float, waits: list[float]) -> None:
    clock = StillClock()
    reading = ReadingPace(clock, pace)
    for event in (spoken("x" * 140), spoken("No."), END):
        await reading.before(event)
    assert clock.waits == pytest.approx(waits)


async def test_time_that_has_passed_anyway_is_not_waited_again() -> None:
    clock = StillClock()
    reading = ReadingPace(clock, 1.0)
    await reading.before(spoken("x" * 140))
    clock.wind(7)
    await reading.before(spoken("No."))
    clock.wind(7)
    await reading.before(END)
    assert clock.waits == pytest.approx([3.0])


async def test_a_replay_can_be_read_at_the_same_pace(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    clock = StillClock()
    await show_again(replay_steps(run.entries, speed=0), SceneView(Console(quiet=True)), clock, pace=1.0)
    lines = [entry.event for entry in run.entries if isinstance(entry.event, LineSpoken)]
    assert len(clock.waits) == len(lines)
    assert min(clock.waits) >= 0.9


@pytest.mark.parametrize(("asked", "pace"), [(None, 1.0), (0.0, 0.0), (0.3, 0.3)])
def test_the_company_plays_at_the_pace_that_was_asked_for(tmp_path: Path, asked: float | None, pace: float) -> None:
    assert at_speaking_pace(read_settings(tmp_path, {}), watched=True, pace=asked).scenes.pace == pace


def test_both_options_work_on_every_command_that_shows_a_scene(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    run = rehearsed(story)
    whole = typed(story, "runs", "replay", run, "--fast")
    assert (
        whole
        == typed(story, "runs", "replay", run, "--speed", "0")
        == typed(story, "runs", "replay", run, "--pace", "0")
    )
    assert "Goal" in typed(story, "scene", "run", SCENE, "--model", "rehearsal", "--fast")
    assert "Goal" in typed(story, "runs", "fork", run, "--beat", "1", "--pace", "0")
    for words in (
        ("scene", "run", SCENE),
        ("runs", "replay", run),
        ("runs", "resume", run),
        ("runs", "fork", run, "--beat", "1"),
    ):
        assert "exclude each other" in typed(story, *words, "--fast", "--pace", "1", code=2)
        assert "less than or equal to 10" in typed(story, *words, "--pace", "11", code=2)


def test_both_options_work_on_acts(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(EXAMPLES / "the-lost-umbrella", story, ignore=shutil.ignore_patterns("data"))
    shown = typed(story, "act", "run", "the-lost-umbrella", "--fast")
    assert "SCENE 2" in shown
    assert "SCENE 2" in typed(story, "act", "fork", shown.split()[-1], "--scene", "2", "--pace", "0")
    for words in (("act", "run", "the-lost-umbrella"), ("act", "fork", shown.split()[-1], "--scene", "2")):
        assert "exclude each other" in typed(story, *words, "--fast", "--pace", "1", code=2)
