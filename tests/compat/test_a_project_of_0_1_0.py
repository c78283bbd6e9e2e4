"""A project that was played with 0.1.0 opens, reads the same and plays on, through the command line alone."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.child import clean_environment
from tests.warm import program

RELEASE = Path(__file__).parent / "0.1.0"
EXPECTED: dict[str, Any] = json.loads((RELEASE / "expected.json").read_text(encoding="utf-8"))
EPISODE, FINISHED = EXPECTED["episode"], EXPECTED["finished"]


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A copy of the project, as if its processes had died on this machine."""
    folder = tmp_path / "story"
    shutil.copytree(RELEASE / "story", folder)
    connection = sqlite3.connect(folder / "data" / "dramaturg.db")
    with connection:
        connection.execute("UPDATE runs SET player = ? || substr(player, 6)", (socket.gethostname().replace("/", "-"),))
    connection.close()
    return folder


def typed(story: Path, *words: str, keys: str = "", code: int = 0) -> str:
    """What a command of today's release prints."""
    done = subprocess.run(
        [*program(), *words, "--project", str(story)],
        input=keys,
        capture_output=True,
        text=True,
        env=clean_environment(story, COLUMNS="400"),
        timeout=240,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def rows(story: Path, *words: str, keys: str = "") -> list[dict[str, Any]]:
    return [json.loads(line) for line in typed(story, *words, "--json", keys=keys).splitlines()]


def stored(story: Path, run: str) -> list[tuple[int, str, str]]:
    """The log of a run as it lies in the database."""
    connection = sqlite3.connect(story / "data" / "dramaturg.db")
    found = connection.execute("SELECT seq, type, body FROM events WHERE run_id = ? ORDER BY seq", (run,)).fetchall()
    connection.close()
    return found


def test_every_run_is_listed_as_it_was(story: Path) -> None:
    listed = {row["id"]: {key: row[key] for key in ("kind", "name", "status")} for row in rows(story, "runs", "list")}
    assert listed == EXPECTED["runs"]
    assert len({row["kind"] for row in listed.values()}) == 5


def test_transcripts_logs_costs_and_replays_are_the_same_to_the_byte(story: Path) -> None:
    for run, shown in EXPECTED["shown"].items():
        now = typed(story, "runs", "show", run)
        if EXPECTED["runs"][run]["kind"] == "scene":
            assert now == shown
        else:  # a finding is a text for people: its figures stay, its layout may change
            assert set(re.findall(r"\d\.\d\d", now)) == set(re.findall(r"\d\.\d\d", shown))
    assert typed(story, "runs", "show", EXPECTED["session"]) == EXPECTED["session_shown"]
    assert typed(story, "runs", "show", FINISHED, "--debug") == EXPECTED["debug"]
    cost = typed(story, "runs", "cost", EXPECTED["forked"], "--json")
    assert json.loads(cost) == json.loads(EXPECTED["cost"][EXPECTED["forked"]])
    replayed = typed(story, "runs", "replay", FINISHED, "--speed", "0")
    assert replayed.replace(str(story.parent), "") == EXPECTED["replayed"]
    written = story / "data" / "scenes" / "the-second-signature" / "transcript.txt"
    assert written.read_text(encoding="utf-8") == EXPECTED["shown"][FINISHED]


def test_a_killed_scene_is_played_to_its_end_and_keeps_what_was_played(story: Path) -> None:
    killed = EXPECTED["killed"]
    before = stored(story, killed)
    result = rows(story, "runs", "resume", killed)[-1]
    assert result["run"] == killed
    assert result["success"] is True
    after = stored(story, killed)
    assert after[: len(before)] == before
    assert "scene.ended" in [type_ for _, type_, _ in after]
    assert [type_ for _, type_, _ in after].count("scene.opened") == 1
    transcript = story / result["outputPath"] / "transcript.txt"
    assert transcript.read_text(encoding="utf-8") == result["transcript"] == typed(story, "runs", "show", killed)


@pytest.mark.parametrize("run", ["finished", "forked"])
def test_a_scene_and_its_fork_are_forked_again(story: Path, run: str) -> None:
    result = rows(story, "runs", "fork", EXPECTED[run], "--beat", "2", "--note", "Walter is in a hurry.")[-1]
    assert result["success"] is True
    assert f"FORKED FROM: run {EXPECTED[run]}, after beat 2" in result["transcript"]
    opening = result["transcript"].partition("[SCENE START]")[2].split("\n\n")[:3]
    assert opening == EXPECTED["shown"][EXPECTED[run]].partition("[SCENE START]")[2].split("\n\n")[:3]


def test_a_line_is_questioned_again(story: Path) -> None:
    assert "Walter" in typed(story, "runs", "why", FINISHED, "2", "--prompt")


def test_a_killed_ensemble_session_goes_on_and_the_next_question_knows_it(story: Path) -> None:
    killed = EXPECTED["killed_session"]
    before = stored(story, killed)
    manifest = rows(story, "runs", "resume", killed)[-1]
    assert manifest["finished"] is True
    assert stored(story, killed)[: len(before)] == before
    assert [len(turn["lines"]) for turn in manifest["turns"]][:2] == [4, 4]
    typed(story, "ensemble", "ask", "And now?", "--slots", "4", "--no-audio")
    following = rows(story, "runs", "list")[0]["id"]
    begun = next(json.loads(body) for _, type_, body in stored(story, following) if type_ == "ensemble.begun")
    assert begun["follows"] == killed


def test_an_episode_session_answers_what_was_left_and_takes_another_turn(story: Path) -> None:
    before = stored(story, EPISODE)
    view = rows(story, "episode", "play", "--session", EPISODE, keys="Good night, Walter.\n")[-1]
    said = [(message["role"], message["content"]) for message in view["messages"]]
    roles = [role for role, _ in said]
    assert [text for role, text in said if role == "player"] == [
        "Good evening.",
        "Who painted the small one?",
        "How was the museum?",
        "And what did you never tell Iris?",
        "Good night, Walter.",
    ]
    assert roles == ["character"] + ["player", "character"] * 5
    assert view["director"]["turn_count"] == 5
    assert stored(story, EPISODE)[: len(before)] == before


def test_a_completed_episode_keeps_its_result(story: Path) -> None:
    session = EXPECTED["completed_episode"]
    listed = {one["id"]: one for one in rows(story, "episode", "list")[-1]["sessions"]}
    assert listed[session]["status"] == "complete"
    assert listed[session]["turn_count"] == 8


def test_the_foreman_answers_another_message_and_takes_the_old_decisions_back(story: Path) -> None:
    state, expected = json.loads(typed(story, "foreman", "state", "--json")), dict(EXPECTED["state"])
    told, before = state.pop("sessionState"), expected.pop("sessionState")
    assert state == expected
    # The state told the names of filled fields only; now it tells what stands in them, and a preference as one.
    assert {line.strip() for line in before.splitlines() if "<template" in line} <= {
        line.strip() for line in told.splitlines()
    }
    assert rows(story, "foreman", "decisions") == EXPECTED["decisions"]
    page = story / "story-bible" / "protagonist.md"
    assert "She cannot ask anybody for help" in page.read_text(encoding="utf-8")
    message = "She pretends to know what she does not know."
    typed(story, "foreman", "chat", keys="\n".join(["/undo"] * 4 + [message, ""]))
    assert "She cannot ask anybody for help" not in page.read_text(encoding="utf-8")
    kept = {row["value"] for row in rows(story, "foreman", "decisions")}
    assert kept >= {"Two sisters inherit a lighthouse that nobody lights.", "Ruth Abara"}
    assert kept.isdisjoint({"British", "The lamp is lit.", "She cannot ask anybody for help, since she was ten."})
    assert json.loads(typed(story, "foreman", "state", "--json"))["turns"] == EXPECTED["state"]["turns"] + 1
