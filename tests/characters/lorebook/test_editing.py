"""Where each field of an entry is written: the card's own place, SillyTavern's in its extensions, or World Info's."""

from copy import deepcopy
from typing import Any

import pytest

from dramaturg.characters.lorebook.editing import EntryEdit, RawBook
from dramaturg.characters.lorebook.fields import LoreFields
from dramaturg.kernel.errors import InvalidConfig
from tests.characters.foreign import refuse

CARD: dict[str, Any] = {"keys": ["ferry"], "content": "Until ten.", "enabled": True, "insertion_order": 1}
WORLD: dict[str, Any] = {"uid": 0, "key": ["ferry"], "content": "Until ten.", "x": 1}


def _edited(entries: Any, *edits: EntryEdit) -> Any:
    book = {"entries": deepcopy(entries)}
    RawBook(book, refuse).edit(edits)
    return book["entries"]


@pytest.mark.parametrize(
    ("has", "asked", "written"),
    [
        ({}, {"position": "after_char"}, {"position": "after_char"}),
        ({}, {"position": "at_depth"}, {"position": "after_char", "extensions": {"position": 4}}),
        ({"extensions": {"position": 4}}, {"position": "before_char"},
         {"position": "before_char", "extensions": {"position": 0}}),
        ({}, {"case_sensitive": True}, {"case_sensitive": True}),
        ({"case_sensitive": True}, {"case_sensitive": None}, {"case_sensitive": None}),
        ({"extensions": {"case_sensitive": False}}, {"case_sensitive": True},
         {"case_sensitive": True, "extensions": {"case_sensitive": True}}),
        ({"extensions": {"case_sensitive": True}}, {"case_sensitive": None}, {"extensions": {"case_sensitive": None}}),
        ({"extensions": {"probability": 30, "useProbability": False}}, {"probability": 50},
         {"extensions": {"probability": 50, "useProbability": True}}),
        ({}, {"enabled": False, "order": 7}, {"enabled": False, "insertion_order": 7}),
        ({"extensions": {"match_scenario": True}}, {"also_scan": ("persona",)},
         {"extensions": {"match_scenario": False, "match_persona_description": True}}),
        ({"extensions": {"character_filter": {"names": ["a"], "x": 1}}}, {"not_for": True},
         {"extensions": {"character_filter": {"names": ["a"], "tags": [], "isExclude": True, "x": 1}}}),
        ({"extensions": {}}, {"name": "The ferry", "priority": 3}, {"name": "The ferry", "priority": 3}),
    ],
)  # fmt: skip
def test_a_field_of_a_cards_entry_is_written_where_it_is_read(
    has: dict[str, Any], asked: dict[str, Any], written: dict[str, Any]
) -> None:
    edit = EntryEdit(at=0, fields=LoreFields(**asked))
    assert _edited([{**CARD, **has}], edit) == [{**CARD, **has, **written}]


def test_world_info_has_its_own_names() -> None:
    asked = LoreFields(enabled=False, logic="not_any", secondary_keys=("night",), role="user", scan_depth=3)
    assert _edited({"0": WORLD}, EntryEdit(at=0, fields=asked)) == {
        "0": {**WORLD, "disable": True, "selectiveLogic": 2, "keysecondary": ["night"], "role": 1, "scanDepth": 3}
    }


def test_entries_in_another_order_share_the_numbers_that_sillytavern_shows_them_by() -> None:
    entries = [{**CARD, "extensions": {"display_index": number}} for number in (4, 7)]
    moved = _edited(entries, EntryEdit(at=1), EntryEdit(at=0))
    assert [one["extensions"]["display_index"] for one in moved] == [4, 7]
    new = _edited(entries, EntryEdit(at=0), EntryEdit(at=1), EntryEdit(fields=LoreFields(keys=("x",), content="y")))
    assert new[-1]["extensions"] == {"display_index": 8}


def test_a_new_entry_has_a_number_that_no_other_has() -> None:
    added = EntryEdit(fields=LoreFields(keys=("bell",), content="Cracked."))
    assert [one["id"] for one in _edited([{**CARD, "id": 4}], EntryEdit(at=0), added, added)] == [4, 5, 6]
    world = _edited({"2": WORLD, "9": {**WORLD, "uid": 11}}, EntryEdit(at=1), added)
    assert [(key, one["uid"]) for key, one in world.items()] == [("9", 11), ("12", 12)]


def test_plain_words_of_sillytavern_are_no_patterns_even_where_it_says_so() -> None:
    entry = {**CARD, "use_regex": True, "extensions": {"display_index": 0}}
    edited = _edited([entry], EntryEdit(at=0, fields=LoreFields(keys=("C++ (",))))
    assert edited == [{**entry, "keys": ["C++ ("]}]


def test_an_entry_whose_keys_are_all_patterns_does_not_cease_to_be_one_unnoticed() -> None:
    entry = {**CARD, "keys": ["fer+y"], "use_regex": True}
    with pytest.raises(InvalidConfig, match="its keys are all patterns"):
        _edited([entry], EntryEdit(at=0, fields=LoreFields(logic="not_any")))


def test_what_was_wrong_before_keeps_nobody_from_changing_something_else() -> None:
    entry = {**CARD, "keys": [], "extensions": {"probability": 500}}
    edited = _edited([entry], EntryEdit(at=0, fields=LoreFields(content="Until nine.")))
    assert edited == [{**entry, "content": "Until nine."}]
