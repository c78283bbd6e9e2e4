"""Actions called in a Markdown list: `- action: save_decision`, with the parameters in the lines below it."""

from __future__ import annotations

import re

from dramaturg.workshop.foreman.answer import ActionRequest
from dramaturg.workshop.foreman.answer_parts import KnownActions
from dramaturg.workshop.foreman.json_calls import FoundCalls, as_tags
from dramaturg.workshop.foreman.parameters import params_of
from dramaturg.workshop.foreman.tags import plain_name

_ITEM = re.compile(
    r"(?P<indent>[ \t]{0,8}+)(?:(?:[-*+•]|\d{1,3}[.)])[ \t]++|(?=[*_]{0,2}action[*_]{0,2}[ \t]?:))"
    r"[*_`\"']{0,3}(?:action|type|tool|call|name)[*_`\"']{0,3}[ \t]*+[:=][*_]{0,2}[ \t]*+"
    r"[*_`\"']{0,3}(?P<name>[A-Za-z][A-Za-z0-9_-]{2,40})[*_`\"']{0,3}(?P<rest>[ \t]*+[(,;|:][^\n]*+)?[ \t]*+\Z",
    re.I,
)
_INPUT = re.compile(r"[ \t]{0,8}+[*_]{0,2}action[ _]input[*_]{0,2}[ \t]?:[*_]{0,2}[ \t]*+(?P<given>[^\n]*+)", re.I)
"""What stands below `Action: …`, as models write that were trained to think, act and observe."""
_STEP = re.compile(r"[ \t]{0,8}+[*_]{0,2}(?:thought|observation|final answer|action)[*_]{0,2}[ \t]?:", re.I)
_HEADING = re.compile(r"[ \t#>*_]{0,6}+actions?[*_]{0,2}[ \t]*+:?[*_]{0,2}[ \t]*+\Z", re.I)
_LINE = re.compile(r"(?P<indent>[ \t]*+)(?P<text>[^\n]*+)")
_WRAPPER = re.compile(
    r"(?:[-*+][ \t]++)?[*_\"']{0,3}(?:params|parameters|arguments|args|input)[*_\"']{0,3}[ \t]*+:[*_]{0,2}[ \t]*+\Z"
)
_BULLET = re.compile(r"[-*+•][ \t]++")
_BOLD = re.compile(
    r"\A[*_\"'`]{1,3}([A-Za-z_][\w -]{0,40}?)[*_\"'`]{1,3}(?=[ \t]*+:)|\A[*_]{1,3}([A-Za-z_][\w -]{0,40}?:)[*_]{1,3}"
)


def list_calls(text: str, known: KnownActions) -> FoundCalls:
    """The items of lists that call known actions, and the text without them."""
    if "\n" not in text and not _ITEM.match(text):
        return FoundCalls((), text)
    actions: list[ActionRequest] = []
    rest: list[str] = []
    lines, at = text.split("\n"), 0
    while at < len(lines):
        item = _ITEM.match(lines[at])
        name = known.names.get(plain_name(item["name"])) if item else None
        if item is None or name is None:
            rest.append(lines[at])
            at += 1
            continue
        end = _end_of(lines, at + 1, len(item["indent"]))
        given = _INPUT.match(lines[end]) if end == at + 1 and end < len(lines) else None
        if given is None:
            body = "\n".join([(item["rest"] or "").strip(" \t(,;|:)"), *map(_plain, lines[at + 1 : end])])
        else:
            end = _end_of_input(lines, at + 2)
            body = "\n".join([given["given"], *lines[at + 2 : end]])
        params = params_of(body.strip("\n"), known.parameters(name)).params
        actions.append(ActionRequest.model_validate({"type": name, "params": params, "raw": as_tags(name, params)}))
        if rest and _HEADING.match(rest[-1]):
            rest.pop()
        at = end
    return FoundCalls(tuple(actions), "\n".join(rest)) if actions else FoundCalls((), text)


def _end_of(lines: list[str], at: int, indent: int) -> int:
    """The first line after an item that is no part of it: what is not indented below it, or follows a blank line."""
    while at < len(lines):
        line = _LINE.match(lines[at])
        if line is None or not line["text"].strip() or len(line["indent"]) <= indent or _ITEM.match(lines[at]):
            return at
        at += 1
    return at


def _end_of_input(lines: list[str], at: int) -> int:
    """The first line after the input of an action that is no part of it: a blank one, or one with a label."""
    while at < len(lines) and lines[at].strip() and not _STEP.match(lines[at]):
        at += 1
    return at


def _plain(line: str) -> str:
    """A line of parameters without its bullet, and its name without emphasis."""
    text = _BULLET.sub("", line.strip(), count=1)
    if _WRAPPER.match(text):
        return ""
    return _BOLD.sub(lambda found: found[1] or found[2], text, count=1)
