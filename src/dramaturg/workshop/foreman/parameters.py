"""The parameters of an action, in every form models write them: tags, `<param name=…>`, attributes, JSON, lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape

from pydantic import JsonValue

from dramaturg.kernel.models.structured import json_values

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(?:=\s*)?")
_BARE = re.compile(r"[^\s\"'=<>`/]+(?:/[^\s\"'=<>`/]+)*")
_OPEN = re.compile(r"<\s*([A-Za-z_][\w-]*)([^<>]*?)(/?)\s*>")
_LINE = re.compile(r"^\s*[-*]?\s*\"?([A-Za-z_]\w*)\"?\s*[:=]\s*(.+?)\s*$", re.M)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.S)
PARAM_TAGS = ("param", "parameter")
WRAPPERS = ("params", "parameters", "arguments", "args")


@dataclass(slots=True)
class ReadParams:
    """The parameters found. `open_param` is the one in which the text broke off; `mended` says what was repaired."""

    params: dict[str, JsonValue] = field(default_factory=dict)
    open_param: str = ""
    mended: list[str] = field(default_factory=list)


def attributes_of(text: str) -> dict[str, str]:
    """`a="x" b='y' c=z` with any quoting; names in lower case. Anything else is skipped."""
    found: dict[str, str] = {}
    at = 0
    while (name := _NAME.match(text, at)) is not None:
        at = name.end()
        if not name.group().rstrip().endswith("="):
            continue
        value, at = _value(text, at)
        found.setdefault(name[1].lower(), unescape(value).strip())
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    quote = text[at : at + 1]
    if quote in QUOTES and quote:
        end = text.find(QUOTES[quote], at + 1)
        end = len(text) if end < 0 else end
        return text[at + 1 : end], end + 1
    bare = _BARE.match(text, at)
    return (bare.group(), bare.end()) if bare else ("", at + 1)


def params_of(body: str, known: Mapping[str, str]) -> ReadParams:
    """The parameters in the body of an action; `known` are their names, by their lower-case form."""
    read = ReadParams()
    at = 0
    while (opening := _OPEN.search(body, at)) is not None:
        at = _take(body, opening, known, read)
    if not read.params and not read.open_param:
        _without_tags(body, known, read)
    return read


def _take(body: str, opening: re.Match[str], known: Mapping[str, str], read: ReadParams) -> int:
    """Reads one parameter from its opening tag on; returns where to continue."""
    tag, attributes = opening[1], attributes_of(opening[2])
    named = attributes.get("name", "") if tag.lower() in PARAM_TAGS else tag
    if not named or (tag.lower() in WRAPPERS and tag.lower() not in known):
        return opening.end()
    name = known.get(named.lower(), named)
    if opening[3]:
        _put(read, name, attributes.get("value", ""))
        return opening.end()
    end = _end_of(body, tag, opening.end())
    if end is not None:
        _put(read, name, _text(body[opening.end() : end.start()]))
        return end.end()
    following = next((o for o in _OPEN.finditer(body, opening.end()) if o[1].lower() in {*known, *PARAM_TAGS}), None)
    wrong = re.compile(r"<\s*/\s*[A-Za-z_][\w-]*\s*>").search(body, opening.end())
    if wrong is not None and (following is None or wrong.start() < following.start()):
        _put(read, name, _text(body[opening.end() : wrong.start()]))
        read.mended.append(f"<{tag}> ends with </{tag}>.")
        return wrong.end()
    stop = following.start() if following else len(body)
    _put(read, name, _text(body[opening.end() : stop]))
    read.mended.append(f"<{tag}> ends with </{tag}>.")
    if following is None:
        read.open_param = name
    return stop


def _end_of(body: str, tag: str, start: int) -> re.Match[str] | None:
    """The closing tag, skipping nested tags of the same name."""
    depth = 1
    for one in re.finditer(rf"<\s*(/?)\s*{re.escape(tag)}\b[^<>]*?(/?)\s*>", body[start:], re.I):
        if not one[2]:
            depth += -1 if one[1] else 1
        if depth == 0:
            return re.compile(re.escape(one.group())).search(body, start + one.start())
    return None


def _put(read: ReadParams, name: str, value: JsonValue) -> None:
    """Adds a value; a second one with the same name makes a list."""
    if name not in read.params:
        read.params[name] = value
        return
    before = read.params[name]
    read.params[name] = [*before, value] if isinstance(before, list) else [before, value]


def _text(value: str) -> str:
    whole = _CDATA.fullmatch(value)
    return whole[1] if whole else unescape(value).strip()


def _without_tags(body: str, known: Mapping[str, str], read: ReadParams) -> None:
    for value in json_values(body):
        if isinstance(value, dict):
            inner = value.get("parameters", value.get("params", value))
            given = inner if isinstance(inner, dict) else value
            read.params.update({known.get(str(key).lower(), str(key)): held for key, held in given.items()})
            read.mended.append("Parameters are tags, not JSON.")
            return
    for line in _LINE.finditer(body):
        if line[1].lower() in known:
            read.params[known[line[1].lower()]] = line[2].strip().strip('"')
    if read.params:
        read.mended.append("Parameters are tags, not lines.")
