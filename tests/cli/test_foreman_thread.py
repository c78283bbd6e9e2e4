"""`foreman thread`, as a writer uses it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.story import typed
from tests.workshop.thread.books import held, write_book


def test_a_thread_is_pulled_and_the_retcon_accepted_and_undone_as_one(tmp_path: Path) -> None:
    before = held(write_book(tmp_path))
    shown = typed(tmp_path, "foreman", "thread", "Ruth eye colour green")
    assert "sentence words   manuscript/ch01-sc01.md:4 “Tom saw her green eyes first.”" in shown
    proposed = typed(tmp_path, "foreman", "thread", "Ruth eye colour green", "--retcon", "grey", "--no-model")
    assert "“green” → “grey”" in proposed
    assert "To be looked at:" in proposed
    assert held(tmp_path) == before
    waiting = json.loads(typed(tmp_path, "foreman", "patches", "--json"))["patches"]
    typed(tmp_path, "foreman", "accept", *(str(one["number"]) for one in waiting))
    assert b"her grey eyes" in held(tmp_path)["manuscript/ch01-sc01.md"]
    assert "patches of set 1" in typed(tmp_path, "foreman", "undo", "s1")
    assert held(tmp_path) == before


def test_words_that_find_several_facts_are_a_list_to_choose_from(tmp_path: Path) -> None:
    write_book(tmp_path)
    found = json.loads(typed(tmp_path, "foreman", "thread", "Ruth", "--json", code=2))
    assert found["fact"] is None
    number = next(one["id"] for one in found["choices"] if one["predicate"] == "owns")
    shown = typed(tmp_path, "foreman", "thread", str(number))
    assert "predicate: owns, object: the brass key" in shown
    assert "No fact has these words." in typed(tmp_path, "foreman", "thread", "unicorn", code=2)
