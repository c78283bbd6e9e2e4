"""A quote counts only if its words are really there."""

from __future__ import annotations

from collections.abc import Iterable

from dramaturg.kernel.director.words import words


def is_quoted(quote: str, text: str, fewest: int = 1) -> bool:
    """Whether the words of a quote stand in a text in a row, whatever their case and marks.

    A quote of fewer words than `fewest` proves nothing, unless it is all that the text says.
    """
    said, wanted = words(text), words(quote)
    if not wanted or (len(wanted) < fewest and wanted != said):
        return False
    return any(said[place : place + len(wanted)] == wanted for place in range(len(said) - len(wanted) + 1))


def keyword_in(text: str, keywords: Iterable[str]) -> str:
    """The first of these words or phrases that the text holds; empty if it holds none."""
    return next((keyword for keyword in keywords if is_quoted(keyword, text)), "")
