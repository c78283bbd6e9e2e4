"""`scene new`, `scene list` and `character new`: files that explain themselves and play as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.characters import load_card
from dramaturg.cli.app import app
from tests.cli.story import SCENE, new_story, rehearsed, typed


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with nothing in it."""
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "dramaturg.toml").write_text("[scenes]\npace = 0\n", encoding="utf-8")
    return folder


def played(story: Path, name: str) -> dict[str, object]:
    return json.loads(typed(story, "scene", "run", name, "--model", "rehearsal", "--json").splitlines()[-1])


def test_a_new_scene_takes_the_cast_that_exists_and_plays_at_once(story: Path) -> None:
    shown = typed(story, "scene", "new", "the-kitchen")
    assert "Created scenes/the-kitchen.yaml" in shown
    assert "Iris and Walter are in it" in shown
    assert f"dramaturg scene run the-kitchen --project {story}" in shown
    result = played(story, "the-kitchen")
    assert result["metadata"]["goalAchieved"] is True
    assert "Iris [TO: Walter" in result["transcript"]


def test_in_an_empty_project_it_makes_two_cards_too(bare: Path) -> None:
    shown = typed(bare, "scene", "new", "first")
    assert "Created .claude/agents/ada.md" in shown
    assert "Created .claude/agents/ben.md" in shown
    assert played(bare, "first")["metadata"]["goalAchieved"] is True


def test_whoever_has_no_card_gets_one_and_a_card_that_exists_stays(story: Path) -> None:
    before = (story / ".claude/agents/iris.md").read_bytes()
    made = json.loads(typed(story, "scene", "new", "late talk", "--cast", "Ruth Calloway, iris, Élodie", "--json"))
    assert made["cast"] == ["Ruth Calloway", "Iris", "Élodie"]
    assert made["cards"] == [".claude/agents/ruth-calloway.md", ".claude/agents/élodie.md"]
    assert (story / ".claude/agents/iris.md").read_bytes() == before
    assert played(story, "late talk")["metadata"]["goalAchieved"] is True


@pytest.mark.parametrize("names", ["yes,no", "on,Off", "null,true", "1,2", "Ann-Marie O'Neill,D'Arcy"])
def test_names_that_yaml_reads_otherwise_are_read_as_names(bare: Path, names: str) -> None:
    typed(bare, "scene", "new", "x", "--cast", names)
    assert len(json.loads(typed(bare, "scene", "check", "x", "--model", "rehearsal", "--json"))["cast"]) == 2


def test_nothing_is_overwritten_and_nothing_half_written(story: Path) -> None:
    file = story / "scenes" / f"{SCENE}.yaml"
    before = file.read_bytes()
    assert f"scenes/{SCENE}.yaml exists already" in typed(story, "scene", "new", SCENE, code=2)
    assert f"scenes/{SCENE}.yaml exists already" in typed(story, "scene", "new", SCENE.upper(), code=2)
    assert "some systems reserve" in typed(story, "scene", "new", "con", code=2)
    assert file.read_bytes() == before
    assert "There is a character 'iris' already" in typed(story, "character", "new", "Iris", code=2)
    (story / "scenes/taken.json").write_text("{}", encoding="utf-8")
    assert "already" in typed(story, "scene", "new", "taken", code=2)
    for name in ("../up", "a/b", "", "x" * 90, "caf\udce9"):
        assert typed(story, "scene", "new", name, "--cast", "newone,another", code=2)
    assert typed(story, "scene", "new", "one", "--cast", "iris", code=2)
    assert typed(story, "scene", "new", "one", "--cast", "iris,a/b", code=2)
    cards = {path.name for path in (story / ".claude/agents").iterdir()}
    assert cards == {"iris.md", "walter.md"}


def test_a_new_card_explains_its_sections_and_no_model_is_told_the_notes(story: Path) -> None:
    shown = typed(story, "character", "new", "Ruth Calloway", "--role", "Ferry Pilot")
    assert "Created .claude/agents/ruth-calloway.md" in shown
    raw = (story / ".claude/agents/ruth-calloway.md").read_text(encoding="utf-8")
    assert "## Lines\n{{// What the rehearsal company says for Ruth Calloway" in raw
    card = load_card(story, "ruth-calloway")
    assert (card.display_name, card.role) == ("Ruth Calloway", "Ferry Pilot")
    assert "{{" not in card.text
    assert "for you" not in card.text
    assert [section.heading for section in card.sections][-1] == "Lines"


def test_the_list_has_title_cast_goal_and_runs_and_survives_a_bad_file(story: Path) -> None:
    rehearsed(story)
    typed(story, "scene", "new", "Another One")
    (story / "scenes/broken.yaml").write_text("prompt: a\nprompt: b\n", encoding="utf-8")
    shown = " ".join(typed(story, "scene", "list").split())
    assert f"{SCENE} with iris, walter; played once, goal reached Walter confesses" in shown
    assert "Another One with iris, walter; not played yet Iris tells Walter the truth" in shown
    assert "broken scenes/broken.yaml, line 2, column 1: 'prompt' stands twice" in shown
    rows = {row["name"]: row for row in map(json.loads, typed(story, "scene", "list", "--json").splitlines())}
    assert list(rows) == ["Another One", "broken", SCENE]
    assert (rows[SCENE]["runs"], rows[SCENE]["reached"], rows[SCENE]["cast"]) == (1, 1, ["iris", "walter"])
    assert rows["broken"]["problem"]
    assert not rows[SCENE]["problem"]
    (story / ".claude/agents/walter.md").unlink()
    assert "Character 'walter' not found" in typed(story, "scene", "list")


def test_a_project_without_scenes_says_how_to_write_one(bare: Path) -> None:
    assert "dramaturg scene new NAME" in typed(bare, "scene", "list")
    done = CliRunner().invoke(app, ["scene", "new", "x", "--project", str(bare / "nowhere")])
    assert done.exit_code == 2
    assert not (bare / "nowhere").exists()


def test_a_new_project_has_the_folders_of_a_book_and_says_how_to_begin_one(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["new", str(tmp_path / "mine")])
    assert done.exit_code == 0
    assert "dramaturg foreman chat" in done.output
    for folder in ("story-bible", "manuscript", "notebooks"):
        assert (tmp_path / "mine" / folder).is_dir()
        assert f"`{folder}/`" in (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    shown = typed(tmp_path / "mine", "foreman", "state")
    assert "critical" not in shown
    assert "warning" not in shown
    typed(tmp_path / "mine", "foreman", "chat", "It is about a ferryman called Ole.", "--model", "rehearsal")
