"""Cards and lorebooks of other programs on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dramaturg.cli.app import app
from tests.characters.foreign import BOOK, V2, card_png, png
from tests.cli.story import new_story, typed


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "Mara.png"
    path.write_bytes(card_png(V2))
    return path


def test_a_card_is_imported_and_says_what_came_and_what_is_not_used(story: Path, card: Path) -> None:
    done = run("character", "import", card, "--project", story)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:2] == [
        "Mara Voss (V2, PNG) is in .claude/agents/mara-voss.md; the original is in characters/mara-voss.png.",
        "  Description, Personality, Scenario, Lines, Examples, Keep in mind; greetings: 2; lore: 1",
    ]
    assert "wren notes: Best with patience." in done.stdout
    assert "Its system prompt is for episodes; scenes do not use it." in done.stderr
    again = run("character", "import", card, "--project", story)
    assert again.exit_code == 2
    assert "--name" in again.stderr


def test_nothing_is_imported_into_a_folder_that_is_not_there(tmp_path: Path, card: Path) -> None:
    done = run("character", "import", card, "--project", tmp_path / "nowhere")
    assert done.exit_code == 2
    assert "There is no folder" in done.stderr
    assert not (tmp_path / "nowhere").exists()


def test_an_imported_card_plays_a_scene(story: Path, card: Path) -> None:
    typed(story, "character", "import", str(card), "--name", "mara")
    (story / "scenes" / "ferry.yaml").write_text(
        "prompt: Iris wants to cross. Scene goal that Mara Voss admits why she will not sail.\n"
        "characters: [mara, iris]\nmaxBeats: 4\n",
        encoding="utf-8",
    )
    said = typed(story, "scene", "run", "ferry", "--model", "rehearsal")
    assert "Mara Voss [" in said
    assert "{{" not in said


def test_import_and_export_talk_to_programs(story: Path, card: Path, tmp_path: Path) -> None:
    came = json.loads(typed(story, "character", "import", str(card), "--json"))
    assert came["name"] == "mara-voss"
    assert (came["spec"], came["form"], came["greetings"], came["loreEntries"]) == ("v2", "png", 2, 1)
    target = tmp_path / "out.json"
    went = json.loads(typed(story, "character", "export", "mara-voss", "--to", str(target), "--json"))
    assert (went["spec"], went["form"], went["bytes"]) == ("v2", "json", target.stat().st_size)
    assert json.loads(target.read_text(encoding="utf-8")) == V2


def test_an_export_is_of_the_version_and_with_the_picture_that_is_asked_for(story: Path, tmp_path: Path) -> None:
    picture, target = tmp_path / "iris-face.png", tmp_path / "iris.png"
    picture.write_bytes(png())
    typed(story, "character", "export", "iris", "--to", str(target), "--spec", "v2", "--image", str(picture))
    again = json.loads(typed(story, "character", "import", str(target), "--name", "iris2", "--json"))
    assert again["spec"] == "v2"
    ours, theirs = (story / ".claude" / "agents" / f"{name}.md" for name in ("iris", "iris2"))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("import", "nothing.png"), "There is no file nothing.png."),
        (("import", "."), "cannot be read"),
        (
            ("export", "iris", "--to", "iris.gif"),
            "kind of card to write. Use one of .json, .png, .charx.",
        ),
        (
            ("export", "iris", "--to", "x.json", "--spec", "v9"),
            "no version 'v9' of character cards. Choose one of v1, v2",
        ),
        (("export", "iris", "--to", "nowhere/x.json"), "cannot be written"),
        (("export", "irsi", "--to", "x.json"), "Did you mean 'iris'?"),
        (("export", "iris", "--to", "x.charx", "--spec", "v2"), "CharX files hold V3 cards"),
        (("export", "iris", "--to", "x.png", "--image", "nothing.png"), "There is no file nothing.png."),
    ],
)
def test_what_cannot_be_done_says_why(
    story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in typed(story, "character", *words, code=2)
    assert not (tmp_path / "x.json").exists()


def test_a_file_is_overwritten_only_where_that_is_said(story: Path, tmp_path: Path) -> None:
    target = tmp_path / "iris.json"
    target.write_text("mine", encoding="utf-8")
    assert "already exists" in typed(story, "character", "export", "iris", "--to", str(target), code=2)
    assert target.read_text(encoding="utf-8") == "mine"
    typed(story, "character", "export", "iris", "--to", str(target), "--force")
    assert json.loads(target.read_text(encoding="utf-8"))["spec"] == "chara_card_v3"


def test_a_hostile_file_is_refused_with_its_reason_for_programs_too(story: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(png(("chara", b"rcc||locked")))
    done = run("character", "import", bad, "--project", story, "--json")
    assert done.exit_code == 2
    error = json.loads(done.stdout)
    assert "only RisuAI can open it" in json.dumps(error)


def test_a_lorebook_is_checked_and_tried_on_a_message(tmp_path: Path) -> None:
    path = tmp_path / "haven.json"
    odd = {**BOOK["entries"][0], "content": "@@sing\nx", "keys": ["/(?=a)/"]}
    path.write_text(json.dumps({**BOOK, "entries": [*BOOK["entries"], odd]}), encoding="utf-8")
    done = run("lorebook", "check", path, "--text", "The ferry!")
    assert done.exit_code == 0
    assert "Low Haven (a card's book): 2 entries, 2 of them enabled." in done.stdout
    assert "key 'ferry' in the last message" in done.stdout
    assert "cannot be used: it looks ahead or behind" in done.stderr
    assert "@@sing (in 1) is not known here" in done.stderr
    said = json.loads(run("lorebook", "check", path, "--text", "The ferry!", "--json").stdout)
    assert [one["label"] for one in said["told"]] == ["ferry"]
    assert said["unknownDecorators"] == {"sing": 1}
    assert run("lorebook", "check", tmp_path / "none.json").exit_code == 2


def test_the_check_of_a_lorebook_shows_what_does_not_fit_a_models_window(tmp_path: Path) -> None:
    path = tmp_path / "haven.json"
    entry = {**BOOK["entries"][0], "constant": True}
    entries = [{**entry, "content": "The ferry is old. " * 300, "name": "ferry"}, {**entry, "name": "bell"}]
    path.write_text(json.dumps({**BOOK, "entries": entries}), encoding="utf-8")
    assert run("lorebook", "check", path, "--window", "200000").stderr == ""
    small = run("lorebook", "check", path, "--window", "4096")
    assert "ferry: too long, only " in small.stderr
    assert "bell" not in small.stderr
    said = json.loads(run("lorebook", "check", path, "--window", "4096", "--json").stdout)
    assert [("cutFrom" in one, one["tokens"] <= 512) for one in said["told"]] == [(True, True), (False, True)]
