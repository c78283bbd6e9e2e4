"""`runs export` and `scene run --also`."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.scenes.exports.vtt_reader import read_vtt

SCENE = "the-second-signature"


def call(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = tmp_path / "story"
    assert call("new", str(folder)).exit_code == 0
    played = call("scene", "run", SCENE, "-p", str(folder), "--model", "rehearsal", "-q", "--also", "html,fountain")
    assert played.exit_code == 0, played.stderr
    return folder


@pytest.fixture
def run(story: Path) -> str:
    listed = call("runs", "list", "-p", str(story), "--json").stdout
    return str(json.loads(listed.splitlines()[0])["id"])


def test_a_scene_is_also_written_in_the_forms_that_were_asked_for(story: Path, run: str) -> None:
    folder = story / "data" / "scenes" / SCENE
    names = {path.name for path in folder.iterdir()}
    assert names == {"transcript.txt", "metadata.json", "debug.log", "scene.json", "scene.html", "scene.fountain"}
    for form, name in (("html", "scene.html"), ("fountain", "scene.fountain"), ("txt", "transcript.txt")):
        shown = call("runs", "export", run, "-p", str(story), "--format", form)
        assert shown.stdout_bytes == (folder / name).read_bytes()


def test_a_form_that_is_not_known_is_refused_before_anything_is_played(story: Path) -> None:
    refused = call("scene", "run", SCENE, "-p", str(story), "--model", "rehearsal", "--also", "pdf")
    assert refused.exit_code == 2
    assert "There is no format 'pdf'" in refused.stderr
    assert not (story / "data" / "scenes" / f"{SCENE}-2").exists()


def test_the_ending_of_the_file_says_the_form(story: Path, run: str, tmp_path: Path) -> None:
    file = tmp_path / "made" / "scene.vtt"
    done = call("runs", "export", run, "-p", str(story), "--output", str(file))
    assert (done.exit_code, done.stdout) == (0, "")
    assert read_vtt(file.read_text(encoding="utf-8")).cues


def test_an_existing_file_is_overwritten_only_by_force(story: Path, run: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("mine", encoding="utf-8")
    words = ("runs", "export", run, "-p", str(story), "-o", str(file))
    refused = call(*words)
    assert refused.exit_code == 2
    assert "already exists. Choose another name, or use --force." in refused.stderr
    assert file.read_text(encoding="utf-8") == "mine"
    assert call(*words, "--force").exit_code == 0
    assert file.read_text(encoding="utf-8").startswith("# The Second Signature")


def test_without_a_form_or_with_a_folder_the_way_out_is_said(story: Path, run: str, tmp_path: Path) -> None:
    nothing = call("runs", "export", run, "-p", str(story))
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert "--format fountain|vtt|md|html|json|txt" in nothing.stderr
    folder = call("runs", "export", run, "-p", str(story), "-f", "md", "-o", str(tmp_path))
    assert folder.exit_code == 2
    assert "is a folder" in folder.stderr
