"""Numbers of things, as a sentence says them."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 scene`, `2 scenes`, `1,200 words`; the plural takes an s unless another is given."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
