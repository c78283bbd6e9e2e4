"""What is wrong with a value that somebody wrote or sent, in their words and not in the validator's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from datetime import date
from reprlib import Repr
from typing import Any, NamedTuple, TypeAlias

from pydantic_core import ErrorDetails, ValidationError

_MAPPINGS = ("model", "dict", "mapping", "model_attributes", "dataclass")
_JSON = {
    **dict.fromkeys(("tuple", "list", "set", "frozen_set"), "expected a list in brackets, such as [1, 2]"),
    **dict.fromkeys(_MAPPINGS, 'expected an object, such as {"key": "value"}'),
}
_YAML = {
    **dict.fromkeys(("tuple", "list", "set", "frozen_set"), "expected a list, one entry per line after a dash"),
    **dict.fromkeys(_MAPPINGS, "expected keys with values"),
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
    "union_tag_invalid": "{discriminator} cannot be '{tag:.40}'; expected {expected_tags}",
    "union_tag_not_found": "{discriminator} is missing; add it",
}
_LENGTHS = {
    "too_short": ("at least", "min_length", "entry", "entries"),
    "too_long": ("at most", "max_length", "entry", "entries"),
    "string_too_short": ("at least", "min_length", "character", "characters"),
    "string_too_long": ("at most", "max_length", "character", "characters"),
}
_ALTERNATIVES = "alternatives"
"""The type of a problem that stands for one of each kind that was expected; `ctx` has them as `problems`."""
_ABSENT = ("missing", "json_invalid")
"""Problems whose place ends with something that was not given: a key that is missing, or a position in the text."""
_TOLD_WHOLE = ("value_error", "extra_forbidden", "union_tag_invalid", "union_tag_not_found", "json_invalid")
"""Problems whose words leave nothing to show of the value."""
_LONGEST_SHOWN = 60
_VARIANT = re.compile(r"_(type|parsing|parsing_size|from_float|unicode)$")

Place: TypeAlias = tuple[int | str, ...]


class _Union(NamedTuple):
    """A value, or the key of one, for which several kinds are allowed."""

    place: Place
    is_key: bool


def first_problem(error: ValidationError, given: object, whole: str = "", *, in_json: bool = True) -> str:
    """What is wrong with what was given, and where, without a full stop: the first problem is the one to mend first.

    `whole` names what was given, for a problem that has no place in it.
    """
    problem = real_problems(error.errors(), given)[0]
    place = ".".join(map(str, problem["loc"])) or whole
    if problem["type"] == "missing":
        return f"'{place}' is missing"
    found = "" if problem["type"] in _TOLD_WHOLE else f" (found {shown_value(problem['input'])})"
    said = worded_problem(problem, in_json=in_json) + found
    return f"'{place}': {said}" if place else said


def shown_value(value: object) -> str:
    """A value as messages quote it, in a few words."""
    limits = Repr()
    limits.maxlevel, limits.maxstring, limits.maxother = 3, 2 * _LONGEST_SHOWN, 2 * _LONGEST_SHOWN
    text = "nothing" if value is None else str(value) if isinstance(value, date) else limits.repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def quotes_wanted(given: object) -> str:
    """What to do about a text that YAML reads as something else, as a sentence; empty if it is no such value."""
    if isinstance(given, bool):
        return " YAML reads yes, no, on and off as true and false: put the word in quotes."
    return " Put it in quotes." if isinstance(given, int | float | date) else ""


def worded_problem(problem: ErrorDetails, *, in_json: bool = True) -> str:
    """What was expected, without a full stop. `in_json` tells how lists and keys are written where the value stands."""
    kind, facts = problem["type"], problem.get("ctx", {})
    if kind == "value_error":
        return str(facts["error"]).removesuffix(".")
    if kind == _ALTERNATIVES:
        worded = dict.fromkeys(worded_problem(one, in_json=in_json) for one in facts["problems"])
        return ", or ".join((next(iter(worded)), *(one.removeprefix("expected ") for one in [*worded][1:])))
    if kind in _LENGTHS:
        return _length(f"string_{kind.removeprefix('string_')}" if isinstance(problem["input"], str) else kind, facts)
    if kind in _RULES:
        return _RULES[kind].format_map(facts)
    said = problem["msg"].replace("Input should be", "expected")
    return ((_JSON if in_json else _YAML) | _KINDS).get(_VARIANT.sub("", kind), said[:1].lower() + said[1:])


def real_problems(problems: Sequence[ErrorDetails], given: object) -> list[ErrorDetails]:
    """Problems of what was given, without those that only follow from others, at the places that its writer knows.

    A list with an entry that is wrong is not too short. Where several kinds of value are allowed, pydantic tries each
    and adds its name to the place: what is wrong with the kind that was written counts, else one problem names all.
    """
    too_short = any(one["type"] == "too_short" for one in problems)
    with_more = {one["loc"][:depth] for one in problems for depth in range(len(one["loc"]))} if too_short else set()

    def follows(one: ErrorDetails) -> bool:
        return one["type"] == "too_short" and one["loc"] in with_more

    groups: dict[object, list[ErrorDetails]] = {}
    for number, one in enumerate(problems):
        if not follows(one):
            place, union = _written(one, given)
            groups.setdefault(number if union is None else union, []).append({**one, "loc": place})
    return [told for union, group in groups.items() for told in _of_one_kind(group, union)]


def _written(problem: ErrorDetails, given: object) -> tuple[Place, _Union | None]:
    """The parts of a place that lead through what was given, and the union of which another part names a kind."""
    here, kept, union = given, list[int | str](), None
    for depth, part in enumerate(problem["loc"], start=1):
        held = _held(here, part)
        if held or (depth == len(problem["loc"]) and problem["type"] in _ABSENT):
            here = held[0] if held else None
            kept.append(part)
        elif union is None:
            union = _Union(problem["loc"][: depth - 1], is_key=part == "[key]")
    return tuple(kept), union


def _held(here: object, part: int | str) -> tuple[object, ...]:
    """What a mapping or a list has under a key; nothing if it has no such key."""
    if isinstance(here, Mapping):
        return (here[part],) if part in here else ()
    if isinstance(here, Sequence | Set) and not isinstance(here, str | bytes) and isinstance(part, int):
        return tuple((here if isinstance(here, Sequence) else tuple(here))[part : part + 1])
    return ()


def _of_one_kind(group: list[ErrorDetails], union: object) -> list[ErrorDetails]:
    if not isinstance(union, _Union):
        return group
    if inside := [one for one in group if len(one["loc"]) > len(union.place)]:
        return inside
    first = group[0]
    return [first if len(group) == 1 else {**first, "type": _ALTERNATIVES, "ctx": {"problems": group}}]


def _length(kind: str, facts: Mapping[str, Any]) -> str:
    limit, key, one, many = _LENGTHS[kind]
    wanted = facts[key]
    return f"expected {limit} {wanted:,} {one if wanted == 1 else many}"
