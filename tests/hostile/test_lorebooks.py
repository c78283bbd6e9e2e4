"""Lorebooks written to keep a program busy: every scan comes to an end by its own count, away from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from dramaturg.characters.lorebook import Lorebook, book_from
from dramaturg.characters.lorebook.activation import activate, activate_aside
from dramaturg.characters.lorebook.keys import TOO_LONG, KeySearch, SearchedText
from dramaturg.characters.lorebook.pattern import compiled, marked
from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings
from dramaturg.characters.lorebook.work import MAX_STEPS, MAX_TEXT, StepBudget, leaves_the_loop
from dramaturg.characters.tavern.macros import MacroContext
from dramaturg.kernel.errors import InvalidConfig
from tests.hostile.lorebooks import HOSTILE_BOOKS, LETTERS, book
from tests.hostile.scale import sample

LONG = "aж " * (MAX_TEXT // 3)


def read(name: str) -> Lorebook:
    return book_from(HOSTILE_BOOKS[name], lambda reason, remedy: InvalidConfig(f"{reason}. {remedy}"))


def talk(*texts: str) -> Sequence[LoreMessage]:
    return [LoreMessage(text=text) for text in texts]


@pytest.mark.parametrize("name", sample(HOSTILE_BOOKS, 3))
def test_a_hostile_book_is_scanned_to_an_end_twice_with_one_result_and_never_on_the_loop(name: str) -> None:
    hostile, said = read(name), talk(*["a short one"] * 100, LONG)
    assert leaves_the_loop([hostile], (one.text for one in reversed(said)))
    scans = [activate([hostile], said, settings=LoreSettings(recursive=True)) for _ in range(2)]
    assert scans[0] == scans[1]


@pytest.mark.parametrize("name", ["5,000 entries with 200 patterns each", "plain keys that nearly match"])
def test_what_a_scan_had_no_steps_left_for_says_so(name: str) -> None:
    scan = activate([read(name)], talk(LONG))
    assert len(scan.untold) > 100
    assert {one.reason for one in scan.untold} == {TOO_LONG}


def test_a_set_of_600_ranges_costs_600_steps_for_each_byte_at_least() -> None:
    work, text = StepBudget(), marked("a" * 100_000)
    compiled(f"[{LETTERS}]").found_in(text, work)
    assert MAX_STEPS - work.left >= 600 * len(text)


@pytest.mark.parametrize(
    "key", ["/[a-z]+ж/", "/" + "a|" * 900 + "b/", "x" * 400_000, "{{" * 1000, "/(" * 3000, "/(a{1,1000}){1,1000}/"]
)
def test_every_key_is_charged_for_its_own_length_and_the_text(key: str) -> None:
    search = KeySearch(LoreSettings(), MacroContext("Mara"))
    entry = book_from(book(1, [key]), lambda reason, _: InvalidConfig(reason)).entries[0]
    search.match(entry, SearchedText(LONG))
    assert MAX_STEPS - search.steps.left >= len(key)


def test_no_search_begins_once_the_steps_are_spent() -> None:
    search = KeySearch(LoreSettings(), MacroContext("Mara"), StepBudget(left=0))
    entry = book_from(book(1, ["ferry"]), lambda reason, _: InvalidConfig(reason)).entries[0]
    assert search.match(entry, SearchedText("the ferry")) is None
    assert search.faults == {entry.uid: TOO_LONG}


async def test_a_long_scan_lets_others_go_first_and_a_short_one_does_not_leave() -> None:
    order: list[str] = []

    async def scan(keys: list[str], said: str, name: str) -> None:
        hostile = book_from(book(1, keys), lambda reason, _: InvalidConfig(reason))
        await activate_aside([hostile], talk(said))
        order.append(name)

    async def other() -> None:
        order.append("other")

    await asyncio.gather(scan(["/a+b$/"], LONG, "long"), other())
    await asyncio.gather(scan(["ferry"], "the ferry", "short"), other())
    assert order == ["other", "long", "short", "other"]


def test_an_ordinary_book_stays_on_the_loop_and_all_of_it_is_searched() -> None:
    ordinary = book_from(
        book(300, ["ferry", "harbour", "/old (?:boat|ship)s?/i"]), lambda reason, _: InvalidConfig(reason)
    )
    said = talk("We took the ferry.", "And the old ships?")
    assert not leaves_the_loop([book_from(book(300, ["ferry", "harbour"]), lambda r, _: InvalidConfig(r))], ["a" * 500])
    assert len(activate([ordinary], said, settings=LoreSettings(budget_tokens=10_000)).told) == 300


def test_a_word_that_stands_alone_is_found_where_it_does() -> None:
    def told(text: str) -> bool:
        one = book_from(book(1, ["cat"], matchWholeWords=True), lambda reason, _: InvalidConfig(reason))
        return bool(activate([one], talk(text)).told)

    assert [told(text) for text in ("cat", "a cat.", "concat cat", "(cat)", "Cat!")] == [True] * 5
    assert [told(text) for text in ("cats", "concat", "cat_", "écat", "bobcat2")] == [False] * 5
