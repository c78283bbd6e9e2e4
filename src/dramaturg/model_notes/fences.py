"""Code fences around a text, as models like to put them."""

from __future__ import annotations

import re

_OPENING = re.compile(r"```[\w-]*+[^\S\n]*+\n")


def unfenced(text: str) -> str | None:
    """The inside of a text that is one code fence as a whole; None if it is not."""
    whole = text.strip()
    opening = _OPENING.match(whole)
    if opening is None or not whole.endswith("```") or len(whole) < opening.end() + 3:
        return None
    inside = whole[opening.end() : -3].rstrip(" \t")
    return inside.removesuffix("\n")
