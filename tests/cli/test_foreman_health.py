"""`dramaturg foreman health` and `drill`, as a writer types them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.workshop.health.shelf import BOOKS


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BOOKS / "salt-road", tmp_path / "book"))


def typed(book: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["foreman", *words, "--project", str(book)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_writer_checks_the_book_and_reads_the_report_again(book: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    shown = typed(book, "health", "--html", str(page))
    assert "A2 Beat progress: nothing found" in shown
    assert "manuscript/ch04-sc01.md: “flaw_challenged: yes”" in shown
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Since run " in typed(book, "health", "--scope", "B1")
    assert "health" in typed(book, "works")


def test_json_is_one_document_and_a_wrong_scope_is_one_sentence(book: Path) -> None:
    report = json.loads(typed(book, "health", "--json", "--scope", "C1"))["result"]["report"]
    assert [one["check"] for one in report["checks"]] == ["C1_symbolic_layering"]
    assert "no check" in typed(book, "health", "--scope", "Z9", code=2)
    assert "cannot be written" in typed(book, "health", "--html", str(book / "none" / "x.html"), code=2)


def test_a_model_is_asked_only_with_a_yes(book: Path) -> None:
    assert "--yes" in typed(book, "health", "--extract", "--json", code=2)
    asked = json.loads(typed(book, "health", "--extract", "--yes", "--json"))
    assert asked["failed"] == []


def test_what_is_meant_to_be_so_is_waived_listed_and_withdrawn(book: Path) -> None:
    assert "Nothing is waived" in typed(book, "health", "waivers")
    assert "! B1 Fatal-flaw challenge" in typed(book, "health", "--scope", "B1")
    waived = typed(book, "health", "waive", "b1", "Ines Calder", "--reason", "She must be sure for half the book.")
    assert "Waived B1 at Ines Calder: She must be sure for half the book." in waived
    assert "B1  Ines Calder: She must be sure" in typed(book, "health", "waivers")
    after = typed(book, "health", "--scope", "B1")
    assert "! B1 Fatal-flaw challenge" not in after
    assert "She must be sure for half the book." in after
    assert "No longer waived: B1 at Ines Calder." in typed(book, "health", "withdraw", "B1", "Ines Calder")
    assert "! B1 Fatal-flaw challenge" in typed(book, "health", "--scope", "B1")
    assert "There is no waiver of B1" in typed(book, "health", "withdraw", "B1", "book", code=2)
    assert json.loads(typed(book, "health", "waivers", "--json")) == {"waivers": [], "problems": []}
    assert "There is no check 'Z9'" in typed(book, "health", "waive", "Z9", "book", "--reason", "because", code=2)


def test_a_drill_says_what_was_caught_and_what_was_missed(book: Path) -> None:
    shown = typed(book, "drill", "--seed", "2")
    assert "caught: moved beat." in shown
    assert "The book itself was not touched." in shown
    report = json.loads(typed(book, "drill", "--seed", "2", "--prose-only", "--json"))["result"]["report"]
    assert report["recorded"] is False
    assert "has never caught anything in 2 drills" in typed(book, "health")
