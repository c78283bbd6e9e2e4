"""The parameters of an action, in every form models write them: tags, `<param name=…>`, attributes, JSON, lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from dramaturg.kernel.models.structured import json_values
from dramaturg.kernel.text.escape import unescaped

MOST_MENDED = 50
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(?:=\s*)?")
_BARE = re.compile(r"[^\s\"'=<>`/]+(?:/[^\s\"'=<>`/]+)*")
_TAG = re.compile(
    r"<\s*+(?P<close>/?)\s*+(?P<name>[A-Za-z_][\w-]*+)"
    r"(?P<attributes>[^<>/]*+(?:/(?!\s*>)[^<>/]*+)*)(?P<empty>/?)\s*>"
)
_LINE = re.compile(r"^[ \t]*+(?:[-*][ \t]*+)?\"?([A-Za-z_]\w*+)\"?[ \t]*+[:=]\s*+(.+)$", re.M)
_CDATA = ("<![CDATA[", "]]>")
PARAM_TAGS = ("param", "parameter")
WRAPPERS = ("params", "parameters", "arguments", "args")


@dataclass(slots=True)
class ReadParams:
    """The parameters found. `open_param` is the one in which the text broke off; `mended` says what was repaired."""

    params: dict[str, JsonValue] = field(default_factory=dict)
    open_param: str = ""
    mended: list[str] = field(default_factory=list)

    def mend(self, what: str) -> None:
        """Notes a repair, up to a limit that no honest answer needs."""
        if len(self.mended) < MOST_MENDED:
            self.mended.append(what)


def attributes_of(text: str) -> dict[str, str]:
    """`a="x" b='y' c=z` with any quoting; names in lower case. Anything else is skipped."""
    found: dict[str, str] = {}
    at = 0
    while (name := _NAME.match(text, at)) is not None:
        at = name.end()
        if not name.group().rstrip().endswith("="):
            continue
        value, at = _value(text, at)
        found.setdefault(name[1].lower(), unescaped(value).strip())
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    quote = text[at : at + 1]
    if quote in QUOTES and quote:
        end = text.find(QUOTES[quote], at + 1)
        end = len(text) if end < 0 else end
        return text[at + 1 : end], end + 1
    bare = _BARE.match(text, at)
    return (bare.group(), bare.end()) if bare else ("", at + 1)


class _Tags:
    """The tags in the body of an action, in order, and what belongs together: found in one pass."""

    def __init__(self, body: str, names: Collection[str]) -> None:
        self.body = body
        found = list(_TAG.finditer(body))
        self.opening = [tag for tag in found if not tag["close"]]
        self._ends: dict[int, re.Match[str]] = {}
        self._closing = [tag for tag in found if tag["close"]]
        self._closing_at = [tag.start() for tag in self._closing]
        self._named = [tag for tag in self.opening if tag["name"].lower() in names]
        self._named_at = [tag.start() for tag in self._named]
        nested: dict[str, list[int]] = {}
        for tag in found:
            same = nested.setdefault(tag["name"].lower(), [])
            if not tag["close"] and not tag["empty"]:
                same.append(tag.start())
            elif tag["close"] and same:
                self._ends[same.pop()] = tag

    def end_of(self, opening: re.Match[str]) -> re.Match[str] | None:
        """The closing tag of an opening one, with tags of the same name between them in pairs."""
        return self._ends.get(opening.start())

    def named_after(self, at: int) -> re.Match[str] | None:
        """The next tag that opens a known parameter."""
        place = bisect_left(self._named_at, at)
        return self._named[place] if place < len(self._named) else None

    def closing_after(self, at: int) -> re.Match[str] | None:
        """The next tag that closes anything."""
        place = bisect_left(self._closing_at, at)
        return self._closing[place] if place < len(self._closing) else None


def params_of(body: str, known: Mapping[str, str]) -> ReadParams:
    """The parameters in the body of an action; `known` are their names, by their lower-case form."""
    read = ReadParams()
    tags = _Tags(body, {*known, *PARAM_TAGS})
    at = 0
    for opening in tags.opening:
        if opening.start() >= at:
            at = _take(tags, opening, known, read)
    if not read.params and not read.open_param:
        _without_tags(body, known, read)
    return read


def _take(tags: _Tags, opening: re.Match[str], known: Mapping[str, str], read: ReadParams) -> int:
    """Reads one parameter from its opening tag on; returns where to continue."""
    body, tag, attributes = tags.body, opening["name"], attributes_of(opening["attributes"])
    named = attributes.get("name", "") if tag.lower() in PARAM_TAGS else tag
    if not named or (tag.lower() in WRAPPERS and tag.lower() not in known):
        return opening.end()
    name = known.get(named.lower(), named)
    if opening["empty"]:
        _put(read, name, attributes.get("value", ""))
        return opening.end()
    end = tags.end_of(opening)
    if end is not None:
        _put(read, name, _text(body[opening.end() : end.start()]))
        return end.end()
    following, wrong = tags.named_after(opening.end()), tags.closing_after(opening.end())
    read.mend(f"<{tag}> ends with </{tag}>.")
    if wrong is not None and (following is None or wrong.start() < following.start()):
        _put(read, name, _text(body[opening.end() : wrong.start()]))
        return wrong.end()
    stop = following.start() if following else len(body)
    _put(read, name, _text(body[opening.end() : stop]))
    if following is None:
        read.open_param = name
    return stop


def _put(read: ReadParams, name: str, value: JsonValue) -> None:
    """Adds a value; a second one with the same name makes a list."""
    if name not in read.params:
        read.params[name] = value
        return
    before = read.params[name]
    if isinstance(before, list):
        before.append(value)
    else:
        read.params[name] = [before, value]


def _text(value: str) -> str:
    bare = value.strip()
    if bare.startswith(_CDATA[0]) and bare.endswith(_CDATA[1]):
        return bare.removeprefix(_CDATA[0]).removesuffix(_CDATA[1])
    return unescaped(value).strip()


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
