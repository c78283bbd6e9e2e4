"""JSON in which models write answers in parts: blocks of typed content, turns of a chat, calls of a tool to think with.

Every value is walked to a limited depth; the time is in proportion to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from dramaturg.kernel.reasoning import is_reasoning_name
from dramaturg.model_notes.labels import is_hidden_block

DEEPEST = 6
WORDS = ("text", "output_text", "message", "content", "parts")
"""Keys under which the words of a block stand."""
_SPOKEN_TYPES = ("text", "output_text", "message")
_NAMES = ("name", "tool", "function")
_GIVEN = ("arguments", "parameters", "input", "args")
_LONGEST_NAME = 40


def is_unspoken(value: object) -> bool:
    """Whether a JSON value is a thought, a call of a tool to think with, or somebody else's turn."""
    if not isinstance(value, Mapping):
        return False
    named = {key: one[:_LONGEST_NAME] for key in ("type", "role", *_NAMES) if isinstance(one := value.get(key), str)}
    if any(is_hidden_block(key, one) for key, one in named.items()):
        return True
    called = _NAMES if any(key in value for key in _GIVEN) else ()
    return any(is_reasoning_name(named[key]) for key in ("type", *called) if key in named)


def is_block(value: object) -> bool:
    """Whether a JSON value is a block of typed content, or a turn of a chat."""
    return isinstance(value, Mapping) and (
        is_unspoken(value) or value.get("role") == "assistant" or value.get("type") in _SPOKEN_TYPES
    )


def is_list_of_blocks(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list) and bool(value) and all(map(is_block, value))


def words_of(value: object, depth: int = 0) -> str:
    """What is said in a text, a block, or a list of blocks; empty if that is nothing."""
    if isinstance(value, str):
        return value
    if depth >= DEEPEST or is_unspoken(value):
        return ""
    if isinstance(value, list):
        said = (words_of(one, depth + 1) for one in value if is_block(one) or isinstance(one, str))
        return "\n\n".join(filter(str.strip, said))
    if isinstance(value, Mapping):
        return next(filter(str.strip, (words_of(value.get(key), depth + 1) for key in WORDS)), "")
    return ""


def thoughts_of(value: object) -> str:
    """The words of a thought, however it is wrapped."""
    if isinstance(value, Mapping):
        keys = (*WORDS, "thinking", "thought", "reasoning", "summary")
        return next((one for key in keys if isinstance(one := value.get(key), str) and one.strip()), "")
    return value if isinstance(value, str) else ""


def without_unspoken(value: object, depth: int = 0) -> object:
    """A JSON value without the thoughts in it."""
    if depth >= DEEPEST:
        return None
    if isinstance(value, list):
        return [without_unspoken(one, depth + 1) for one in value if not is_unspoken(one)]
    if isinstance(value, Mapping):
        kept = ((key, one) for key, one in value.items() if not is_reasoning_name(str(key)[:_LONGEST_NAME]))
        return {key: without_unspoken(one, depth + 1) for key, one in kept}
    return value
