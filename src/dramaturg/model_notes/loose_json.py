"""JSON that a model wrote: found amid anything, read to a limited depth, and never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

DEEPEST = 50
"""The most levels inside one another; deeper values are not read."""
EFFORT = 8
"""How many times the length of a text may be spent on attempts that fail."""
_RECURSION_COST = 5_000
_LOOK_BACK = 50
"""An error counts the lines before it, at this many characters for one that is read."""
_START = re.compile(r"\[|\{(?=\s*+[\"}])")
_DECODER = json.JSONDecoder(strict=False)


def load_json(text: str) -> object:
    """The value of a JSON text; None for anything that is not JSON, or is nested too deep."""
    try:
        value: object = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return None if _is_too_deep(value) else value


def find_json(text: str) -> Iterator[object]:
    """Yields the JSON objects and arrays in a text, in order. What cannot be read is skipped, within `EFFORT`."""
    position, left = 0, EFFORT * len(text) + _RECURSION_COST
    while left > 0 and (start := _START.search(text, position)) is not None:
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            left -= error.pos - start.start() + error.pos // _LOOK_BACK + 1
            position = start.end()
        except (ValueError, RecursionError):
            left -= _RECURSION_COST
            position = start.end()
        else:
            if not _is_too_deep(value):
                yield value


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return any(isinstance(one, dict | list) for one in level)
