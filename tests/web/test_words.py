"""What the server says in English has words in the other languages of the pages: reasons of refusals, and values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from dramaturg.episodes.state import INTERRUPTED_CODE
from dramaturg.kernel.errors import DramaturgError
from dramaturg.scenes.acts.ending import IN_ORDER, OTHERWISE
from dramaturg.server.http.errors import CODES, LoginError, PlayerTokenError, SeatTokenError
from dramaturg.workshop.book.bible import PageStatus
from dramaturg.workshop.book.modes import Mode

WORDS = Path(__file__).parents[2] / "web" / "src" / "words"
OTHERS = ("TOO_MANY_REQUESTS", "SEATS_TAKEN", "INTERNAL", "SHUTTING_DOWN", INTERRUPTED_CODE)


def codes() -> Iterator[str]:
    yield from CODES.values()
    yield from OTHERS
    yield from (LoginError.code, SeatTokenError.code)
    yield from (PlayerTokenError(reason).code for reason in PlayerTokenError.MESSAGES)
    waiting: list[type[DramaturgError]] = [DramaturgError]
    while waiting:
        kind = waiting.pop()
        yield kind.code
        waiting += kind.__subclasses__()


@pytest.mark.parametrize("table", sorted(WORDS.glob("refusals.*.json")), ids=lambda path: path.name)
def test_every_error_of_the_server_has_a_sentence_in_each_language_of_the_pages(table: Path) -> None:
    words = json.loads(table.read_text("utf-8"))
    said = {*words["reasons"], *words["whole"]}
    assert sorted(code for code in set(codes()) if code not in said) == []


def test_every_language_but_english_has_a_table() -> None:
    languages = {path.stem for path in WORDS.glob("??.json")} - {"en"}
    assert languages == {path.name.split(".")[1] for path in WORDS.glob("refusals.*.json")}


@pytest.mark.parametrize("table", sorted(WORDS.glob("values.*.json")), ids=lambda path: path.name)
def test_the_modes_of_a_book_and_the_states_of_its_pages_have_words(table: Path) -> None:
    words = json.loads(table.read_text("utf-8"))
    assert set(words["mode"]) == {mode.value for mode in Mode}
    assert set(words["page"]) == set(get_args(PageStatus))


def test_the_page_of_an_act_knows_the_rules_by_which_it_goes_on() -> None:
    page = (WORDS.parent / "routes" / "acts" / "because.ts").read_text("utf-8")
    assert f'"{IN_ORDER}"' in page
    assert f'"{OTHERWISE}"' in page
