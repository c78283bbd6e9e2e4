"""`--voice`, `--no-voice` and `/voice`: messages spoken to files, from the first or from now on, and why not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dramaturg.voices.wav import read_wav
from tests.cli.story import typed

EXAMPLES = Path(__file__).parents[2] / "examples"
EPISODE = "the-flirt-test"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(EXAMPLES / EPISODE, tmp_path / "story", ignore=shutil.ignore_patterns("data")))
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[voices]\nengine = "silent"\n')
    return folder


def played(story: Path, keys: str, *words: str) -> list[dict[str, Any]]:
    lines = typed(story, "episode", "play", *words, "--model", "rehearsal", "--json", keys=keys).splitlines()
    return [json.loads(line) for line in lines]


def spoken(events: list[dict[str, Any]]) -> set[str]:
    """The messages that were spoken."""
    return {one["message_id"] for one in events if one.get("type") == "audio"}


def answered(events: list[dict[str, Any]]) -> list[str]:
    return [one["message_id"] for one in events if one.get("type") == "message_complete"]


def test_with_voice_every_message_of_the_character_is_a_file_that_can_be_heard(story: Path) -> None:
    events = played(story, "Hello\nWhy?\n", EPISODE, "--voice")
    folder = story / "data" / "sessions" / events[-1]["id"]
    files = sorted(folder.glob("*.wav"))
    assert files
    assert all(read_wav(file.read_bytes()).frames for file in files)
    assert set(answered(events)) <= {file.name.split("-")[0] for file in files}
    assert events[-1]["voice"] is True


def test_without_it_nothing_is_spoken_unless_the_settings_say_so(story: Path) -> None:
    events = played(story, "Hello\n", EPISODE)
    assert not list((story / "data").rglob("*.wav"))
    assert not spoken(events)
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[episodes]\nvoice = true\n")
    assert played(story, "Hello\n", EPISODE)[-1]["voice"] is True
    assert list((story / "data").rglob("*.wav"))
    before = len(list((story / "data").rglob("*.wav")))
    played(story, "Hello\n", EPISODE, "--no-voice")
    assert len(list((story / "data").rglob("*.wav"))) == before


def test_voices_are_turned_on_and_off_while_one_talks(story: Path) -> None:
    events = played(story, "Hello\n/voice on\nWhy?\n/voice off\nGo on\n", EPISODE)
    first, second, third = answered(events)[-3:]
    names = {file.name.split("-")[0] for file in (story / "data").rglob("*.wav")}
    assert names == {second}
    assert not {first, third} & names


def test_a_session_is_continued_with_voices(story: Path) -> None:
    session = played(story, "Hello\n", EPISODE)[-1]["id"]
    assert "--voice" in typed(story, "episode", "play", "--help")
    shown = typed(story, "episode", "play", "--session", session, "--voice", keys="Why?\n")
    assert f"Messages are spoken to WAV files in {story / 'data' / 'sessions' / session}." in " ".join(shown.split())
    assert list((story / "data" / "sessions" / session).glob("*.wav"))
    shown = typed(story, "episode", "play", "--session", session, keys="/voice off\n/voice loud\n")
    assert "Messages are no longer spoken." in shown
    assert "Type /voice on or /voice off." in shown


def test_where_nothing_can_be_spoken_the_reason_is_said_and_the_talk_goes_on(story: Path) -> None:
    settings = story / "dramaturg.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace('"silent"', '"openai-compatible"'), encoding="utf-8"
    )
    shown = typed(story, "episode", "play", EPISODE, "--voice", "--model", "rehearsal", "--trust", keys="Hello\n")
    assert "Messages cannot be spoken: " in shown
    assert "base_url" in shown
    assert "Juno" in shown.split("Hello", 1)[1]
