"""`foreman draft`, `variants`, `choose`, `hybrid` and `perform`, as a writer uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.story import typed
from tests.workshop.drafts.cases import book

WORDS = ("--words", "120", "--strategy", "action", "--strategy", "balanced")
SCENE = Path("manuscript") / "ch04-sc02.md"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    project = book(tmp_path)
    settings = '[models]\ndefault = "rehearsal"\n\n[scenes]\npace = 0\n'
    (project / "dramaturg.toml").write_text(settings, encoding="utf-8")
    return project


def test_a_scene_is_drafted_read_side_by_side_and_chosen(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = typed(story, "foreman", "draft", "ch04-sc02", "--yes", *WORDS)
    assert "2 variants for 120 words" in shown
    assert "A  ACTION, rehearsal" in shown
    monkeypatch.setenv("COLUMNS", "100")
    beside = typed(story, "foreman", "variants")
    row = next(line for line in beside.splitlines() if "A1 " in line)
    assert "B1 " in row, "side by side"
    monkeypatch.setenv("COLUMNS", "40")
    narrow = typed(story, "foreman", "variants", "last")
    assert not any("A1 " in line and "B1 " in line for line in narrow.splitlines())
    found = json.loads(typed(story, "foreman", "variants", "--json"))
    assert [one["letter"] for one in found["variants"]] == ["A", "B"]
    assert "no variant 'Q'" in typed(story, "foreman", "variants", "--only", "Q", code=2)
    assert "Wrote variant B" in typed(story, "foreman", "choose", found["run"], "B")
    text = (story / SCENE).read_text(encoding="utf-8")
    assert text.endswith("\n\n".join(found["variants"][1]["paragraphs"]) + "\n")
    assert "variant B" in typed(story, "foreman", "versions", "ch04-sc02")
    over = typed(story, "foreman", "hybrid", "last", "A1", "B2")
    assert "seam A1 | B2" in over
    assert "has prose, and stays as it is" in over
    assert (story / SCENE).read_text(encoding="utf-8") == text
    typed(story, "foreman", "undo")
    assert not (story / SCENE).exists()
    looked = json.loads(typed(story, "foreman", "hybrid", "last", "A", "--preview", "--json"))
    assert looked["saved"] is None
    assert "is not among them" in typed(story, "foreman", "hybrid", "last", "A99", code=2)
    assert not (story / SCENE).exists()


def test_a_scaffold_is_performed_by_the_ordinary_scene_run_and_told_as_prose(story: Path) -> None:
    staged = typed(story, "foreman", "perform", "ch04-sc02")
    assert "Play it: dramaturg scene run ch04-sc02" in staged
    played = typed(story, "scene", "run", "ch04-sc02", "--json").splitlines()
    run = json.loads(played[-1])["run"]
    drafted = json.loads(typed(story, "foreman", "draft", "ch04-sc02", "--base", run, "--yes", "--json", *WORDS))
    assert drafted["result"]["base"] == run
    assert "with another text" not in typed(story, "foreman", "perform", "ch04-sc02")


def test_what_would_cost_something_is_asked_first(story: Path) -> None:
    asked = typed(story, "foreman", "draft", "ch04-sc02", keys="n\n")
    assert asked == ""
    assert "add --yes" in typed(story, "foreman", "draft", "ch04-sc02", "--json", code=2)
    assert "no draft yet" in typed(story, "foreman", "variants", code=2)
    assert "does not lie in" in typed(story, "foreman", "draft", "../../etc/passwd", "--yes", code=2)
