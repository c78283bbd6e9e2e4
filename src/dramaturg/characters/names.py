"""Names as people type them."""

from __future__ import annotations

import unicodedata


def unaccented(name: str) -> str:
    """A Latin name as it is typed without accents: "Zoltan" for "Zoltán"; others as they are."""
    bare = "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))
    return bare if bare.isascii() else name
