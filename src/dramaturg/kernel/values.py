"""The base of every value that is stored or sent: frozen, closed, without storage."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

V = TypeVar("V", bound=BaseModel)


class Value(BaseModel):
    """Frozen and closed: an unknown field is an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WireValue(Value):
    """A value whose outward JSON is camelCase; both spellings are read."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )


def construct(kind: type[V], fields: dict[str, object]) -> V:
    """A value of fields known to be right, every one of them given: made without looking at them again.

    As `model_construct`, in a fifth of its time. For what a scene makes thousands of, from values it has checked.
    """
    value = kind.__new__(kind)
    _set(value, "__dict__", fields)
    _set(value, "__pydantic_fields_set__", _all_fields(kind))
    _set(value, "__pydantic_extra__", None)
    _set(value, "__pydantic_private__", None)
    return value


@cache
def _all_fields(kind: type[BaseModel]) -> set[str]:
    """One set for all values of a kind: they are frozen, and a copy gets a copy of it."""
    return set(kind.model_fields)


_set = object.__setattr__
