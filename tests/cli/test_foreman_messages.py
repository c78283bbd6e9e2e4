"""What the Foreman's commands say is true and reads well, also of one thing and of what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app

SCENE = "---\r\ntitle: Nebel\r\ncast: [Jörg]\r\n---\r\nDer Nebel kam über den Fluss.\r\n"
PLAN = """---
title: Der Keller
word_target: 200
pov: Jörg
location: Keller
characters_present: [Jörg]
---

## Scene goal

Jörg geht.
"""
FLAW = "---\nname: Jörg\n---\n\n## Fatal flaw\n\nEr lügt.\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    write(tmp_path / "manuscript/ch01-sc01.md", SCENE)
    write(tmp_path / "scaffolds/ch01-sc02.md", PLAN)
    write(tmp_path / "story-bible/protagonist.md", FLAW)
    return tmp_path


def write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())


def typed(project: Path, *words: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["foreman", *map(str, words), "--project", str(project)])
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def test_one_thing_is_told_as_one(book: Path) -> None:
    assert "(1 field, each with its source)" in typed(book, "scaffold", "ch01-sc02", "--yes")
    assert "1 character in the 1 of 1 scenes" in typed(book, "health", "--scope", "B2")
    typed(book, "export", "--output", book / "out.docx")
    assert "1 scene, as it went out." in typed(book, "import", book / "out.docx")


def test_a_version_has_the_words_of_its_prose(book: Path) -> None:
    write(book / "new.md", SCENE.replace("kam", "kam leise"))
    digest = CliRunner().invoke(app, ["foreman", "page", "show", "ch01-sc01", "--json", "--project", str(book)]).output
    typed(book, "page", "write", "ch01-sc01", book / "new.md", "--digest", digest.split('"digest":"')[1][:64])
    assert " 6 words" in typed(book, "versions", "ch01-sc01")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "waivers:\n", "waivers: []\n"])
def test_a_file_of_waivers_that_was_emptied_waives_nothing_and_is_no_mistake(book: Path, text: str) -> None:
    write(book / "story-bible/waivers.yaml", text)
    assert typed(book, "health", "waivers").startswith("Nothing is waived.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("perform", "ch01-sc02"), "the scaffold has Jörg. Name all of them with --cast."),
        (("perform", "ch01-sc02", "--cast", "Änne"), "--cast names Änne."),
        (("voice", "report"), "Choose: dramaturg foreman voice select LETTER"),
    ],
)
def test_a_refusal_says_what_is_so_and_what_to_do(book: Path, words: tuple[str, ...], said: str) -> None:
    assert said in typed(book, *words, code=2)
