"""The tags in what a model wrote: found once, left to right, in time proportional to the text.

A `>` between the quotes of an attribute does not end a tag. The marks with which models fence off their reasoning
(`[THINK]`, `<|channel|>analysis`, `◁think▷`) are tags as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dramaturg.kernel.reasoning import BARRED, BRACKETED, REASONING_TAGS, ends_reasoning, is_reasoning_name
from dramaturg.kernel.text.escape import unescaped
from dramaturg.model_notes.thought_tags import is_thought_tag

CHANNEL, BRACKET, TRIANGLE, EDGE = "|channel|", "|bracket|", "|triangle|", "|edge|"
"""The names of the marks of reasoning. A channel's opens it, and closes it where the channel is the final one."""
CHANNEL_END = "<channel|>"
THINKING = REASONING_TAGS | {CHANNEL, BRACKET, TRIANGLE, EDGE}
TEMPLATE = "|template|"
"""The name of a mark of a chat template, which means nothing here."""
MESSAGE = frozenset({"message"})
UPDATE = frozenset({"content_update", "contentupdate", "content-update"})
ACTION = frozenset({"action"})
CALL = frozenset(
    {"invoke", "function", "tool_call", "function_call", "toolcall", "functioncall", "tool_use", "tool_code"}
)
"""The tags in which models were trained to call tools."""

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
MOST_QUOTES = 2000
"""How many quotation marks are tried as the ends of values in one tag before the first one is taken."""
EFFORT = 4
"""How many times the length of a text may be spent on looking for the ends of its quotations."""
_WITHOUT_TAGS = frozenset({"type", "name", "target", "file", "path", "action", "id"})
"""Attributes whose value never has a `<`: where one seems to, its quote was not closed."""
_HEAD = re.compile(r"<\s*+(/?)\s*+([^\W\d][\w.-]*+(?::\w[\w.-]*+)?)")
_MARK = re.compile(
    rf"\[(?P<end>/?)(?:{'|'.join(BRACKETED)})\]"
    r"|◁(?P<stop>/?)think▷"
    r"|<\|channel\|?>\s{0,3}+(?P<channel>\w{0,20})(?:[^<>|]{0,80}+(?:<\|constrain\|>[^<>|]{0,40}+)?<\|message\|>)?"
    r"|<\|(?P<template>start|im_start)\|>"
    rf"|<[|｜]{BARRED}[|｜]>"
    r"|(?P<over><channel\|>)"
    r"|(?P<lost>assistantfinal)",
    re.I,
)
_BARS = ("|", "｜")
_UNUSED = {"unused94": False, "unused95": True}
"""Tokens without a name, between which some models reason, and whether each closes it."""
_PLAIN = re.compile(r"[^<>=]*+")
_QUOTE = re.compile("=\\s*+([\"'“‘`])")
_AFTER = re.compile(r"\s*+(?:/?\s*+>|/?\Z|[A-Za-z_][\w.-]*+\s*+=)")
_PROTOCOL = re.compile(r"<\s*+/?\s*+(?:message|action|content_update|think|invoke|tool_call)", re.I)
_BEFORE = re.compile(r"([A-Za-z_][\w.-]{0,60}+)\s{0,9}+\Z")
_START = re.compile(r"[<\[◁]|assistantfinal", re.I)
_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(?:=\s*)?")
_BARE = re.compile(r"[^\s\"'=<>`/]+(?:/[^\s\"'=<>`/]+)*")
_CUT = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w-]{1,40}+)(?P<more>\s[^<>]*+)?", re.I)
LONGEST_CUT = 400
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag or mark. `name` is in lower case, without a namespace; `attributes` are as written."""

    start: int
    end: int
    name: str
    close: bool = False
    empty: bool = False
    attributes: str = ""

    @property
    def opens(self) -> bool:
        return not self.close and not self.empty


def plain_name(name: str) -> str:
    """A name of an action or parameter, to be compared: 'Save Decision', 'save-decision' and 'saveDecision' are one."""
    return _NO_LETTER.sub("", name).lower()


def without_cut_tag(text: str, known: Collection[str]) -> str:
    """A text without the tag of the protocol amid which it broke off: `</mess`, `<action type="save_dec`."""
    start = text.rfind("<", max(0, len(text) - LONGEST_CUT))
    cut = _CUT.fullmatch(text, start) if start >= 0 else None
    if cut is None:
        return text
    name = cut["name"].lower()
    whole = MESSAGE | UPDATE | ACTION | CALL | {"thinking", "think"}
    is_cut = any(one.startswith(name) for one in whole) if not cut["more"] else name in whole or name in known
    return text[:start].rstrip() if is_cut else text


def tags_of(text: str) -> Iterator[Tag]:
    """Every tag of a text, in order. What only looks like one is skipped."""
    reader, at = _TagReader(text), 0
    while (start := _START.search(text, at)) is not None:
        tag = reader.tag_at(start.start())
        at = tag.end if tag else start.start() + 1
        if tag:
            yield tag


class _TagReader:
    """Reads single tags of one text, within a limit for the ends of quotations that are tried."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = EFFORT * len(text) + 1000

    def tag_at(self, start: int) -> Tag | None:
        text = self._text
        if text[start] != "<" or text[start + 1 : start + 2] in _BARS or text.startswith(CHANNEL_END, start):
            mark = _MARK.match(text, start)
            return mark_tag(mark) if mark else None
        head = _HEAD.match(text, start)
        end = self._end(head.end()) if head else None
        if head is None or end is None:
            return None
        attributes = text[head.end() : end].rstrip()
        empty = attributes.endswith("/")
        name = head[2].rpartition(":")[2]
        if name.lower() in _UNUSED:
            return Tag(start, end + 1, EDGE, close=_UNUSED[name.lower()])
        edge = ends_reasoning(name) if is_reasoning_name(name) else None
        if edge is not None:
            return Tag(start, end + 1, EDGE, close=edge or bool(head[1]))
        return Tag(start, end + 1, thinking_name(name), bool(head[1]), empty, attributes[:-1] if empty else attributes)

    def _end(self, at: int) -> int | None:
        """Where the `>` of a tag is, from the end of its name on; None if there is none."""
        text = self._text
        while True:
            plain = _PLAIN.match(text, at)
            stop = plain.end() if plain else at
            if text[stop : stop + 1] != "=":
                return stop if text[stop : stop + 1] == ">" else None
            quote = _QUOTE.match(text, stop)
            if quote is None:
                at = stop + 1
                continue
            named = _BEFORE.search(text[max(at, stop - 70) : stop])
            markup = named is None or named[1].lower() not in _WITHOUT_TAGS
            closing = self._closing(quote.end(), QUOTES[quote[1]], markup=markup)
            at = quote.end() if closing is None else closing + 1

    def _closing(self, at: int, quote: str, *, markup: bool) -> int | None:
        """The quotation mark that ends a value: the first that a tag's end or another attribute follows."""
        text, place = self._text, at
        while self._left > 0 and (found := text.find(quote, place)) >= 0:
            self._left -= 8 + found - place
            if _PROTOCOL.search(text, place, found) if markup else text.find("<", place, found) >= 0:
                return None
            if text[found - 1] != "\\" and _AFTER.match(text, found + 1):
                return found
            place = found + 1
        return None


def mark_tag(mark: re.Match[str]) -> Tag:
    """A mark of reasoning or of a chat template as a tag."""
    start, end = mark.span()
    channel = mark["channel"]
    if channel is not None or mark["lost"] or mark["over"]:
        return Tag(start, end, CHANNEL, close=channel is None or channel.lower() in ("final", "response"))
    if mark["barred"] is not None:
        known = is_reasoning_name(mark["barred"])
        stops = known and bool(mark["slash"] or ends_reasoning(mark["barred"]))
        return Tag(start, end, EDGE if known else TEMPLATE, close=stops)
    if mark["end"] is not None:
        return Tag(start, end, BRACKET, close=bool(mark["end"]))
    return Tag(start, end, TEMPLATE) if mark["stop"] is None else Tag(start, end, TRIANGLE, close=bool(mark["stop"]))


def thinking_name(name: str) -> str:
    """The name of a tag in lower case; that of reasoning if it holds some: `antThinking`, `thinkng`."""
    whole = name.lower()
    return "thinking" if whole not in THINKING and (is_reasoning_name(name) or is_thought_tag(name)) else whole


def same_reasoning(name: str) -> frozenset[str]:
    """The names that close what this one opens: any of reasoning for reasoning, else its own."""
    return THINKING if name in THINKING else frozenset({name})


def attributes_of(text: str) -> dict[str, str]:
    """`a="x" b='y' c=z` with any quoting; names in lower case. Anything else is skipped. `=x` alone is the name."""
    found: dict[str, str] = {}
    bare = text.lstrip()
    at = 0
    if bare.startswith("="):
        value, at = _value(bare, 1 + len(bare[1:]) - len(bare[1:].lstrip()), [MOST_QUOTES])
        found["name"], text = value.strip(), bare
    left = [MOST_QUOTES]
    while (name := _NAME.match(text, at)) is not None:
        at = name.end()
        if not name.group().rstrip().endswith("="):
            continue
        value, at = _value(text, at, left)
        found.setdefault(name[1].lower(), unescaped(value).strip())
    return found


def _value(text: str, at: int, left: list[int]) -> tuple[str, int]:
    quote = text[at : at + 1]
    if quote in QUOTES and quote:
        end = _value_end(text, at + 1, QUOTES[quote], left)
        return text[at + 1 : end].replace(f"\\{quote}", quote), end + 1
    bare = _BARE.match(text, at)
    return (bare.group(), bare.end()) if bare else ("", at + 1)


def _value_end(text: str, at: int, quote: str, left: list[int]) -> int:
    """The quotation mark before another attribute or the end; else the first one; else the end of the text."""
    place = at
    while left[0] > 0 and (found := text.find(quote, place)) >= 0:
        left[0] -= 1
        if text[found - 1] != "\\" and _AFTER.match(text, found + 1):
            return found
        place = found + 1
    first = text.find(quote, at)
    return len(text) if first < 0 else first
