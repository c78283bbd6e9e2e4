"""`runs replay`: the run again, from its log."""

from pathlib import Path

import pytest
from rich.console import Console

from dramaturg.cli.replay_view import show_again
from dramaturg.cli.scene_view import SceneView
from dramaturg.kernel.clock import StillClock
from dramaturg.scenes.insight.replay import replay_steps
from tests.cli.story import SCENE, document, new_story, rehearsed, typed
from tests.scenes.insight.played import the_cup


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def test_the_replay_is_what_was_seen_live(story: Path) -> None:
    live = typed(story, "scene", "run", SCENE, "--model", "rehearsal")
    run = live.split()[-1]
    assert typed(story, "runs", "replay", run, "--speed", "0") == live


def test_it_can_begin_at_a_beat(story: Path) -> None:
    run = rehearsed(story)
    shown = typed(story, "runs", "replay", run, "--speed", "0", "--beat", "3")
    lines = document(story)["lines"]
    for line in lines:
        if line["kind"] == "line":
            assert (f'"{line["content"]}"' in shown) is (line["beat"] >= 3)
    assert "has no beat 99" in typed(story, "runs", "replay", run, "--beat", "99", code=2)


def test_step_by_step_shows_everything_and_goes_on_alone_when_nobody_presses_enter(story: Path) -> None:
    run = rehearsed(story)
    whole = typed(story, "runs", "replay", run, "--speed", "0")
    assert typed(story, "runs", "replay", run, "--step", keys="\n\n") == whole


async def test_each_line_waits_for_enter_and_no_longer_than_somebody_is_there(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    pressed = iter([True, True, False])

    async def entered() -> bool:
        return next(pressed)

    await show_again(replay_steps(run.entries, speed=0), SceneView(Console(quiet=True)), StillClock(), entered)
    assert next(pressed, None) is None


async def test_the_pauses_are_waited_on_the_clock(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    clock = StillClock()
    shown = replay_steps(run.entries)
    await show_again(shown, SceneView(Console(quiet=True)), clock)
    assert clock.waits == [step.pause for step in shown if step.pause]
