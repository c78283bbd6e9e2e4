"""`runs fork`: a run played on otherwise from the end of a beat."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.cli.story import SCENE, document, new_story, rehearsed, typed


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def test_a_fork_without_a_note_plays_what_the_run_played(story: Path) -> None:
    run = rehearsed(story)
    shown = typed(story, "runs", "fork", run, "--beat", "2")
    assert f"(forked from run {run} after beat 2)" in shown
    assert document(story)["lines"] == document(story, f"{SCENE}-2")["lines"]
    transcript = (story / "data" / "scenes" / f"{SCENE}-2" / "transcript.txt").read_text(encoding="utf-8")
    assert f"FORKED FROM: run {run}, after beat 2" in transcript


def test_a_note_goes_to_all_in_the_new_run_only_and_its_id_is_printed(story: Path) -> None:
    run = rehearsed(story)
    before = typed(story, "runs", "show", run, "--debug")
    shown = typed(story, "runs", "fork", run, "--beat", "1", "--note", "Close the scene now.")
    fork = shown.split()[-1]
    debug = typed(story, "runs", "show", fork, "--debug")
    assert "beat 1 to all: Close the scene now. | because given by hand" in debug
    assert "DIRECTOR NOTE (only you see this): Close the scene now." in debug
    assert typed(story, "runs", "show", run, "--debug") == before
    why = typed(story, "runs", "why", fork, str(document(story, f"{SCENE}-2")["lines"][-1]["number"]))
    assert "by " in why
    assert "were paid for in run" in typed(story, "runs", "cost", fork)


def test_json_gives_the_events_and_the_result_of_the_new_run(story: Path) -> None:
    run = rehearsed(story)
    lines = [json.loads(line) for line in typed(story, "runs", "fork", run, "--beat", "1", "--json").splitlines()]
    assert lines[-1]["run"] != run
    assert "scene.forked" in [line["event"]["type"] for line in lines[:-1]]
    assert lines[-1]["outputPath"] == f"data/scenes/{SCENE}-2/"


def test_a_beat_that_was_not_played_is_refused_and_leaves_nothing(story: Path) -> None:
    run = rehearsed(story)
    assert "fork it at one of the beats 0 to" in typed(story, "runs", "fork", run, "--beat", "77", code=2)
    assert len(typed(story, "runs", "list", "--json").splitlines()) == 1
    assert not (story / "data" / "scenes" / f"{SCENE}-2").exists()


def test_a_session_of_an_episode_is_not_forked_but_branched_in_its_talk(story: Path) -> None:
    card = story / "iris.json"
    card.write_text('{"name": "Iris", "description": "A keeper.", "first_mes": "The lamp is lit."}', encoding="utf-8")
    talk = typed(story, "episode", "play", "--card", str(card), "--model", "rehearsal", "--json", keys="Hello\n")
    session = json.loads(talk.splitlines()[-1])["id"]
    done = CliRunner().invoke(app, ["runs", "fork", session, "--beat", "1", "--project", str(story)])
    assert done.exit_code == 2
    assert f"{session} is a session of an episode, not a scene." in " ".join(done.output.split())
    assert f"episode play --session {session}" in " ".join(done.output.split())
