"""Bad input: one clear message that names the thing and the way out, the right exit code, nothing lost."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.stage import write_cards

GOOD = {
    "name": "talk",
    "prompt": "They talk. Scene goal: Bob apologizes, Alice accepts.",
    "characters": ["alice", "bob"],
}


@pytest.fixture
def story(tmp_path: Path) -> Path:
    write_cards(tmp_path, ("alice", "bob", "charlie", "dora", "emil", "fritz"))
    (tmp_path / "scenes").mkdir()
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return tmp_path


def run(story: Path, *words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [*words, "--project", str(story)])
    return done.exit_code, done.stdout, done.stderr


def refuse(story: Path, text: str, suffix: str = ".yaml") -> str:
    """The message for a scene file that cannot be played; exit 2, and nothing is written."""
    (story / "scenes" / f"talk{suffix}").write_text(text, encoding="utf-8")
    code, out, err = run(story, "scene", "run", "talk")
    assert (code, out) == (2, "")
    assert not (story / "data" / "scenes").exists()
    assert "Traceback" not in err
    return " ".join(err.split())


def refuse_with(story: Path, **changes: object) -> str:
    return refuse(story, json.dumps(GOOD | changes), ".json")


def test_malformed_yaml_is_reported_with_line_and_column(story: Path) -> None:
    message = refuse(story, "name: talk\nprompt: 'never closed\ncharacters: [alice, bob]\n")
    assert "talk.yaml, line 4, column 1" in message


def test_malformed_json_is_reported_with_line_and_column(story: Path) -> None:
    assert "talk.json, line 2, column 1" in refuse(story, '{"name": "talk",\n}', ".json")


def test_an_unknown_key_is_answered_with_the_nearest_known_one(story: Path) -> None:
    assert "'initialSpeeker' is not a key of a scene. Did you mean 'initialSpeaker'?" in refuse_with(
        story, initialSpeeker="bob"
    )


def test_an_empty_file_says_what_a_scene_needs(story: Path) -> None:
    assert "expected keys such as name, prompt and characters; found nothing" in refuse(story, "")


def test_a_list_is_not_a_scene(story: Path) -> None:
    assert "found a list" in refuse(story, "- alice\n- bob\n")


def test_a_scene_without_characters_says_how_many_it_needs(story: Path) -> None:
    assert "A scene needs a cast of 2 to 5 characters; it is empty" in refuse_with(story, characters=[])


def test_one_character_is_not_a_scene(story: Path) -> None:
    assert "only 'alice' is in it" in refuse_with(story, characters=["alice"])


def test_six_characters_are_too_many(story: Path) -> None:
    six = ["alice", "bob", "charlie", "dora", "emil", "fritz"]
    assert "at most 5 characters, not 6. Leave out fritz." in refuse_with(story, characters=six)


def test_nobody_is_cast_twice(story: Path) -> None:
    assert "is named twice" in refuse_with(story, characters=["alice", "Alice"])


def test_the_initial_speaker_must_be_in_the_cast(story: Path) -> None:
    message = refuse_with(story, initialSpeaker="bobb")
    assert "Initial speaker 'bobb' is not in the cast (alice, bob). Did you mean 'bob'?" in message


@pytest.mark.parametrize("prompt", ["", "  \n "])
def test_an_empty_prompt_is_refused(story: Path, prompt: str) -> None:
    assert "Scene prompt is required" in refuse_with(story, prompt=prompt)


def test_a_missing_prompt_is_refused(story: Path) -> None:
    assert "Scene prompt is required. Add 'prompt:'" in refuse(story, "characters: [alice, bob]\n")


@pytest.mark.parametrize("beats", [0, -3, 1_000_000, "many", 2.5, True])
def test_an_absurd_number_of_beats_is_refused(story: Path, beats: object) -> None:
    assert "'maxBeats'" in refuse_with(story, maxBeats=beats)


@pytest.mark.parametrize("name", ["../../etc/x", "/etc/x", "a/b", "..", "", "x" * 300, "nul\x00", ".hidden", "x\\y"])
def test_a_name_cannot_lead_out_of_the_data_folder(story: Path, name: str) -> None:
    assert "cannot name a folder" in refuse_with(story, name=name)


@pytest.mark.parametrize("name", ["../../etc/x", "/etc/passwd", "..", "a/b"])
def test_a_characters_name_cannot_lead_out_of_the_project(story: Path, name: str) -> None:
    message = refuse_with(story, characters=["alice", name])
    assert name in message
    assert "root:" not in message


def test_a_character_that_is_not_there_is_named_with_those_that_are(story: Path) -> None:
    message = refuse_with(story, characters=["alicia", "bob"])
    assert "Character 'alicia' not found. Ensure .claude/agents/alicia.md exists" in message
    assert "known here: alice, bob" in message


def test_a_scene_that_is_not_there_is_named_with_the_nearest(story: Path) -> None:
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD), encoding="utf-8")
    code, _, err = run(story, "scene", "run", "tlak")
    assert code == 2
    assert "Scene 'tlak' not found. Did you mean 'talk'?" in " ".join(err.split())


def test_a_model_nobody_knows_is_refused_before_anything_is_written(story: Path) -> None:
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD), encoding="utf-8")
    code, _, err = run(story, "scene", "run", "talk", "--model", "antropic/claude")
    assert code == 2
    assert "Did you mean 'anthropic'?" in " ".join(err.split())
    assert not (story / "data" / "scenes").exists()


def test_a_key_that_is_not_set_is_named(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD), encoding="utf-8")
    code, _, err = run(story, "scene", "run", "talk", "--model", "anthropic")
    assert code == 3
    assert "ANTHROPIC_API_KEY is not set" in " ".join(err.split())


def test_a_setting_that_does_not_exist_is_answered_with_the_nearest(story: Path) -> None:
    (story / "dramaturg.toml").write_text("[scenes]\ntimeuot = 3\n", encoding="utf-8")
    code, _, err = run(story, "runs", "list")
    assert code == 2
    assert "'scenes.timeuot' is not a setting. Did you mean 'timeout'?" in " ".join(err.split())


def test_settings_that_are_not_toml_are_reported_with_the_line(story: Path) -> None:
    (story / "dramaturg.toml").write_text("[models\n", encoding="utf-8")
    code, _, err = run(story, "runs", "list")
    assert code == 2
    assert "line 1" in err


def test_a_corrupt_database_is_reported_and_left_alone(story: Path) -> None:
    (story / "data").mkdir()
    database = story / "data" / "dramaturg.db"
    database.write_bytes(b"this is not a database, but somebody may need it" * 100)
    before = database.read_bytes()
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD), encoding="utf-8")
    code, _, err = run(story, "scene", "run", "talk", "--quiet")
    assert code == 5
    assert "dramaturg.db" in err
    assert database.read_bytes() == before


def test_a_data_folder_that_is_a_file_is_reported_and_left_alone(story: Path) -> None:
    (story / "data").write_text("mine", encoding="utf-8")
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD), encoding="utf-8")
    code, _, err = run(story, "scene", "run", "talk", "--quiet")
    assert code == 5
    assert "data" in err
    assert (story / "data").read_text(encoding="utf-8") == "mine"


def test_config_errors_have_their_shape_in_json(story: Path) -> None:
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD | {"prompt": ""}), encoding="utf-8")
    code, out, _ = run(story, "scene", "run", "talk", "--json")
    error = json.loads(out)
    assert code == 2
    assert error["success"] is False
    assert error["error"]["code"] == "INVALID_CONFIG"
    assert error["error"]["message"].startswith("Scene prompt is required")
    assert error["error"]["context"]["provided"]["characters"] == ["alice", "bob"]


def test_card_errors_have_their_shape_in_json(story: Path) -> None:
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD | {"characters": ["zoe", "bob"]}), encoding="utf-8")
    code, out, _ = run(story, "scene", "run", "talk", "--json")
    error = json.loads(out)["error"]
    assert (code, error["code"], error["context"]["character"]) == (2, "CHARACTER_LOAD_ERROR", "zoe")


def test_a_run_that_is_not_there_is_named(story: Path) -> None:
    code, _, err = run(story, "runs", "show", "nosuchrun")
    assert code == 2
    assert "nosuchrun" in err


def test_a_folder_that_holds_something_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me", encoding="utf-8")
    done = CliRunner().invoke(app, ["new", str(tmp_path)])
    assert done.exit_code == 2
    assert os.listdir(tmp_path) == ["mine.txt"]


def test_a_folder_with_a_space_is_named_so_that_it_can_be_pasted(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["new", str(tmp_path / "my story")])
    assert f"cd '{tmp_path}/my story'\n" in done.output


def play_limited(story: Path, limit: str) -> subprocess.CompletedProcess[str]:
    """Play a scene in a process of its own, under a limit of the system."""
    (story / "scenes" / "talk.json").write_text(json.dumps(GOOD), encoding="utf-8")
    command = f'{limit}; exec "{sys.executable}" -m dramaturg scene run talk --quiet --trust --project "{story}"'
    # Whoever measures coverage writes files too, and must not meet the limit.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=env)


def test_a_full_disk_is_reported_in_one_sentence(story: Path) -> None:
    done = play_limited(story, "trap '' XFSZ; ulimit -f 8")
    assert done.returncode == 5
    assert "the disk failed or is full" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_folder_that_cannot_be_written_is_reported_in_one_sentence(story: Path) -> None:
    # Nobody, not even root, makes files in /proc.
    (story / "data").symlink_to("/proc/self")
    done = play_limited(story, "true")
    assert done.returncode == 5
    assert "data" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("files", [10, 12, 13, 14, 16])
def test_a_process_that_may_open_few_files_says_so_and_is_no_bug(files: int, story: Path) -> None:
    done = play_limited(story, f"ulimit -n {files}")
    assert "bug in dramaturg" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2, 5), done.stderr
    assert not done.returncode or re.search("no more files can be opened|cannot be (?:opened|read)", done.stderr)
