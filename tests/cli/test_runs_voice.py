"""Sound for what was played before, from the command line; and Ctrl-C while lines are spoken, in a real process."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests import warm
from tests.child import clean_environment
from tests.cli.story import SCENE, new_story
from tests.voice_server import VoiceServer


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = new_story(tmp_path / "story")
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write('\n[voices]\nengine = "silent"\n')
    return folder


def said(*words: str, project: Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*words, "--project", str(project)])
    assert done.exit_code == code, done.output
    return done.output


def asked(story: Path, *more: str, question: str = "What is courage?") -> str:
    """A session of two seats; its id."""
    told = said("ensemble", "ask", question, "--slots", "1,2", "--model", "rehearsal", "--json", *more,
                project=story)  # fmt: skip
    session: str = json.loads(told.splitlines()[-1])["sessionId"]
    return session


def test_a_session_asked_without_sound_is_voiced_and_each_line_is_told(story: Path) -> None:
    session = asked(story, "--no-audio")
    told = said("runs", "voice", session, project=story)
    assert re.search(r"silent is asked to speak \d lines\.", told)
    assert told.count(": spoken, ") >= 4
    assert "s of silence (the engine is meant for tests) by silent" in told
    again = said("runs", "voice", session, project=story, code=2)
    assert "Every line of this session has its sound" in again


def test_a_voice_of_another_engine_is_something_that_the_author_mends(story: Path) -> None:
    session = asked(story, "--no-audio")
    told = said("runs", "voice", session, "--engine", "hibari", "--voice", "af_heart", project=story, code=2)
    assert "hibari has no voice 'af_heart'. It is a voice of kokoro." in " ".join(told.split())


def test_lines_that_an_engine_cannot_speak_are_not_announced_as_spoken(story: Path) -> None:
    session = asked(story, "--no-audio", question="Qu'est-ce que le courage ?")
    told = said("runs", "voice", session, "--engine", "hibari", project=story)
    assert "lines are spoken" not in told
    assert "name an engine that does under [voices]" in told
    assert "0 lines spoken" in told


def test_one_slot_is_voiced_anew_and_the_result_is_json(story: Path) -> None:
    session = asked(story)
    rows = [json.loads(row) for row in said("runs", "voice", session, "--slot", "2", "--voice", "bm_fable", "--json",
                                            project=story).splitlines()]  # fmt: skip
    sounds = [row for row in rows if row.get("event") == "slot.audio"]
    assert {(row["slotId"], row["voice"]) for row in sounds} == {(2, "bm_fable")}
    assert rows[-2]["event"] == "session.voiced"
    assert rows[-1]["finished"] is True


def test_a_scene_is_voiced_line_by_line(story: Path) -> None:
    played = said("scene", "run", SCENE, "--model", "rehearsal", "--json", project=story)
    run = json.loads(played.splitlines()[-1])["run"]
    told = said("runs", "voice", run, project=story)
    assert "lines spoken by silent" in told
    assert "1 of " in told
    assert "A scene has no slots" in said("runs", "voice", run, "--slot", "1", project=story, code=2)


@pytest.mark.parametrize(("words", "code", "says"), [
    (("--line", "99"), 2, "There is no line 99"),
    (("--engine", "gramophone"), 2, "There is no engine 'gramophone'"),
    (("--slot", "9"), 2, ""),
])  # fmt: skip
def test_what_cannot_be_voiced_is_one_sentence(story: Path, words: tuple[str, ...], code: int, says: str) -> None:
    told = said("runs", "voice", asked(story), *words, project=story, code=code)
    assert says in told
    assert "Traceback" not in told


async def test_ctrl_c_does_not_wait_for_the_line_being_spoken_and_resume_speaks_the_rest(story: Path) -> None:
    async with VoiceServer() as server:
        settings = story / "dramaturg.toml"
        hosted = f'engine = "openai-compatible"\nbase_url = "{server.url}"\nmodel = "tts"\n'
        settings.write_text(
            settings.read_text(encoding="utf-8").replace('engine = "silent"\n', hosted), encoding="utf-8"
        )
        server.hold()
        process = await typed(
            "ensemble", "ask", "What is courage?", "--slots", "1,2", "--model", "rehearsal", story=story
        )
        await server.until(asked=1)
        process.send_signal(signal.SIGINT)
        # The server never answers: a command that waited for its line would not end.
        _, told = await process.communicate()
        assert process.returncode == 130, told.decode()
        session = told.decode().partition("runs resume ")[2].split()[0]
        server.release()
        process = await typed("runs", "resume", session, "--json", story=story)
        out, told = await process.communicate()
        assert process.returncode == 0, told.decode()
    manifest = json.loads(out.splitlines()[-1])
    lines = [line for turn in manifest["turns"] for line in turn["lines"]]
    assert manifest["finished"] is True
    assert all(line["audio"]["engine"] == "openai-compatible" for line in lines)


async def typed(*words: str, story: Path) -> asyncio.subprocess.Process:
    return await warm.start(
        "-m", "dramaturg", *words, "--trust", "--project", str(story), env=clean_environment(story),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
