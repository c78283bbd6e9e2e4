"""Lorebooks in every form people have them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dramaturg.characters.decorators import read_decorators, split_decorators
from dramaturg.characters.lorebook import BookForm, Lorebook, book_as, book_from, read_book
from dramaturg.kernel.errors import CharacterLoadError
from tests.characters.foreign import BOOK, V2, V3, refuse

WORLD: dict[str, Any] = {
    "name": "Low Haven",
    "odd": 1,
    "entries": {
        "0": {
            "uid": 0,
            "key": ["ferry", "boat"],
            "keysecondary": ["night"],
            "comment": "The ferry",
            "content": "The ferry runs until ten.",
            "constant": False,
            "selective": True,
            "selectiveLogic": 3,
            "order": 120,
            "position": 4,
            "depth": 2,
            "role": 1,
            "disable": False,
            "probability": 80,
            "useProbability": True,
            "group": "river, weather",
            "groupOverride": True,
            "groupWeight": 30,
            "sticky": 3,
            "cooldown": None,
            "delay": 2,
            "caseSensitive": True,
            "matchWholeWords": None,
            "delayUntilRecursion": True,
            "characterFilter": {"names": ["Mara"], "tags": [], "isExclude": True},
            "triggers": ["normal"],
            "matchScenario": True,
            "fromTheFuture": {"a": 1},
        },
        "7": {"uid": 7, "key": ["flood"], "content": "East bank.", "disable": True},
    },
}


def entries(book: Lorebook) -> list[dict[str, Any]]:
    return [entry.model_dump(exclude={"uid", "name"}) for entry in book.entries]


def test_world_info_is_read_with_all_its_rules() -> None:
    book = book_from(WORLD, refuse)
    first, second = book.entries
    assert (book.form, book.name, first.uid, second.uid) == ("world", "Low Haven", "0", "7")
    assert (first.keys, first.secondary_keys, first.logic) == (("ferry", "boat"), ("night",), "and_all")
    assert (first.position, first.depth, first.role, first.order) == ("at_depth", 2, "user", 120)
    assert (first.groups, first.group_override, first.group_weight) == (("river", "weather"), True, 30)
    assert (first.sticky, first.cooldown, first.delay, first.delay_until_recursion) == (3, 0, 2, 1)
    assert (first.case_sensitive, first.whole_words, first.probability) == (True, None, 80)
    assert (first.characters.names, first.characters.excludes, first.also_scan) == (("Mara",), True, ("scenario",))
    assert (first.enabled, second.enabled) == (True, False)


def test_a_cards_book_is_read_from_the_card_and_alone() -> None:
    for source in (V2, BOOK):
        book = book_from(source, refuse)
        assert (book.form, book.name) == ("card", "Low Haven")
        assert book.entries[0].keys == ("ferry",)
    decorated = book_from(V3, refuse).entries[0]
    assert (decorated.content, decorated.position, decorated.depth, decorated.role) == (
        "The ferry runs until ten.",
        "at_depth",
        2,
        "user",
    )


def test_a_v3_stand_alone_is_read() -> None:
    book = book_from({"spec": "lorebook_v3", "data": BOOK}, refuse)
    assert (book.form, len(book.entries)) == ("standalone", 1)


@pytest.mark.parametrize("form", ["card", "world", "standalone"])
@pytest.mark.parametrize("source", [WORLD, BOOK, {"spec": "lorebook_v3", "data": BOOK}])
def test_in_every_other_form_the_entries_keep_their_rules_and_come_back(source: dict[str, Any], form: BookForm) -> None:
    book = book_from(source, refuse)
    other = book_from(book_as(book, form), refuse)
    assert (other.form, other.name) == (form, book.name)
    assert entries(other) == entries(book)
    back = book_as(other, book.form)
    assert entries(book_from(back, refuse)) == entries(book)
    if book.form != "world":
        assert back == source
    assert book_as(book, book.form) == source


def test_world_info_keeps_what_is_unknown_on_the_way_through_a_card() -> None:
    card = book_as(book_from(WORLD, refuse), "card")
    first: Any = card["entries"][0]  # type: ignore[index,call-overload]
    assert (first["id"], first["enabled"], first["position"], first["use_regex"]) == (0, True, "after_char", True)
    assert first["extensions"]["group_weight"] == 30
    back: Any = book_as(book_from(card, refuse), "world")
    assert back["odd"] == 1
    assert back["entries"]["0"]["fromTheFuture"] == {"a": 1}


def test_a_book_that_sillytavern_made_of_a_cards_gives_that_one_back_unless_it_was_changed() -> None:
    world: Any = book_as(book_from(BOOK, refuse), "world")
    assert world["originalData"] == BOOK
    assert book_as(book_from(world, refuse), "card") == BOOK
    world["entries"]["0"]["content"] = "Changed."
    changed: Any = book_as(book_from(world, refuse), "card")
    assert changed["entries"][0]["content"] == "Changed."


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"entries": 3}, "it is not a lorebook"),
        ({"name": "x"}, "it is not a lorebook"),
        ({"entries": [3]}, "entries[0] is a number, not an object"),
        ({"entries": {"a": []}}, "entries.a is a list, not an object"),
        ({"entries": {"4": {"key": "ferry"}}}, "field 'entries.4.key' is text, but should be a list"),
        ({"entries": [{"keys": [1]}]}, "field 'entries[0].keys[0]' is a number, but should be a text"),
        ({"entries": [{"keys": [], "extensions": {"sticky": "x"}}]}, "field 'entries[0].extensions.sticky' is text"),
        ({"spec": "lorebook_v3"}, "it has no 'data'"),
        ({"spec": "lorebook_v3", "data": {"entries": {}}}, "its entries are an object, not a list"),
        ({"spec": "chara_card_v2", "data": {"name": "A"}}, "a card without a lorebook"),
        ({"entries": [{}] * 20_001}, "over 20,000 entries"),
        ({"lorebookVersion": 6, "entries": [{"keys": ["ferry"], "text": "It runs."}]}, "a lorebook of NovelAI"),
        ({"kind": "memory", "entries": [{"keywords": ["ferry"], "entry": "It runs."}]}, "a lorebook of Agnai"),
        ({"type": "risu", "ver": 1, "data": [{"key": "ferry", "content": "It runs."}]}, "a lorebook of RisuAI"),
    ],
)
def test_what_is_no_lorebook_is_refused_with_the_place(source: dict[str, Any], said: str) -> None:
    with pytest.raises(CharacterLoadError) as caught:
        read_book(json.dumps(source).encode(), refuse)
    assert said in str(caught.value)


def test_fields_of_a_cards_book_that_are_null_have_their_defaults() -> None:
    head = {"name": None, "description": None, "scan_depth": None, "recursive_scanning": None, "extensions": None}
    book = book_from({**head, "entries": [{"keys": ["ferry"], "content": "It runs.", "name": None}]}, refuse)
    assert (book.name, book.description, len(book.entries)) == ("", "", 1)


def test_decorators_are_the_lines_at_the_top_and_nothing_else() -> None:
    content = "@@depth 4\r\n@@role user\n\n@@role system\nText @@depth 5"
    assert split_decorators(content) == ("@@depth 4\r\n@@role user", "\n@@role system\nText @@depth 5")
    decorators, text = read_decorators(content)
    assert (decorators.depth, decorators.role, text) == (4, "user", "@@role system\nText @@depth 5")
    assert read_decorators("@@depth 1\n@@depth 9\nx")[0].depth == 1
    assert read_decorators("@@sing loudly\nx")[0].unknown == ("sing",)
    assert split_decorators("a@@b.c") == ("", "a@@b.c")
    assert read_decorators("@@" + " " * 100_000)[1].startswith("@@")
