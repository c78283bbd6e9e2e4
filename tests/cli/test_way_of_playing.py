"""How a scene is played from the command line: the way of playing after a fork, and the pace where nobody watches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.story import SCENE, new_story, typed


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def plays_as(story: Path, way: str) -> None:
    (story / "dramaturg.toml").write_text(f'[scenes]\npace = 0\nagent = "{way}"\n', encoding="utf-8")


def way_of_fork(story: Path, run: str, *more: str) -> str:
    rows = typed(story, "runs", "fork", run, "--beat", "1", "--json", *more).splitlines()
    events = [json.loads(row)["event"] for row in rows[:-1]]
    return next(event["agent"] for event in events if event["type"] == "scene.forked")


def test_another_model_plays_as_the_settings_say_and_the_same_one_as_it_did(story: Path) -> None:
    plays_as(story, "direct")
    run = json.loads(typed(story, "scene", "run", SCENE, "--model", "rehearsal", "--json").splitlines()[-1])["run"]
    plays_as(story, "assisted")
    assert way_of_fork(story, run) == "direct"
    assert way_of_fork(story, run, "--model", "rehearsal") == "assisted"


def test_a_scene_that_nobody_watches_does_not_play_at_the_pace_of_speech(story: Path) -> None:
    (story / "dramaturg.toml").write_text("", encoding="utf-8")
    typed(story, "scene", "run", SCENE, "--model", "rehearsal")
    metadata = json.loads((story / "data" / "scenes" / SCENE / "metadata.json").read_text(encoding="utf-8"))
    spoken = sum(len(line["content"].split()) for line in _lines(story))
    seconds_of_speech = spoken / 2.5
    assert seconds_of_speech > 30
    assert metadata["duration"] < seconds_of_speech * 1000 / 3  # in milliseconds


def _lines(story: Path) -> list[dict[str, str]]:
    document = json.loads((story / "data" / "scenes" / SCENE / "scene.json").read_text(encoding="utf-8"))
    return [line for line in document["lines"] if line["kind"] == "line"]
