"""What a provider's JSON has where text or a number of tokens belongs; it may have anything there, of any depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

IMPOSSIBLE = -1
"""What is no number of tokens: the usage with it is estimated instead."""


def text_in(value: object) -> str:
    """The text, empty if there is none. Raises TypeError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"a text is expected, not {type(value).__name__}")
    return value


def tokens_in(value: object) -> int:
    """The number of tokens, 0 if it is not stated, `IMPOSSIBLE` if it is none."""
    if value is None:
        return 0
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else IMPOSSIBLE


def counts_in(value: object) -> Mapping[str, Any]:
    """A provider's counts by name; none if they are no object."""
    return value if isinstance(value, dict) else {}
