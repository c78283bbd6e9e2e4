"""Actions called in JSON, as models are trained to call tools: `{"name": …, "arguments": {…}}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dramaturg.model_notes.blocks import is_unspoken
from dramaturg.model_notes.loose_json import load_json
from dramaturg.workshop.foreman.answer import ActionRequest
from dramaturg.workshop.foreman.elements import element
from dramaturg.workshop.foreman.tags import plain_name

NAMES = ("type", "name", "action", "tool", "function")
PARAMS = ("params", "parameters", "arguments", "args", "input")
LONGEST_RAW = 2000
OTHER_FORM = 'An action is written <action type="…">, not in JSON, in code or in a list.'
_TAIL = re.compile(r'\n[ \t]{0,9}+(?=[{\[]\s{0,9}+\{?\s{0,9}+"(?:actions?|type|tool|function|message|thinking)"\s?:)')
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.S)


class FoundCalls(NamedTuple):
    """The actions called in a text, and the text without them."""

    actions: tuple[ActionRequest, ...]
    rest: str


def called(given: object, known: Mapping[str, str] | None = None) -> Iterator[ActionRequest]:
    """The actions in a JSON value: an object, or a list of them. With `known`, only those (plain name to name)."""
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict) or is_unspoken(one):
            continue
        inner = one.get("function")
        if isinstance(inner, dict):
            one = inner
        kind = next((str(one[key]) for key in NAMES if isinstance(one.get(key), str)), "")
        if not kind or (known is not None and plain_name(kind) not in known):
            continue
        held = next((one[key] for key in PARAMS if key in one), None)
        held = load_json(held) if isinstance(held, str) else held
        rest = {key: value for key, value in one.items() if key not in (*NAMES, *PARAMS, "id")}
        params = held if isinstance(held, Mapping) else rest
        name = kind if known is None else known[plain_name(kind)]
        yield ActionRequest.model_validate({"type": name, "params": params, "raw": as_tags(name, params)})


def as_tags(name: str, params: Mapping[str, object]) -> str:
    """A call in the protocol's own form, which is how the model is told of it later."""
    inside = "".join(element(str(key), str(value)) for key, value in params.items())
    return f'<action type="{name}">{inside}</action>'[:LONGEST_RAW]


def calls_in(text: str, known: Mapping[str, str]) -> FoundCalls:
    """The calls of known actions in a text: in code fences, or as the whole of it."""
    if "{" not in text:
        return FoundCalls((), text)
    whole = tuple(called(load_json(text.strip()), known))
    if whole:
        return FoundCalls(whole, "")
    actions: list[ActionRequest] = []
    rest: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        found = list(called(load_json(fence[1].strip()), known)) or _by_line(fence[1], known)
        if found:
            actions += found
            rest.append(text[at : fence.start()])
            at = fence.end()
    return _below(tuple(actions), "".join((*rest, text[at:])), known)


def _below(actions: tuple[ActionRequest, ...], text: str, known: Mapping[str, str]) -> FoundCalls:
    """The calls in an object below what is said. One that broke off is neither run nor said."""
    tail = _TAIL.search(text)
    if tail is None:
        return FoundCalls(actions, text)
    value = load_json(text[tail.end() :].strip())
    inside = value.get("actions", value.get("action")) if isinstance(value, dict) else None
    found = tuple(called(inside, known)) or tuple(called(value, known))
    is_whole = isinstance(value, dict | list)
    return FoundCalls((*actions, *found), text[: tail.start()]) if found or not is_whole else FoundCalls(actions, text)


def _by_line(text: str, known: Mapping[str, str]) -> list[ActionRequest]:
    """One call per line."""
    return [call for line in text.splitlines() if line.startswith("{") for call in called(load_json(line), known)]
