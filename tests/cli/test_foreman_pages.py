"""`foreman page` and `foreman consultations`, as a writer uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.story import typed

PAGE = "# Theme\n\n## Central theme\n\nTrust.\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    for path, text in (
        ("story-bible/theme.md", PAGE),
        ("manuscript/ch01-sc01.md", "---\ntitle: Docks\n---\nA lamp.\n"),
    ):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_pages_and_scenes_are_listed_with_their_words(book: Path) -> None:
    shown = typed(book, "foreman", "page", "list")
    assert "theme                          4 words  in_progress  Theme" in shown
    assert "beat_sheet                     0 words  not_started  Beat Sheet" in shown
    assert "ch01-sc01                      2 words               Docks" in shown
    rows = [json.loads(line) for line in typed(book, "foreman", "page", "list", "--json").splitlines()]
    assert [row["name"] for row in rows] == ["protagonist", "beat_sheet", "theme", "world_rules", "ch01-sc01"]


def test_a_page_is_shown_written_over_and_brought_back(book: Path) -> None:
    assert typed(book, "foreman", "page", "show", "theme") == PAGE
    new = book / "new.txt"
    new.write_text("# Theme\n\nOther.\n", encoding="utf-8")
    assert "Changed story-bible/theme.md." in typed(book, "foreman", "page", "write", "theme", str(new))
    assert (book / "story-bible" / "theme.md").read_text(encoding="utf-8") == "# Theme\n\nOther.\n"
    assert "Taken back" in typed(book, "foreman", "undo")
    assert (book / "story-bible" / "theme.md").read_text(encoding="utf-8") == PAGE


def test_a_digest_keeps_a_text_that_somebody_else_has_changed(book: Path) -> None:
    scene = book / "manuscript" / "ch01-sc01.md"
    digest = json.loads(typed(book, "foreman", "page", "show", "ch01-sc01", "--json"))["digest"]
    scene.write_text("By hand.\n", encoding="utf-8")
    new = book / "new.txt"
    new.write_text("Mine.\n", encoding="utf-8")
    words = ("foreman", "page", "write", "ch01-sc01", str(new), "--digest")
    assert "was changed meanwhile" in typed(book, *words, digest, code=2)
    assert "was changed meanwhile" in typed(book, *words, "", code=2)
    assert scene.read_text(encoding="utf-8") == "By hand.\n"


def test_what_cannot_be_read_is_named(book: Path) -> None:
    assert "There is no manuscript/ch09-sc09.md" in typed(book, "foreman", "page", "show", "ch09-sc09", code=2)
    assert "cannot be read" in typed(book, "foreman", "page", "write", "theme", str(book / "none.txt"), code=2)
    (book / "latin.txt").write_bytes(b"caf\xe9")
    assert "not UTF-8" in typed(book, "foreman", "page", "write", "theme", str(book / "latin.txt"), code=2)
    assert "does not lie in" in typed(book, "foreman", "page", "show", "story-bible/../x", code=2)


def test_consultations_are_listed_newest_first(book: Path) -> None:
    for said in ("Her flaw is pride.", "Go on."):
        typed(book, "foreman", "chat", said, "--model", "rehearsal")
    shown = typed(book, "foreman", "consultations")
    assert shown.index("2  > Go on.") < shown.index("1  > Her flaw is pride.")
    listed = json.loads(typed(book, "foreman", "consultations", "--limit", "1", "--page", "2", "--json"))
    assert [one["said"] for one in listed["consultations"]] == ["Her flaw is pride."]
