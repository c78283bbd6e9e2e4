"""A group in the terminal: names before the words, and whispers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.story import typed
from tests.episodes.company import TABLE, write_cards
from tests.episodes.staging import write_project


@pytest.fixture
def story(tmp_path: Path) -> Path:
    write_cards(tmp_path)
    write_project(tmp_path, TABLE)
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return tmp_path


def test_each_answer_stands_under_its_speakers_name_and_a_whisper_under_one(story: Path) -> None:
    keys = (
        "Bo, Cleo: who are you?\n/whisper Cleo Marsh: Meet me later.\n"
        "/whisper Dorian hello\n/whisper bo\n/whisper\n/continue Ada\n"
    )
    shown = typed(story, "episode", "play", "three-at-a-table", keys=keys)
    assert "rehearsal company speaks Ada, Bo and Cleo Marsh's own lines" in " ".join(shown.split())
    whispered = shown.split("/whisper Cleo Marsh: Meet me later.")
    assert "\nBo:\n" in whispered[0]
    assert "\nCleo Marsh:\n" in whispered[0]
    answer, rest = whispered[1].split("/whisper Dorian")
    assert "\nCleo Marsh:\n" in answer
    assert "\nBo:\n" not in answer
    assert "There is no 'Dorian' in this group (here: Ada, Bo, Cleo Marsh)." in rest
    assert "Say what Bo is to hear" in rest
    assert "\nAda:\n" in rest.split("/continue Ada")[1]
    assert "ada, bo, cleo" in typed(story, "episode", "list")


def test_a_resumed_group_and_its_export_keep_the_names(story: Path, tmp_path: Path) -> None:
    lines = typed(story, "episode", "play", "three-at-a-table", "--json", keys="Bo?\n/whisper ada Psst.\n").splitlines()
    session = json.loads(lines[-1])["id"]
    again = typed(story, "episode", "play", "--session", session, keys="")
    assert "You, to Ada alone: Psst." in again
    assert "\nBo:\n" in again
    typed(story, "episode", "export", session, "--to", str(tmp_path / "out.jsonl"))
    said = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()][1:]
    assert [one["name"] for one in said][:3] == ["Ada", "You", "Bo"]
    assert said[-1]["extra"]["dramaturg"]["whispered"] == "ada"


def test_the_commands_for_players_tell_the_members_of_a_group_apart(story: Path) -> None:
    keys = "Bo, Cleo: who are you?\n/whisper ada Psst.\n/messages\n/relationship\n"
    shown = typed(story, "episode", "play", "three-at-a-table", keys=keys).split("/messages")[1]
    listed, bonds = shown.split("/relationship")
    for name in ("Ada: ", "You: ", "Bo: ", "Cleo Marsh: ", "You (whispered): Psst.", "Ada (whispered): "):
        assert f"  {name}" in listed
    for name in ("Ada", "Bo", "Cleo Marsh"):
        assert re.search(rf"^{name}: .*trust", bonds, re.MULTILINE)
