"""Laws of an edited lorebook: what was asked for is read again, and nothing else has changed."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.characters.fields import unreadable
from dramaturg.characters.lorebook import book_as, card_book
from dramaturg.characters.lorebook.editing import EntryEdit, RawBook
from dramaturg.characters.lorebook.entry import LOGICS, POSITIONS, ROLES
from dramaturg.characters.lorebook.fields import CARD_ONLY, LoreFields
from dramaturg.characters.tavern.jsontext import raw_object, write_json
from tests.laws import examples
from tests.properties.test_foreign_cards import BOOK, OBJECT

refuse = partial(unreadable, "mara")
BOOLEAN = st.none() | st.booleans()
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "name": st.text(max_size=4),
    "comment": st.text(max_size=4),
    "keys": st.lists(st.text("ab/", min_size=1, max_size=4), min_size=1, max_size=3),
    "secondary_keys": st.lists(st.text("ab", max_size=2), max_size=2),
    "selective": st.booleans(),
    "logic": st.sampled_from(LOGICS),
    "use_regex": st.booleans(),
    "content": st.sampled_from(["It burned.", "@@depth 2\nIt burned.", "\u2028 x"]),
    "enabled": st.booleans(),
    "constant": st.booleans(),
    "order": st.integers(-5, 500) | st.floats(0, 9),
    "priority": st.none() | st.integers(0, 9),
    "position": st.sampled_from(POSITIONS[:-1]),
    "depth": st.integers(0, 9),
    "role": st.sampled_from(ROLES),
    "outlet": st.text(max_size=2),
    "case_sensitive": BOOLEAN,
    "whole_words": BOOLEAN,
    "scan_depth": st.none() | st.integers(0, 9),
    "probability": st.integers(0, 100),
    "group": st.text("ab,", max_size=3),
    "group_scoring": BOOLEAN,
    "sticky": st.integers(0, 3),
    "delay_until_recursion": st.integers(0, 2),
    "ignore_budget": st.booleans(),
    "only_for": st.lists(st.text(max_size=3), max_size=2),
    "not_for": st.booleans(),
    "also_scan": st.lists(st.sampled_from(["persona", "scenario"]), max_size=2, unique=True).map(sorted),
}
EXPLAINED = {"keys", "content", "logic"}
"""An entry may come to lack a key, have a text of blanks, or second keys where all keys are patterns."""
DIALECT = st.fixed_dictionaries(
    {},
    optional={
        "useProbability": st.booleans(),
        "case_sensitive": BOOLEAN,
        "position": st.integers(0, 8),
        "match_scenario": st.booleans(),
        "character_filter": st.just({"names": ["mara"], "x_own": 1}),
        "display_index": st.integers(0, 9),
    },
)
CHANGES = st.fixed_dictionaries({}, optional=FIELDS)


@st.composite
def books(draw: st.DrawFn) -> dict[str, Any]:
    """A book in the form of a card or as World Info, with fields of strangers in it and in its entries."""
    book = draw(BOOK)
    for entry in book["entries"]:
        strange = draw(OBJECT)
        entry["extensions"].update(draw(DIALECT))
        entry.update({f"x_{key}": value for key, value in strange.items()})
    if draw(st.booleans()):
        book = deepcopy(dict(book_as(card_book(book, refuse), "world")))
        for entry in book["entries"].values():
            entry["x_stranger"] = draw(OBJECT)
    return {**book, "x_top": draw(OBJECT)}


def _entries(book: dict[str, Any]) -> list[dict[str, Any]]:
    entries = book["entries"]
    return list(entries.values()) if isinstance(entries, dict) else entries


def _saved(book: dict[str, Any]) -> dict[str, Any]:
    """Through a file and back."""
    return raw_object(write_json(book), refuse)


@given(book=books(), pick=st.integers(0, 7))
def test_one_changed_text_changes_nothing_else(book: dict[str, Any], pick: int) -> None:
    entries = _entries(book)
    expected, edited = deepcopy(book), deepcopy(book)
    edits = [EntryEdit(at=place) for place in range(len(entries))]
    if entries:
        chosen = pick % len(entries)
        edits[chosen] = EntryEdit(at=chosen, fields=LoreFields(content="It burned in 1904."))
        _entries(expected)[chosen]["content"] = "It burned in 1904."
        originals = expected.get("originalData", {}).get("entries", [])
        if originals:
            originals[chosen]["content"] = "It burned in 1904."
    RawBook(edited, refuse).edit(edits)
    assert _saved(edited) == json.loads(json.dumps(expected))


@examples(300)
@given(book=books(), changes=st.lists(CHANGES, min_size=1, max_size=4), order=st.randoms(use_true_random=False))
def test_an_edit_is_read_again_as_it_was_asked_for(
    book: dict[str, Any], changes: list[dict[str, Any]], order: Any
) -> None:
    before = RawBook(deepcopy(book), refuse).fields
    is_world = isinstance(book["entries"], dict)
    known = [{name: value for name, value in one.items() if not is_world or name not in CARD_ONLY} for one in changes]
    edits = [
        EntryEdit(at=place, fields=LoreFields(**known[place]) if place < len(known) else None)
        for place in range(len(before))
    ]
    new = {"keys": ["bell"], "content": "It is cracked.", **known[-1]}
    edits.append(EntryEdit(fields=LoreFields(**new)))
    order.shuffle(edits)
    edited = deepcopy(book)
    problems = RawBook(edited, refuse).draft(edits)
    assert {one.field for one in problems} <= EXPLAINED
    if not problems:
        _check(book, before, edits, edited)


def _check(
    book: dict[str, Any], before: tuple[LoreFields, ...], edits: list[EntryEdit], edited: dict[str, Any]
) -> None:
    read = RawBook(_saved(edited), refuse).fields
    for edit, now in zip(edits, read, strict=True):
        was = LoreFields() if edit.at is None else before[edit.at]
        asked = edit.fields
        changed = {name: getattr(asked, name) for name in asked.model_fields_set} if asked is not None else {}
        assert now == was.model_copy(update=changed)
    for edit, now in zip(edits, _entries(edited), strict=True):
        was_there = _entries(book)[edit.at] if edit.at is not None else {}
        assert {key: now[key] for key in was_there if key.startswith("x_")} == {
            key: value for key, value in was_there.items() if key.startswith("x_")
        }
    assert edited["x_top"] == book["x_top"]
