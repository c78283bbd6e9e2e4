"""Files whose names are no UTF-8, as old archives have them: they are left out and named, and nothing else fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from dramaturg.workshop.book.file_cache import markdown_in
from tests.cli.story import new_story, typed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")

FOLDERS = (
    *(".claude/agents", "acts", "characters", "episodes", "lorebooks", "manuscript", "notebooks", "scaffolds"),
    *("scenes", "series", "story-bible", "voice/pages", "voice/strategies", "evaluations", "prompts/foreman"),
)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A project with a file of such a name for everything that it has, and a folder of such a name."""
    folder = new_story(tmp_path / "story")
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for ending in (".md", ".yaml", ".json", ".txt", ""):
            (folder / name / os.fsdecode(b"m\xff" + ending.encode())).write_text("---\nname: x\n---\nIt rained.\n")
        (folder / name / os.fsdecode(b"f\xe4")).mkdir()
        (folder / name / os.fsdecode(b"f\xe4") / "inside.md").write_text("It rained.")
    (folder / "manuscript" / "ch01-sc01.md").write_text("Iris came in. It rained.")
    return folder


def test_a_listing_of_pages_leaves_them_out_and_says_which(story: Path) -> None:
    found = markdown_in(story / "manuscript")
    assert [path.name for path in found] == ["ch01-sc01.md"]
    assert sorted(os.fsencode(path.name) for path in found.left_out) == [b"f\xe4", b"m\xff.md"]


@pytest.mark.parametrize(
    "words",
    [
        ("foreman", "health"),
        ("foreman", "state"),
        ("foreman", "consolidate"),
        ("foreman", "scaffolds"),
        ("foreman", "notebooks"),
        ("scene", "list"),
        ("runs", "list"),
    ],
)
def test_no_command_fails(story: Path, words: tuple[str, ...]) -> None:
    typed(story, *words)


def test_a_project_in_such_a_folder_can_be_trusted(tmp_path: Path) -> None:
    folder = new_story(tmp_path / "story").rename(tmp_path / os.fsdecode(b"st\xf6ry"))
    with (folder / "dramaturg.toml").open("a") as settings:
        settings.write('\n[notebooks.rim]\nrole = "world"\ncommand = ["notes-server"]\n')
    assert "asks for something" in typed(folder, "runs", "list", code=2)
    typed(folder, "trust", "--yes")
    typed(folder, "runs", "list")


def test_the_book_names_them(story: Path) -> None:
    assert "m\\xff.md in manuscript/ is left out: its name is not UTF-8 text" in typed(story, "foreman", "state")


def test_no_list_of_the_server_fails(story: Path) -> None:
    app = create_app(read_settings(story, {}))
    paths = [path for path, verbs in app.openapi()["paths"].items() if "get" in verbs]
    lists = [path for path in (one.replace("{project}", "main") for one in paths) if "{" not in path]
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        found = {path: client.get(path).status_code for path in lists}
    assert len(found) > 40
    assert {path: status for path, status in found.items() if status >= 500} == {}
    assert {found[f"/v1/{name}"] for name in ("acts", "characters", "lorebooks", "runs", "scenes", "series")} == {200}
