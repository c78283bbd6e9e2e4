"""`dramaturg foreman consolidate` and `conflicts`, as a writer types them, with the rehearsal company."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.workshop.consolidation.manuscripts import prose


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    prose(tmp_path, "ch01", "Elena had green eyes. She waited at the rail.")
    prose(tmp_path, "ch02", "Elena's eyes were blue in the morning light.")
    return tmp_path


def typed(book: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["foreman", *words, "--project", str(book)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_writer_reads_the_book_and_settles_what_contradicts(book: Path) -> None:
    assert "1 conflict waits for you" in typed(book, "consolidate", "--yes")
    shown = typed(book, "conflicts")
    assert "“Elena had green eyes.” [manuscript/ch01.md, paragraph 1]" in shown
    assert "“Elena's eyes were blue” [manuscript/ch02.md, paragraph 1]" in shown
    assert "lie, dream, retcon" in typed(book, "conflicts", "keep-both", "1", "--reason", "whim", code=2)
    assert "manuscript/ch02.md still says" in typed(book, "conflicts", "keep-old", "1", "--note", "as in ch01")
    assert "No contradiction waits" in typed(book, "conflicts")
    assert "[keep old]" in typed(book, "conflicts", "--all")
    assert "waits again" in typed(book, "conflicts", "undo", "1")
    assert "both stand" in typed(book, "conflicts", "keep-both", "1", "--reason", "unreliable")
    assert "no conflict 9" in typed(book, "conflicts", "take-new", "9", code=2)


def test_what_was_merged_is_shown_and_undone(book: Path) -> None:
    typed(book, "consolidate", "--yes")
    held = json.loads(typed(book, "consolidate", "--status", "--json"))
    assert held["batches"][0]["counts"]["conflicts"] == 1
    assert held["waitingTexts"] == []
    assert json.loads(typed(book, "conflicts", "--json"))["conflicts"][0]["old"]["quote"] == "Elena had green eyes."
    assert "Undone: merge 1" in typed(book, "consolidate", "--undo")
    assert json.loads(typed(book, "conflicts", "--json")) == {"conflicts": [], "waiting": 0}
    assert "Not read yet: 2 texts" in typed(book, "consolidate", "--status")
    assert "no merge to undo" in typed(book, "consolidate", "--undo", code=2)
