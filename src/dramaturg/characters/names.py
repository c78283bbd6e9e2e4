"""Names as people type them, and names that are free."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable


def unaccented(name: str) -> str:
    """A Latin name as it is typed without accents: "Zoltan" for "Zoltán"; others as they are."""
    bare = "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))
    return bare if bare.isascii() else name


def free_name(wanted: str, is_free: Callable[[str], bool]) -> str:
    """The name, or the first of its numbered variants that is free."""
    name, number = wanted, 1
    while not is_free(name):
        number += 1
        name = f"{wanted[:58]}-{number}"
    return name
