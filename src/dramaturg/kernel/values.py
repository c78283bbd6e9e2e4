"""The base classes of every value that is stored or sent: frozen and closed."""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue
from pydantic.alias_generators import to_camel

V = TypeVar("V", bound=BaseModel)
DEEPEST_DATA = 100
"""How many levels of lists and objects may lie in each other."""


class Value(BaseModel):
    """Frozen and closed: an unknown field is an error, and so is a number that JSON has no word for."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class WireValue(Value):
    """A value that is sent as camelCase JSON; both spellings are accepted."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True)


def _as_written(value: object, depth: int = 0) -> object:
    if depth > DEEPEST_DATA:
        raise ValueError(f"more than {DEEPEST_DATA} levels inside one another")
    if isinstance(value, dict):
        return {key: _as_written(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_as_written(one, depth + 1) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


JsonData: TypeAlias = Annotated[JsonValue, BeforeValidator(lambda value: _as_written(value))]
"""JSON of any form in a stored value: a number without an end is null in it, as it would be when read back."""


def construct(kind: type[V], fields: dict[str, object]) -> V:
    """Builds a value without validation. Every field must be given and known to be valid.

    Like `model_construct`, in a fifth of its time; for values that a scene builds by the thousand from validated ones.
    """
    value = kind.__new__(kind)
    _set(value, "__dict__", fields)
    _set(value, "__pydantic_fields_set__", _all_fields(kind))
    _set(value, "__pydantic_extra__", None)
    _set(value, "__pydantic_private__", None)
    return value


@cache
def _all_fields(kind: type[BaseModel]) -> set[str]:
    """One set shared by all values of a class: they are frozen, and copying a value copies it."""
    return set(kind.model_fields)


_set = object.__setattr__
