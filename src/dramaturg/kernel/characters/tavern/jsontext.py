"""JSON from strangers: read within bounds, or refused with a reason; written so that reading gives the same."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeGuard

from pydantic import JsonValue, ValidationError

from dramaturg.kernel.errors import AuthorError

Refuse: TypeAlias = Callable[[str, str], AuthorError]
"""A reason and a remedy in, the error to raise out: each border names its own file."""
JsonObject: TypeAlias = Mapping[str, JsonValue]

MAX_JSON = 32 * 1024 * 1024
MAX_VALUES = 400_000
MAX_DEPTH = 60

_LONE = re.compile("[\ud800-\udfff]")
_RAN_OUT = "Ask whoever made it for a smaller one."


def read_json(data: bytes, refuse: Refuse) -> JsonValue:
    """The value in some bytes. Raises what `refuse` makes where they are too large, too deep or no JSON.

    Halves of characters are replaced, since no file could hold them.
    """
    if len(data) > MAX_JSON:
        raise refuse(f"its JSON is over {MAX_JSON // 2**20} MB", _RAN_OUT)
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES:
        raise refuse(f"its JSON holds over {MAX_VALUES:,} values", _RAN_OUT)
    try:
        loaded: JsonValue = json.loads(_text(data, refuse), parse_constant=_no_number, parse_float=_finite)
    except RecursionError as error:
        raise refuse("its JSON is nested too deep", _RAN_OUT) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise refuse(
            f"it is not JSON ({where}: {error.msg})", "Save it again from the program it comes from."
        ) from error
    except ValueError as error:
        raise refuse(f"its JSON holds a number that makes no sense ({error})", "Mend it, or remove it.") from error
    return _mended(loaded, refuse, 0)


def read_object(data: bytes, refuse: Refuse) -> JsonObject:
    """The same for what must be an object."""
    value = read_json(data, refuse)
    if not isinstance(value, dict):
        raise refuse(f"it is {kind_of(value)} and not an object", "A card begins with '{'.")
    return value


def write_json(value: JsonValue | JsonObject, *, indent: int | None = None) -> bytes:
    """UTF-8 that reads back as the same value."""
    separators = (",", ": ") if indent else (",", ":")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators).encode()


def is_object(value: object) -> TypeGuard[dict[str, JsonValue]]:
    """Objects of JSON have text for keys; nothing else makes one here."""
    return isinstance(value, dict)


def kind_of(value: object) -> str:
    kinds = {bool: "true or false", str: "text", list: "a list", dict: "an object", type(None): "null"}
    return kinds.get(type(value), "a number")


def wrong_field(error: ValidationError, within: str, refuse: Refuse) -> AuthorError:
    """The first field that has the wrong form, by its place."""
    first = error.errors(include_url=False)[0]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    place = (within + "".join(steps)).lstrip(".") or "it"
    found = kind_of(first["input"])
    wanted = first["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    return refuse(f"field '{place}' is {found} where {_WANTED.get(wanted, wanted)} belongs", "Mend that field.")


_WANTED = {
    "string": "text",
    "boolean": "true or false",
    "dictionary": "an object",
    "mapping": "an object",
    "tuple": "a list",
    "list": "a list",
    "number": "a number",
    "integer": "a whole number",
}


def _text(data: bytes, refuse: Refuse) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(
            f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8", "Save it as UTF-8."
        ) from error


def _no_number(word: str) -> float:
    raise ValueError(word)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits[:20])
    return number


def _mended(value: JsonValue, refuse: Refuse, depth: int) -> JsonValue:
    if depth > MAX_DEPTH:
        raise refuse(f"its JSON is nested over {MAX_DEPTH} deep", _RAN_OUT)
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item, refuse, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_LONE.sub("\ufffd", key): _mended(item, refuse, depth + 1) for key, item in value.items()}
    return value
