"""Episodes on the command line: listed, talked, swiped, taken up again, rehearsed."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.episodes.rehearsal.players import TEMPERS
from dramaturg.episodes.rehearsal_run import RehearsalSessionEnded
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests.cli.story import typed
from tests.cli.terminal import at_terminal

EXAMPLES = Path(__file__).parents[2] / "examples"
SEVEN = "Hello\nTell me about the record\nWhy?\nI like your shop\nhm\nGo on\n"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "the-flirt-test", tmp_path / "story"))


def play(story: Path, keys: str, *words: str, code: int = 0) -> str:
    return typed(story, "episode", "play", *words, keys=keys, code=code)


def events(story: Path, keys: str, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in play(story, keys, *words, "--json").splitlines()]


def test_the_episodes_of_a_project_are_listed_with_the_latest_sessions(story: Path) -> None:
    assert "the-flirt-test  juno  7 turns" in typed(story, "episode", "list")
    session = events(story, "Hello\n", "the-flirt-test")[-1]["id"]
    assert session in typed(story, "episode", "list")
    told = json.loads(typed(story, "episode", "list", "--json"))
    assert [one["name"] for one in told["templates"]] == ["closing-time", "the-flirt-test"]
    assert told["sessions"][0]["id"] == session


def test_an_episode_that_cannot_be_read_is_named_and_the_others_are_listed(story: Path) -> None:
    (story / "episodes" / "broken.yaml").write_text("[" * 3000, encoding="utf-8")
    done = CliRunner().invoke(app, ["episode", "list", "--project", str(story)])
    assert "the-flirt-test  juno  7 turns" in done.stdout
    assert "Left out: episodes/broken.yaml, line 1, column 51" in done.stderr
    told = json.loads(typed(story, "episode", "list", "--json"))
    assert [one["name"] for one in told["templates"]] == ["closing-time", "the-flirt-test"]
    assert [one["name"] for one in told["unreadable"]] == ["broken"]


def test_a_pipe_plays_an_episode_to_its_result(story: Path) -> None:
    said = play(story, SEVEN + "1\n", "the-flirt-test")
    assert "Twenty minutes. Buy something, or be good company." in said
    assert "You: 1 (Ask her to play the record she never sells)" in said
    assert "% sure" in said
    assert "dramaturg episode play closing-time" in said
    assert "internal" not in said
    assert "tension_shift" not in said


def test_every_event_is_a_line_and_the_last_is_how_the_session_stands(story: Path) -> None:
    told = events(story, SEVEN + "2\n", "the-flirt-test")
    kinds = [one.get("type") for one in told]
    assert kinds[0] == "scene_card"
    assert kinds.count("done") == 8
    assert kinds.count("episode_complete") == 1
    assert told[-1]["status"] == "complete"
    assert told[-1]["director"]["turn_count"] == 7
    assert "internal" not in json.dumps(told)


def test_an_answer_is_swiped_and_the_earlier_one_comes_back(story: Path) -> None:
    told = events(story, "Hello\n/swipe\n/back\n/back\n", "the-flirt-test")
    answers = [one["content"] for one in told if one.get("type") == "message_complete"]
    assert len(answers) == 3
    assert answers[1] != answers[2]
    chosen = next(one for one in told if one.get("type") == "chosen")
    assert chosen["content"] == answers[1]
    assert next(one for one in told if one.get("type") == "refused")["message"].startswith("There is no earlier answer")
    assert told[-1]["messages"][-1]["content"] == answers[1]


def test_a_character_goes_on_a_draft_says_nothing_and_an_answer_is_guided(story: Path) -> None:
    told = events(story, "Hello\n/continue\n/draft\n/swipe Be kinder, please.\n/greeting 2\n", "the-flirt-test")
    draft = next(one for one in told if one.get("type") == "draft")
    assert draft["content"]
    view = told[-1]
    assert [one["role"] for one in view["messages"]] == ["character", "player", "character", "character"]
    assert len(view["messages"][-1]["siblings"]) == 2
    assert draft["content"] not in json.dumps(view["messages"])
    assert next(one for one in told if one.get("type") == "refused")["message"].startswith("Another greeting")


def test_the_last_words_are_changed_and_answered_anew(story: Path) -> None:
    told = events(story, "Hello\n/edit Good evening.\n", "the-flirt-test")
    view = told[-1]
    assert [one["content"] for one in view["messages"] if one["role"] == "player"] == ["Good evening."]
    assert len(view["messages"][-1]["siblings"]) == 2
    assert view["director"]["turn_count"] == 1


def test_a_session_is_taken_up_where_it_was_left(story: Path) -> None:
    session = events(story, "Hello\n", "the-flirt-test")[-1]["id"]
    said = play(story, "And now?\n", "--session", session)
    assert "You: Hello" in said
    assert "You: And now?" in said
    assert len(events(story, "", "--session", session[:14])[-1]["messages"]) == 5


def test_a_session_that_no_model_plays_names_the_way_to_one_and_takes_it(story: Path) -> None:
    session = events(story, "Hello\n", "the-flirt-test", "--model", "rehearsal")[-1]["id"]
    assert "With --model NAME, a language model plays on." in play(story, "", "--session", session)
    assert "'attic' in 'attic/x' is not a provider known here" in play(
        story, "", "--session", session, "--model", "attic/x", code=2
    )
    assert "Juno:" in play(story, "Still?\n", "--session", session, "--model", "rehearsal")


def test_a_session_keeps_its_player_and_says_so(story: Path) -> None:
    session = events(story, "Hello\n", "the-flirt-test", "--persona", "Anna")[-1]["id"]
    assert "--persona is for new sessions; this one is Anna's" in play(
        story, "", "--session", session, "--persona", "Eva"
    )


def test_imported_sessions_are_listed_where_no_episode_is(story: Path, tmp_path: Path) -> None:
    session = events(story, "Hello\n", "the-flirt-test")[-1]["id"]
    shutil.rmtree(story / "episodes")
    listed = typed(story, "episode", "list")
    assert "There are no episodes here yet." in listed
    assert session in listed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("the-flirt-tset",), "Did you mean 'the-flirt-test'"),
        ((), "Name an episode"),
        (("the-flirt-test", "--session", "1mkq8zt4c0v7hxw3rn"), "Name an episode"),
        (("--session", "1mkq8zt4c0v7hxw3rn"), "1mkq8zt4c0v7hxw3rn"),
        (("the-flirt-test", "--player", ""), "A player needs an id"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(story: Path, words: tuple[str, ...], told: str) -> None:
    output = play(story, "", *words, code=2)
    assert told in output
    assert len(output.strip().splitlines()) == 1


def test_what_cannot_be_said_is_said_and_the_talk_goes_on(story: Path) -> None:
    said = play(story, f"{'x' * 9000}\n/sing\nHello\n", "the-flirt-test")
    assert "the limit is 8,000" in said
    assert "There is no command /sing" in said
    assert said.count("Juno:") == 2


def test_a_rehearsal_is_reported_for_people_and_for_programs(story: Path) -> None:
    said = typed(story, "episode", "rehearse", "the-flirt-test", "--turns", "7")
    assert "turn_limited: 6 of 6 complete" in said
    assert "Leaks: 0." in said
    lines = [
        json.loads(line)
        for line in typed(story, "episode", "rehearse", "-n", "2", "--turns", "3", "--json").splitlines()
    ]
    assert [one["template"] for one in lines[:-1]] == ["closing-time", "the-flirt-test"]
    assert all(len(one["sessions"]) == 12 for one in lines[:-1])
    assert lines[-1]["completion_rates"] == {"beat_gated": 0.0, "turn_limited": 0.0}


def test_a_rehearsal_is_a_run_that_is_named_and_found_again_with_its_report(story: Path) -> None:
    words = ["episode", "rehearse", "the-flirt-test", "--turns", "2", "--project", str(story)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    named = re.search(r"Rehearsing the-flirt-test, run (\w+)", done.stderr)
    assert named is not None, done.stderr
    listed = json.loads(typed(story, "runs", "list", "--json"))
    assert (listed["id"], listed["kind"], listed["status"]) == (named[1], "rehearsal", "ended")
    printed = json.loads(typed(story, *words[:-2], "--json").splitlines()[0])
    shown = json.loads(typed(story, "runs", "show", named[1], "--json"))
    assert {**printed, "run": named[1]} == {**shown, "type": "rehearsed", "run": named[1]}


async def test_a_rehearsal_that_was_stopped_is_resumed_and_prints_the_whole_report(story: Path) -> None:
    async with Studio.open(read_settings(story, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        run = await studio.episodes.rehearsals.open("the-flirt-test", most_turns=2)
        playing = studio.start(run)
        async for entry in studio.runs.tail(run.id, 0, "hidden"):
            if isinstance(entry.event, RehearsalSessionEnded):
                break
        await studio.cancel(run.id)
        await asyncio.wait([playing])
    said = await asyncio.to_thread(typed, story, "runs", "resume", run.id)
    assert "turn_limited: 0 of 6 complete" in said
    assert all(temper.replace("_", " ") in said for temper in TEMPERS)


async def test_ctrl_c_at_a_terminal_leaves_cleanly_and_says_how_to_go_on(story: Path) -> None:
    async with at_terminal("episode", "play", "the-flirt-test", project=story, DRAMATURG_MODEL="rehearsal") as at:
        await at.see("›")
        at.process.send_signal(signal.SIGINT)
        assert await at.exit_code() == 130
        await at.see("Continue with: dramaturg episode play --session")
        assert "Twenty minutes." in at.shown
        assert "Traceback" not in at.shown


def test_a_session_goes_out_as_a_chat_and_another_comes_in(story: Path, tmp_path: Path) -> None:
    session = events(story, "Hello\n/swipe\n", "the-flirt-test")[-1]["id"]
    file = tmp_path / "chat.jsonl"
    assert "3 messages" in typed(story, "episode", "export", session[:14], "--to", str(file))
    assert "--force" in typed(story, "episode", "export", session, "--to", str(file), code=2)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines[3]["swipes"]) == 2
    said = typed(story, "episode", "import", str(file), "--as", "the-flirt-test")
    assert "Imported 3 messages. Continue with: dramaturg episode play --session" in said
    taken = json.loads(typed(story, "episode", "import", str(file), "--as", "the-flirt-test", "--json"))
    assert events(story, "Go on\n", "--session", taken["id"])[-1]["director"]["turn_count"] == 2
    alone = [{"user_name": "Eva", "character_name": "Juno"}, {"name": "Eva", "is_user": True, "mes": "Hello."}]
    file.write_text("\n".join(map(json.dumps, alone)), encoding="utf-8")
    assert "Imported 1 message. Continue" in typed(story, "episode", "import", str(file), "--as", "the-flirt-test")
    taken = json.loads(typed(story, "episode", "import", str(file), "--as", "the-flirt-test", "--json"))
    assert taken["player"]["name"] == "Eva"
    file.write_text('{"mes": 3}\n', encoding="utf-8")
    assert "line 1" in typed(story, "episode", "import", str(file), "--as", "the-flirt-test", code=2)
    assert "cannot be read" in typed(story, "episode", "import", str(tmp_path / "no"), "--as", "the-flirt-test", code=2)
