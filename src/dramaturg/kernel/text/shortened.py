"""Texts cut to a number of characters, for messages and lists."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and `…` if it has more than `most` characters (at least one).

    The cut may be inside a word: some languages put no spaces between them.
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def short_line(text: str, most: int) -> str:
    """The text on one line with single spaces, cut as by `shortened`."""
    return shortened(" ".join(text.split()), most)
