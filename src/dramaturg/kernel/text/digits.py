"""Numbers in other people's text."""

from __future__ import annotations

MOST_DIGITS = 18
"""As many as fit into 63 bits, whatever they are."""


def whole_number(text: str) -> int | None:
    """The number that a text writes in ASCII digits and nothing else; None otherwise, and if it has too many.

    `int` refuses thousands of digits, and `isdigit` accepts what `int` does not.
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None
