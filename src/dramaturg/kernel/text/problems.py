"""What is wrong with a value that somebody wrote or sent, in their words and not in the validator's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails

_JSON = {
    **dict.fromkeys(("tuple", "list", "set", "frozen_set"), "expected a list in brackets, such as [1, 2]"),
    **dict.fromkeys(("model", "dict", "mapping", "model_attributes"), 'expected an object, such as {"key": "value"}'),
}
_YAML = {
    **dict.fromkeys(("tuple", "list", "set", "frozen_set"), "expected a list, one entry per line after a dash"),
    **dict.fromkeys(("model", "dict", "mapping", "model_attributes"), "expected keys with values"),
}
_KINDS = {
    "string": "expected a text",
    "int": "expected a whole number",
    "float": "expected a number",
    "finite_number": "expected a finite number",
    "bool": "expected true or false",
}
_RULES = {
    "missing": "this is missing; add it",
    "extra_forbidden": "there is no such field; remove it, or correct its name",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "literal_error": "expected {expected}",
    "enum": "expected {expected}",
    "string_pattern_mismatch": "expected a text of the form {pattern}",
    "none_required": "expected null",
}
_LENGTHS = {
    "too_short": ("at least", "min_length", "entry", "entries"),
    "too_long": ("at most", "max_length", "entry", "entries"),
    "string_too_short": ("at least", "min_length", "character", "characters"),
    "string_too_long": ("at most", "max_length", "character", "characters"),
}
_VARIANT = re.compile(r"_(type|parsing|parsing_size|from_float|unicode)$")


def worded_problem(problem: ErrorDetails, *, in_json: bool = True) -> str:
    """What was expected, without a full stop. `in_json` tells how lists and keys are written where the value stands."""
    kind, facts = problem["type"], problem.get("ctx", {})
    if kind == "value_error":
        return str(facts["error"]).removesuffix(".")
    if kind in _LENGTHS:
        return _length(kind, facts)
    if kind in _RULES:
        return _RULES[kind].format_map(facts)
    said = problem["msg"].replace("Input should be", "expected")
    return ((_JSON if in_json else _YAML) | _KINDS).get(_VARIANT.sub("", kind), said[:1].lower() + said[1:])


def real_problems(problems: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Problems without those that only follow from others: a list with an entry that is wrong is not too short."""
    places = [one["loc"] for one in problems]

    def follows(one: ErrorDetails) -> bool:
        depth = len(one["loc"])
        return one["type"] == "too_short" and any(len(at) > depth and at[:depth] == one["loc"] for at in places)

    return [one for one in problems if not follows(one)]


def _length(kind: str, facts: Mapping[str, Any]) -> str:
    limit, key, one, many = _LENGTHS[kind]
    wanted = facts[key]
    return f"expected {limit} {wanted:,} {one if wanted == 1 else many}"
