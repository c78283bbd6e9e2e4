"""Untrusted JSON: read within limits or refused with a reason, and written so that it reads back the same."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeGuard

from pydantic import JsonValue, ValidationError

from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.problems import real_problems, worded_problem

Refuse: TypeAlias = Callable[[str, str], AuthorError]
"""Makes the error to raise from a reason and a remedy; each caller names its own file."""
JsonObject: TypeAlias = Mapping[str, JsonValue]

MAX_JSON = 32 * 1024 * 1024
MAX_VALUES = 400_000
MAX_DEPTH = 60
MAX_DIGITS = 4300
"""Python converts no longer number."""

_LONE = re.compile("[\ud800-\udfff]")
_INDENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\r?\n([ \t]{1,16})")
_RAN_OUT = "Ask its author for a smaller one."


def read_json(data: bytes, refuse: Refuse) -> JsonValue:
    """The value in the bytes. Raises the error `refuse` makes if they are too large, too deep or not JSON.

    Lone surrogates are replaced, since no UTF-8 file can hold them.
    """
    if len(data) > MAX_JSON:
        raise refuse(f"its JSON is over {MAX_JSON // 2**20} MB", _RAN_OUT)
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES:
        raise refuse(f"its JSON contains over {MAX_VALUES:,} values", _RAN_OUT)
    try:
        text = _text(data, refuse)
        loaded: JsonValue = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole)
    except RecursionError as error:
        raise refuse("its JSON is nested too deeply", _RAN_OUT) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise refuse(
            f"it is not JSON ({where}: {error.msg})", "Export it again from the program it comes from."
        ) from error
    except ValueError as error:
        raise refuse(f"its JSON contains an invalid number ({error})", "Correct or remove it.") from error
    return _mended(loaded, refuse, 0)


def read_object(data: bytes, refuse: Refuse) -> JsonObject:
    """The object in the bytes. Raises as `read_json` does, and for anything else than an object."""
    value = read_json(data, refuse)
    if not isinstance(value, dict):
        raise refuse(f"it is {kind_of(value)}, not an object", "A card begins with '{'.")
    return value


def raw_object(data: bytes, refuse: Refuse) -> dict[str, JsonValue]:
    """The object in the bytes, to be changed and written again: with lone surrogates as they are. Raises as above."""
    read_object(data, refuse)
    loaded: dict[str, JsonValue] = json.loads(_text(data, refuse))
    return loaded


def write_json(value: JsonValue | JsonObject, *, indent: int | str | None = None) -> bytes:
    """The value as UTF-8; it reads back the same."""
    separators = (",", ": ") if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return _LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text).encode()


def write_like(value: JsonObject, data: bytes) -> bytes:
    """The value as JSON, laid out as the file that it was read from."""
    found = _INDENT.match(data)
    return write_json(value, indent=found[1].decode() if found else None) + (b"\n" if data.endswith(b"\n") else b"")


def is_object(value: object) -> TypeGuard[dict[str, JsonValue]]:
    """Whether a value is a JSON object; its keys are always text here."""
    return isinstance(value, dict)


def kind_of(value: object) -> str:
    kinds = {bool: "true or false", str: "text", list: "a list", dict: "an object", type(None): "null"}
    return kinds.get(type(value), "a number")


def wrong_field(error: ValidationError, given: JsonObject, within: str, refuse: Refuse) -> AuthorError:
    """The error for the first field of the wrong type, with its path."""
    first = real_problems(error.errors(include_url=False), given)[0]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    place = (within + "".join(steps)).lstrip(".") or "it"
    wanted, found = worded_problem(first), kind_of(first["input"])
    said = (
        f" is {found}, but should be {wanted.removeprefix('expected ')}"
        if wanted.startswith("expected ")
        else f": {wanted}"
    )
    return refuse(f"field '{place}'{said}", "Correct that field.")


def _text(data: bytes, refuse: Refuse) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(
            f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8", "Save it as UTF-8."
        ) from error


def _no_number(word: str) -> float:
    raise ValueError(word)


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"it has {len(digits):,} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits[:20])
    return number


def _mended(value: JsonValue, refuse: Refuse, depth: int) -> JsonValue:
    if depth > MAX_DEPTH:
        raise refuse(f"its JSON is nested more than {MAX_DEPTH} levels deep", _RAN_OUT)
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item, refuse, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_LONE.sub("\ufffd", key): _mended(item, refuse, depth + 1) for key, item in value.items()}
    return value
