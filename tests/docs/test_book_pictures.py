"""The pictures of the example book show what the commands show."""

from __future__ import annotations

from tests.docs.book_pictures import PICTURES, pictures


def test_the_pictures_of_the_example_book_are_current() -> None:
    """If this fails: .venv/bin/python -m tests.docs.book_pictures"""
    for name, text in pictures().items():
        assert (PICTURES / name).read_text(encoding="utf-8") == text, name
