"""The log says of the files only what changed between two prompts, and nothing is lost by it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.book.files_seen import FilesSeen

BOOKS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"), max_size=6)


@given(st.lists(BOOKS, max_size=8))
def test_every_book_is_known_again_from_the_changes_that_led_to_it(books: list[dict[str, str]]) -> None:
    known: dict[str, str] = {}
    for book in books:
        known = dict(FilesSeen.between(known, book).after(known))
        assert known == book


@given(BOOKS)
def test_a_book_that_stays_as_it_is_adds_nothing_to_the_log(book: dict[str, str]) -> None:
    assert FilesSeen.between(book, dict(book)) == FilesSeen()
