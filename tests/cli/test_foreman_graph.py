"""`dramaturg foreman graph`, as a writer types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.workshop.graph.stories import the_book


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return the_book(tmp_path)


def typed(book: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["foreman", "graph", *words, "--project", str(book)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_writer_asks_who_how_and_who_knows_what(book: Path) -> None:
    assert "Elena" in typed(book, "who").splitlines()[0]
    assert "“Elena waited at the rail.”" in typed(book, "who", "Mrs Vance")
    assert "Marcus owns the Meridian" in typed(book, "path", "the Meridian", "Elena")
    assert "heard" in typed(book, "knows", "Elena", "--at", "ch01-sc01")
    assert typed(book, "scene", "ch01-sc01").startswith("ch01-sc01: ")
    assert typed(book, "together", "Elena", "Marcus") == "ch01-sc01 (2190-05-04): Elena, Marcus\n"


def test_json_has_names_and_evidence(book: Path) -> None:
    facts = json.loads(typed(book, "who", "Ruth", "--json"))["facts"]
    assert {"subject": "Ruth", "predicate": "knows", "object": "the berth is sold"}.items() <= next(
        one for one in facts if one["predicate"] == "knows"
    ).items()


def test_names_are_merged_and_split_again(book: Path) -> None:
    assert "Ruth is Marcus now" in typed(book, "merge", "Ruth", "Marcus")
    assert "also Ruth" in typed(book, "who", "Marcus")
    assert "stands alone again" in typed(book, "split", "Ruth")
    assert "also Ruth" not in typed(book, "who", "Marcus")


@pytest.mark.parametrize("name", ["graph.graphml", "graph.json"])
def test_what_is_exported_is_imported_into_another_project(book: Path, tmp_path: Path, name: str) -> None:
    file, other = tmp_path / name, tmp_path / "other"
    other.mkdir()
    typed(book, "export", str(file))
    assert "facts" in typed(other, "import", str(file))
    typed(other, "export", str(tmp_path / f"again-{name}"))
    assert typed(book, "import", str(file), code=2)


def test_a_place_that_cannot_be_written_or_read_is_one_sentence(book: Path) -> None:
    assert "cannot be written" in typed(book, "export", str(book / "none" / "x.json"), code=2)
    assert "cannot be read" in typed(book, "import", str(book / "none.json"), code=2)
    assert "Nothing in the graph is called" in typed(book, "who", "Nobody", code=2)
