"""The parameters of an action, in every form models write them: tags, `<param name=…>`, attributes, JSON, lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from dramaturg.kernel.text.escape import unescaped
from dramaturg.model_notes.structured import json_values
from dramaturg.workshop.foreman.tags import Tag, attributes_of, plain_name, tags_of

MOST_MENDED = 50
_PAIR = re.compile(
    r"(?:^|[\n,;|(])[ \t]*+[-*\"']{0,3}+[ \t]{0,3}+([A-Za-z_][\w-]{0,40}+)[*\"']{0,3}+[ \t]*+[:=](?![:=])"
)
_CDATA = ("<![CDATA[", "]]>")
_AROUND = " \t\n,;|"
PARAM_TAGS = ("param", "parameter", "arg", "argument")
WRAPPERS = ("params", "parameters", "arguments", "args", "input")


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


class _Tags:
    """The tags in the body of an action, in order, and what belongs together: found in one pass."""

    def __init__(self, body: str, names: Collection[str]) -> None:
        self.body = body
        found = [tag for tag in tags_of(body) if body[tag.start] == "<" and body[tag.start + 1] != "|"]
        self.opening = [tag for tag in found if not tag.close]
        self._ends: dict[int, Tag] = {}
        self._closing = [tag for tag in found if tag.close]
        self._closing_at = [tag.start for tag in self._closing]
        self._named = [tag for tag in self.opening if plain_name(tag.name) in names]
        self._named_at = [tag.start for tag in self._named]
        nested: dict[str, list[int]] = {}
        for tag in found:
            same = nested.setdefault(tag.name, [])
            if tag.opens:
                same.append(tag.start)
            elif tag.close and same:
                self._ends[same.pop()] = tag

    def end_of(self, opening: Tag) -> Tag | None:
        """The closing tag of an opening one, with tags of the same name between them in pairs."""
        return self._ends.get(opening.start)

    def named_after(self, at: int) -> Tag | None:
        """The next tag that opens a known parameter."""
        place = bisect_left(self._named_at, at)
        return self._named[place] if place < len(self._named) else None

    def closing_after(self, at: int) -> Tag | None:
        """The next tag that closes anything."""
        place = bisect_left(self._closing_at, at)
        return self._closing[place] if place < len(self._closing) else None


def params_of(body: str, known: Mapping[str, str]) -> ReadParams:
    """The parameters in the body of an action; `known` are their names, by their plain form."""
    read = ReadParams()
    tags = _Tags(body, {*known, *PARAM_TAGS})
    at = 0
    for opening in tags.opening:
        if opening.start >= at:
            at = _take(tags, opening, known, read)
    if not read.params and not read.open_param:
        _without_tags(body, known, read)
    return read


def _take(tags: _Tags, opening: Tag, known: Mapping[str, str], read: ReadParams) -> int:
    """Reads one parameter from its opening tag on; returns where to continue."""
    body, tag, attributes = tags.body, opening.name, attributes_of(opening.attributes)
    named = attributes.get("name", "") if tag in PARAM_TAGS else tag
    if not named or (tag in WRAPPERS and tag not in known):
        return opening.end
    name = known.get(plain_name(named), named)
    if opening.empty:
        _put(read, name, attributes.get("value", ""))
        return opening.end
    end = tags.end_of(opening)
    if end is not None:
        _put(read, name, _text(body[opening.end : end.start]))
        return end.end
    following, wrong = tags.named_after(opening.end), tags.closing_after(opening.end)
    read.mend(f"<{tag}> ends with </{tag}>.")
    if wrong is not None and (following is None or wrong.start < following.start):
        _put(read, name, _text(body[opening.end : wrong.start]))
        return wrong.end
    stop = following.start if following else len(body)
    _put(read, name, _text(body[opening.end : stop]))
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
            inner = next((value[key] for key in ("parameters", "params", "arguments") if key in value), value)
            given = inner if isinstance(inner, dict) else value
            read.params.update({known.get(plain_name(str(key)), str(key)): held for key, held in given.items()})
            read.mended.append("Parameters are tags, not JSON.")
            return
    _by_name(body, known, read)
    if read.params:
        read.mended.append("Parameters are tags, not lines.")


def _by_name(body: str, known: Mapping[str, str], read: ReadParams) -> None:
    """`category: world, key: tide, value: twice a day`, on one line or several; a value ends at the next name."""
    pairs = [pair for pair in _PAIR.finditer(body) if plain_name(pair[1]) in known]
    for place, pair in enumerate(pairs):
        end = pairs[place + 1].start() if place + 1 < len(pairs) else len(body)
        value = body[pair.end() : end].strip(_AROUND)
        name = known[plain_name(pair[1])]
        if name not in read.params:
            read.params[name] = _unquoted(value)


def _unquoted(value: str) -> str:
    bare = value.removesuffix(")").rstrip() if value.count(")") > value.count("(") else value
    for quote in ('"', "'", "“"):
        if len(bare) > 1 and bare.startswith(quote) and bare.endswith("”" if quote == "“" else quote):
            return bare[1:-1].strip()
    return bare.strip("*").strip().strip('"')
