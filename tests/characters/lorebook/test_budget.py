"""The budget of a lore scan: what is left out, what is cut, and that a book never falls silent."""

from __future__ import annotations

import pytest

from dramaturg.characters.lorebook import book_from
from dramaturg.characters.lorebook.activation import activate
from dramaturg.characters.lorebook.scan import LoreSettings
from tests.characters.foreign import refuse
from tests.characters.lorebook.test_activation import TALK, book, scan, talk, told


def test_over_the_budget_what_matters_least_is_left_out_first() -> None:
    entries = [{"content": "word " * 40, "order": order} for order in (1, 3, 2)]
    result = scan(*entries, budget_tokens=100)
    assert [one.entry.order for one in result.told] == [2, 3]
    assert [one.reason for one in result.untold] == ["over the budget"]
    assert result.tokens <= 100


def test_priority_says_what_matters_where_a_book_gives_it() -> None:
    entry = {"keys": ["ferry"], "content": "word " * 40, "extensions": {}, "enabled": True}
    low = {**entry, "insertion_order": 9, "priority": 1}
    high = {**entry, "insertion_order": 1, "priority": 5}
    result = activate(
        [book_from({"entries": [low, high]}, refuse)], talk(*TALK), settings=LoreSettings(budget_tokens=60)
    )
    assert [one.entry.order for one in result.told] == [1]


def test_after_the_first_refusal_no_smaller_entry_overtakes() -> None:
    first = {"content": "one two three. " * 10, "order": 3}
    too_large = {"content": "word " * 200, "order": 2}
    small = {"content": "Small.", "order": 1}
    result = scan(first, too_large, small, budget_tokens=100)
    assert [one.text for one in result.told] == ["one two three. " * 10]
    assert [one.reason for one in result.untold] == ["over the budget", "over the budget"]


def test_a_book_over_its_own_budget_is_closed_to_its_smaller_entries_and_not_to_other_books() -> None:
    first, too_large = {"content": "word " * 60, "order": 3}, {"content": "word " * 200, "order": 2}
    books = [
        book(first, too_large, {"content": "Small.", "order": 1}, name="A", token_budget=100),
        book({"order": 0}, name="B"),
    ]
    result = activate(books, talk(*TALK))
    assert [one.text for one in result.told] == ["Lore 0.", first["content"]]
    assert [one.reason for one in result.untold] == ["over the budget", "over the budget"]


def test_an_exhausted_budget_ends_the_scan_before_another_pass() -> None:
    first, too_large = {"content": "word " * 60, "order": 3}, {"content": "word " * 200, "order": 2}
    storm = {"content": "The storm.", "ignoreBudget": True}
    result = scan(first, too_large, storm, {"key": ["storm"], "ignoreBudget": True}, budget_tokens=100, recursive=True)
    assert [one.text for one in result.told] == [first["content"], "The storm."]


def test_a_book_whose_first_entry_is_larger_than_the_budget_is_not_silent() -> None:
    long = {"content": "The ferry has run since 1902. " * 40, "order": 2}
    result = scan(long, {"content": "Small.", "order": 1}, head={"token_budget": 100})
    small, cut = result.told
    assert small.text == "Small."
    assert cut.text.endswith("since 1902.")
    assert 40 < cut.tokens <= 75
    assert cut.cut_from > 200
    assert cut.reason == f"key 'ferry' in the last 2 messages; cut to {cut.tokens} of {cut.cut_from} tokens"


def test_of_constants_that_exceed_the_budget_the_largest_are_cut_first_and_keyed_lore_still_has_room() -> None:
    large, larger = ({"constant": True, "content": f"{word} is told here. " * 90} for word in ("Salt", "Pepper"))
    small = {"constant": True, "content": "The town is called Low Haven."}
    result = scan(large, larger, small, {"content": "The ferry runs until ten."}, budget_tokens=200)
    told = {one.entry.uid[-1]: one for one in result.told}
    assert sorted(told) == ["0", "1", "2", "3"]
    assert (told["2"].cut_from, told["3"].cut_from) == (0, 0)
    assert all(told[uid].cut_from and told[uid].text.endswith("told here.") for uid in "01")
    assert result.tokens <= 200


@pytest.mark.parametrize("text", ["[Mara: ferrywoman, blunt, loyal, " * 60, "渡し舟は十時まで動く。" * 60, "x" * 2000])
def test_what_has_no_sentences_to_cut_at_is_cut_all_the_same(text: str) -> None:
    result = scan({"content": text}, budget_tokens=60)
    assert 10 < result.tokens <= 60
    assert text.startswith(result.told[0].text.rstrip("…"))


def test_a_book_has_a_budget_of_its_own_and_some_entries_ignore_every_budget() -> None:
    long = {"content": "word " * 40}
    assert len(told(long, long, head={"token_budget": 50})) == 1
    assert len(told(long, {**long, "ignoreBudget": True}, budget_tokens=10)) == 1
