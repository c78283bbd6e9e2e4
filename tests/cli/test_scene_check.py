"""`scene check`: what a scene would be played with, before anything is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.story import SCENE, new_story, typed

OWN = """
prompt: Iris has found a second signature.
goal:
  - Walter names a price of at least 300
  - Iris refuses
  - nobody touches the painting
characters: [iris, walter]
lines:
  - goal: 1
    say: |
      Walter [TO: Iris, TONE: light] "Shall we say a good deal of money?"
"""


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def test_it_shows_the_cast_the_models_and_the_split_goal_and_plays_nothing(story: Path) -> None:
    shown = typed(story, "scene", "check", SCENE)
    assert "Iris" in shown
    assert "rehearsal" in shown
    assert "1. Walter confesses that he painted it" in shown
    assert "3. they agree on how to tell the museum" in shown
    assert "walk through" not in shown
    assert json.loads(typed(story, "scene", "check", SCENE, "--json"))["goals"][1]["shownBy"] == ["Iris"]
    assert "Nothing has been played" in typed(story, "runs", "list")


def test_it_says_what_is_missing_and_which_line_would_not_count(story: Path) -> None:
    (story / "scenes" / "own.yaml").write_text(OWN, encoding="utf-8")
    shown = " ".join(typed(story, "scene", "check", "own").split())
    assert "does not reach sub-goal 1: the number 300 is not said." in shown
    assert "The rehearsal company has no lines for sub-goal 2" in shown
    assert "3. nobody touches the painting (judged at the end)" in shown


def test_a_scene_without_a_goal_says_what_is_taken_for_it(story: Path) -> None:
    (story / "scenes" / "bare.yaml").write_text("prompt: They talk.\ncharacters: [iris, walter]\n", encoding="utf-8")
    assert "the whole prompt is taken as the goal" in " ".join(typed(story, "scene", "check", "bare").split())


def test_lines_that_cannot_be_played_are_refused_with_the_row(story: Path) -> None:
    (story / "scenes" / "own.yaml").write_text(OWN.replace("Walter [TO", "Zed [TO"), encoding="utf-8")
    assert "'Zed' is not in the cast" in typed(story, "scene", "check", "own", code=2)
    (story / "scenes" / "own.yaml").write_text(OWN.replace("goal: 1", "goal: 7"), encoding="utf-8")
    assert "sub-goal 7, and the goal has only 3" in typed(story, "scene", "check", "own", code=2)
