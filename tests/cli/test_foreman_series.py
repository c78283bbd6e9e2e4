"""`foreman series`, as a writer uses it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.story import typed
from tests.workshop.series.shelf import SECOND, the_series


def in_series(tmp_path: Path, book: str) -> Path:
    project = the_series(tmp_path) / book
    (project / "dramaturg.toml").write_text('[workshop]\nseries = "../series"\n', encoding="utf-8")
    return project


def test_a_series_is_shown_up_to_this_book(tmp_path: Path) -> None:
    project = in_series(tmp_path, "second-wind")
    shown = typed(project, "foreman", "series", "show", "--trust")
    assert "The Rim" in shown
    assert "  2. second-wind (this book" in shown
    assert "Elena has eyes of the colour green (from the series) [elena.md]" in shown
    assert "2190-05-04  ch01-sc01 [first-light]" in shown
    assert "2195" not in shown


def test_a_contradiction_is_reported_and_one_with_a_reason_is_an_override(tmp_path: Path) -> None:
    project = in_series(tmp_path, "second-wind")
    scene = project / "manuscript" / "ch01-sc01.md"
    assert typed(project, "foreman", "series", "check", "--trust") == ""
    blue = "  - {subject: Elena, predicate: eye_colour, object: blue}\n"
    scene.write_text(SECOND.replace("facts:\n", f"facts:\n{blue}"), encoding="utf-8")
    assert "contradicts: Elena has eyes" in typed(project, "foreman", "series", "check", "--trust", code=2)
    scene.write_text(SECOND.replace("facts:\n", f"facts:\n{blue.replace('}', ', because: lenses}')}"), encoding="utf-8")
    found = json.loads(typed(project, "foreman", "series", "check", "--json", "--trust"))
    assert [one["because"] for one in found["overrides"]] == ["lenses"]


def test_a_book_of_a_series_asks_before_it_reads_beside_itself(tmp_path: Path) -> None:
    project = in_series(tmp_path, "second-wind")
    refused = typed(project, "foreman", "series", "show", code=2)
    assert "read the series, and the books beside it" in refused
