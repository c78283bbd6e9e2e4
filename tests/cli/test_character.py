"""Looking at what a character remembers, and changing it, from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dramaturg.cli.app import app

SCENE = """
name: the-letter
prompt: "Bob opened a letter that was Alice's. Scene goal: Bob admits it, Alice forgives him."
characters: [alice, bob]
maxBeats: 20
remembers: true
"""


def run(story: Path, *words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, [*words, "--project", str(story)], input=typed, catch_exceptions=False)


LINES = {
    "alice": '- When pressing: "It had my name on it, Bob. In ink."\n- When forgiving: "I forgive you, Bob. Once."\n',
    "bob": '- When admitting: "I opened it, Alice. I steamed it over the kettle, and I read it twice."\n',
}


@pytest.fixture
def story(tmp_path: Path) -> Path:
    for name in ("alice", "bob", "cora"):
        path = tmp_path / ".claude" / "agents" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        card = f"# {name.title()} - Colleague\n\n## Personality\n- Direct\n\n## Lines\n{LINES.get(name, '')}"
        path.write_text(card, encoding="utf-8")
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "the-letter.yaml").write_text(SCENE, encoding="utf-8")
    (tmp_path / "dramaturg.toml").write_text("[scenes]\npace = 0\n", encoding="utf-8")
    assert run(tmp_path, "scene", "run", "the-letter", "--model", "rehearsal", "--quiet").exit_code == 0
    return tmp_path


def shown(story: Path, name: str = "alice") -> dict[str, object]:
    return json.loads(run(story, "character", "show", name, "--json").stdout)


def test_a_character_is_shown_with_where_its_memories_come_from_its_mood_and_its_bonds(story: Path) -> None:
    text = run(story, "character", "show", "Alice").stdout
    past = shown(story)
    for memory in past["memories"]:
        assert memory["id"] in text
        assert memory["scene"] == "the-letter"
    assert "the-letter" in text
    assert "mood: " in text
    assert "Bob: " in text
    assert [bond["toward"] for bond in past["bonds"]] == ["bob"]


def test_a_memory_is_given_other_words_or_forgotten_by_its_id(story: Path) -> None:
    first, second, *_ = shown(story)["memories"]
    assert run(story, "character", "edit", "alice", first["id"], "Bob wept.").stdout == (
        f"{first['id']} now reads: Bob wept.\n"
    )
    assert run(story, "character", "forget", "alice", second["id"][:6]).stdout == f"{second['id']} is forgotten.\n"
    after = {memory["id"]: memory["text"] for memory in shown(story)["memories"]}
    assert after[first["id"]] == "Bob wept."
    assert second["id"] not in after
    assert "Bob wept. (edited)" in run(story, "character", "show", "alice").stdout


def test_a_reset_asks_first(story: Path) -> None:
    before = shown(story)
    for typed in ("n\n", ""):
        refused = run(story, "character", "reset", "alice", typed=typed)
        assert refused.exit_code == 2
        assert "Nothing was changed" in refused.stderr
    assert shown(story) == before
    assert run(story, "character", "reset", "alice", typed="y\n").exit_code == 0
    assert shown(story)["memories"] == []
    assert shown(story, "bob")["memories"]
    assert run(story, "character", "reset", "bob", "--yes").stdout == "bob no longer remembers anything.\n"


def test_somebody_who_was_in_no_scene_remembers_nothing_and_a_stranger_is_not_found(story: Path) -> None:
    assert "cora remembers nothing yet" in run(story, "character", "show", "cora").stdout
    stranger = run(story, "character", "show", "alcie")
    assert stranger.exit_code == 2
    assert "alice" in stranger.stderr
    missing = run(story, "character", "forget", "alice", "ffff0000")
    assert missing.exit_code == 2
    assert "alice has no memory 'ffff0000'" in missing.stderr
