"""The base classes of every value that is stored or sent: frozen and closed."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

V = TypeVar("V", bound=BaseModel)


class Value(BaseModel):
    """Frozen and closed: an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WireValue(Value):
    """A value that is sent as camelCase JSON; both spellings are accepted."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )


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
