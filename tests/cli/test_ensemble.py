"""The ensemble from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import wave
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.voices.mastering import measured
from dramaturg.voices.wav import read_wav
from tests.child import clean_environment
from tests.warm import program


def dramaturg(*words: str, project: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """A command, typed in a clean environment."""
    done = subprocess.run(
        [*program(), *words, "--project", str(project)],
        capture_output=True, text=True, env=clean_environment(project), timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "story"
    assert CliRunner().invoke(app, ["new", str(folder)]).exit_code == 0
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write('\n[voices]\nengine = "hibari"\n')
    return folder


def test_with_no_key_six_voices_give_six_and_six_and_n_sounds_that_can_be_heard(project: Path) -> None:
    done = dramaturg("ensemble", "ask", "What is courage?", "--json", project=project)
    manifest = json.loads(done.stdout.splitlines()[-1])
    lines = [line for turn in manifest["turns"] for line in turn["lines"]]
    counted = [len(turn["lines"]) for turn in manifest["turns"]]
    assert counted[:2] == [6, 6]
    assert 1 <= counted[2] <= 6
    for line in lines:
        path = project / "data" / "artifacts" / line["audio"]["audioPath"]
        with wave.open(str(path)) as file:
            seconds = file.getnframes() / file.getframerate()
            assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        assert path.stat().st_size == line["audio"]["bytes"]
        assert abs(seconds * 1000 - line["audio"]["durationMs"]) < 2
        assert seconds > 0.5
        heard = measured(read_wav(path.read_bytes()))
        assert heard.lufs is not None
        assert heard.peak_db is not None
        # Whose peaks leave no more room is a little quieter than the others.
        assert (-18 if heard.peak_db > -1.5 else -17) < heard.lufs < -15
    session = project / "data" / "artifacts" / "tts" / "sessions" / manifest["sessionId"]
    assert {child.name for child in session.iterdir()} == {"session.json", "turn_1", "turn_2", "turn_3"}


def test_a_session_is_shown_resumed_and_mixed_by_its_id(project: Path) -> None:
    asked = dramaturg("ensemble", "ask", "Who?", "--slots", "2", project=project)
    assert listed(asked.stdout) == ["session.json", "turn_1/", "turn_2/", "turn_3/"]
    session = asked.stdout.split("session ")[-1].split()[0]
    assert "They reply" in dramaturg("runs", "show", session, project=project).stdout
    mixed = dramaturg("ensemble", "mix", session, "--json", project=project)
    path = Path(json.loads(mixed.stdout)["path"])
    assert path.read_bytes()[:4] == b"RIFF"
    assert "ensemble" in dramaturg("runs", "list", project=project).stdout


def test_without_audio_it_is_text(project: Path) -> None:
    done = dramaturg("ensemble", "ask", "Who?", "--slots", "3", "--no-audio", project=project)
    assert "text only" in done.stdout
    assert not list((project / "data").rglob("*.wav"))
    assert listed(done.stdout) == ["session.json"]


def test_what_ends_two_turns_is_told_once(project: Path) -> None:
    told = dramaturg("ensemble", "ask", "Who?", "--slots", "1", "--engine", "silent", project=project).stdout
    assert told.count("Only one slot has answered, and nobody comments on themselves.") == 1
    assert "1 WAV file, " in told


def listed(told: str) -> list[str]:
    """The files and folders that a session is said to have."""
    return next(row for row in told.splitlines() if " session.json" in row).split()[1:]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("",), "empty"),
        (("Who?", "--slots", "9"), "There are 6 seats, and 9 were asked for."),
        (("Who?", "--slots", "2,9"), "There is no slot 9"),
        (("Who?", "--slots", "0"), "slot"),
        (("Who?", "--slots", "2,2"), "2"),
        (("Who?", "--slots", "many"), "--slots"),
        (("Who?", "--engine", "parrot"), "parrot"),
        (("Who?", "--model", "nobody/none"), "nobody"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(project: Path, words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(app, ["ensemble", "ask", *words, "--project", str(project)], catch_exceptions=False)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_session_that_is_interrupted_can_be_played_on(project: Path) -> None:
    # At the pace of speech, so that the first event comes long before the last.
    with (project / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write("\n[scenes]\npace = 1.0\n")
    command = [*program(), "ensemble", "ask", "Who?", "--json", "--slots", "2"]
    with subprocess.Popen(
        [*command, "--project", str(project)],
        stdout=subprocess.PIPE, text=True, env=clean_environment(project),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert "cancelled" in dramaturg("runs", "list", project=project).stdout
    resumed = dramaturg("runs", "resume", first["sessionId"], "--json", project=project)
    assert json.loads(resumed.stdout.splitlines()[-1])["finished"] is True


def test_a_kiosk_begins_anew(project: Path) -> None:
    assert "starts over" in dramaturg("ensemble", "reset", project=project).stderr
