"""Scaffolds and promises as a writer types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dramaturg.cli.app import app
from tests.workshop.scaffold.books import thriller


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = thriller(tmp_path)
    (folder / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return folder


def typed(book: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["foreman", *words, "--project", str(book)], catch_exceptions=False)


def test_a_scene_is_planned_shown_and_edited_by_hand(book: Path) -> None:
    made = typed(book, "scaffold", "Chapter 4, Scene 1", "--title", "Backwards", "--enrichment", "beat_sheet,promises")
    assert "scaffolds/ch04-sc01.md: planned" in made.stdout
    assert "protagonist constraint: open" in made.stdout
    path = book / "scaffolds" / "ch04-sc01.md"
    edited = path.read_text(encoding="utf-8").replace("Midpoint\n", "The Twist\n", 1).replace("- Kolb", "- Zebulon")
    path.write_text(edited, encoding="utf-8")
    shown = typed(book, "scaffolds", "ch04-sc01")
    assert "callbacks: the wrong hook  (the wrong hook: manuscript/ch03-sc01.md" in shown.stdout
    assert "'The Twist' is no beat of the beat sheet." in shown.stderr
    assert "'Zebulon' is nobody that the rest of the book knows." in shown.stderr
    assert "ch04-sc01  planned  Backwards, The Twist" in typed(book, "scaffolds").stdout
    listed = json.loads(typed(book, "scaffolds", "--json").stdout)
    assert [one["scaffoldId"] for one in listed["scaffolds"]] == ["ch04-sc01", "ch05-sc01"]


def test_a_promise_is_planted_paid_and_dropped_with_its_words(book: Path) -> None:
    planted = typed(book, "promises", "plant", "warm tape", "--scene", "ch03-sc01", "--due", "ch05-sc01")
    assert planted.stdout == "Planted: warm tape, in ch03-sc01 (“The second tape was warm.”).\n"
    assert "warm tape: due in ch05-sc01\n" in typed(book, "promises").stdout
    false = typed(book, "promises", "pay", "warm tape", "--scene", "ch03-sc01", "--quote", "It was cold by then")
    assert false.exit_code == 2
    assert "do not stand in ch03-sc01" in false.stderr
    assert "Dropped" in typed(book, "promises", "drop", "warm tape", "--reason", "Cut with the archive.").stdout
    dropped = json.loads(typed(book, "promises", "list", "--state", "dropped", "--json").stdout)
    assert dropped["promises"][0]["dropped"] == "Cut with the archive."
    assert "Taken back" in typed(book, "undo").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scaffold", "../../etc/passwd"), "does not lie in manuscript/"),
        (("scaffold", "ch04-sc01", "--enrichment", "tarot"), "cannot be enriched with 'tarot'"),
        (("scaffolds", "ch09-sc09"), "There is no scaffold"),
        (("promises", "list", "--state", "odd"), "No promise is ever 'odd'"),
        (("promises", "pay", "nobody", "--scene", "ch03-sc01"), "There is no promise 'nobody'"),
    ],
)
def test_what_cannot_be_done_says_why(book: Path, words: tuple[str, ...], said: str) -> None:
    done = typed(book, *words)
    assert done.exit_code != 0
    assert said in done.stderr
