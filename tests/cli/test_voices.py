"""`voices`, `voices say` and `voices check`."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.voices.profiles import profiles
from dramaturg.voices.wav import read_wav


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


def test_engines_voices_and_profiles_are_listed(tmp_path: Path) -> None:
    listed = call("voices", "-p", tmp_path)
    assert listed.exit_code == 0
    for word in ("kokoro", "af_heart", "hibari", "elder", "elevenlabs", "openai-compatible", "silent", *profiles()):
        assert word in listed.stdout


def test_the_list_can_be_read_by_a_program(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in call("voices", "-p", tmp_path, "--json").stdout.splitlines()]
    engines = {row["engine"]: row for row in rows if "engine" in row}
    assert engines["hibari"]["usable"]
    assert {row["name"] for row in rows if "about" in row} == set(profiles())


def test_a_line_is_said_into_a_file(tmp_path: Path) -> None:
    out = tmp_path / "made" / "hello.wav"
    done = call("voices", "say", "*waves* Hello there.", "--engine", "hibari", "--voice", "deep", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert f"Written to {out}: hibari, deep, " in done.stderr
    assert "LUFS" in done.stderr
    assert read_wav(out.read_bytes()).seconds > 0.4
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["hello.wav"]


def test_without_a_name_a_free_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        said = call("voices", "say", "Hello.", "--engine", "silent", "--json")
        assert said.exit_code == 0
    assert json.loads(said.stdout)["silent"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["line-2.wav", "line.wav"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["*waves*", "--engine", "hibari"], "nothing to say in '*waves*'"),
        (["Hello.", "--engine", "hibari", "--voice", "hart"], "Did you mean 'heart'?"),
        (["Hello.", "--engine", "hibari", "--profile", "warm"], "There is no voice profile 'warm'."),
        (["Hello.", "--engine", "hibary"], "There is no engine 'hibary'."),
        (["Hello.", "--engine", "silent", "-o", "a.mp3"], "Call it a.mp3.wav"),
        (["Hello.", "--engine", "silent", "-o", "."], "is a folder"),
    ],
)
def test_what_cannot_be_said_is_told(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = call("voices", "say", *words)
    assert refused.exit_code == 2
    assert told in refused.stderr
    assert not list(tmp_path.iterdir())


def test_an_existing_file_is_overwritten_only_by_force(tmp_path: Path) -> None:
    out = tmp_path / "mine.wav"
    out.write_text("mine", encoding="utf-8")
    assert "already exists" in call("voices", "say", "Hello.", "--engine", "silent", "-o", out).stderr
    assert out.read_text(encoding="utf-8") == "mine"
    assert call("voices", "say", "Hello.", "--engine", "silent", "-o", out, "--force").exit_code == 0
    assert out.read_bytes()[:4] == b"RIFF"


def test_every_voice_is_measured(tmp_path: Path) -> None:
    done = call("voices", "check", "-p", tmp_path, "--engine", "hibari", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert len(rows) == 6
    for row in rows:
        assert row["fault"] == ""
        assert row["lufs"] == pytest.approx(-16, abs=0.5)
        assert row["peak_db"] <= -1
        assert row["words"] == 13
        assert 2000 < row["duration_ms"] < 6000
        assert row["cpu"] > 0


def test_voices_that_cannot_be_heard_fail_the_check(tmp_path: Path) -> None:
    done = call("voices", "check", "-p", tmp_path, "--engine", "silent")
    assert done.exit_code == 3
    assert "FAULT: nothing can be heard" in done.stdout
    assert "0 of 10 voices work." in done.stdout


def test_the_doctor_says_who_can_speak(tmp_path: Path) -> None:
    found = [json.loads(line) for line in call("doctor", "-p", tmp_path, "--json").stdout.splitlines()]
    voices = next(row for row in found if row["what"] == "Voices")
    assert voices["mark"] == "ok"
    assert "kokoro (10 voices), hibari (6 voices)" in voices["detail"]
