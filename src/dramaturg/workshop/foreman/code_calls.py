"""Actions called in code, as some models are trained to: `save_decision(category="world", …)` in `tool_code`.

Nothing is evaluated but string literals, and a block that holds anything else than calls of actions is no call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from dramaturg.model_notes.loose_json import load_json
from dramaturg.workshop.foreman.answer import ActionRequest
from dramaturg.workshop.foreman.json_calls import FoundCalls, as_tags
from dramaturg.workshop.foreman.tags import plain_name

_FENCE = re.compile(r"```[ \t]*+(?:tool_code|tool_call|python|py)?[ \t]*+\n(.*?)(?:```|\Z)", re.S | re.I)
_BARE = re.compile(r"\A\s*+tool_code[ \t]*+\n", re.I)
_OPENING = re.compile(r"\s*+(?:print\s*+\(\s*+)?([A-Za-z_][\w.]*+)\s*+\(")
_GAP = re.compile(r"[\s;)]*+(#?)")
_NAME = re.compile(r"[\s,]*+([A-Za-z_]\w*+)\s*+[=:](?!=)\s*+")
_END = re.compile(r"[\s,]*+\)")
_STOPS = {quote: re.compile(rf"\\.|{quote}", re.S) for quote in ('"""', "'''")}
_STOPS |= {quote: re.compile(rf"\\.|\n|{quote}", re.S) for quote in ('"', "'")}
"""What may stop a string, by what opened it: an escape, its end, and of a short one the end of the line."""
_PLAIN = re.compile(r"[^,()\[\]{}\"'\n]++")
_CLOSED = {"[": "]", "{": "}"}
_WORDS: Mapping[str, str | bool | None] = {"True": True, "False": False, "None": None, "true": True, "false": False}


def code_calls(text: str, known: Mapping[str, str]) -> FoundCalls:
    """The calls of known actions (plain name to name) in fences of code, or in a text that is nothing else or is
    marked as `tool_code`."""
    if (marked := _BARE.match(text)) and (found := calls_of(text[marked.end() :], known)):
        return FoundCalls(found, "")
    if _OPENING.match(text) and (found := calls_of(text, known)):
        return FoundCalls(found, "")
    actions: list[ActionRequest] = []
    rest: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        if found := calls_of(fence[1], known):
            actions += found
            rest.append(text[at : fence.start()])
            at = fence.end()
    return FoundCalls(tuple(actions), "".join((*rest, text[at:])))


def calls_of(code: str, known: Mapping[str, str]) -> tuple[ActionRequest, ...]:
    """The calls in a text of nothing else; none if there is anything else in it."""
    found: list[ActionRequest] = []
    at = _skipped(code, 0)
    while at < len(code):
        opening = _OPENING.match(code, at)
        name = known.get(plain_name(opening[1].rpartition(".")[2])) if opening else None
        read = _arguments(code, opening.end()) if opening and name else None
        if name is None or read is None:
            return ()
        params, at = read
        found.append(ActionRequest.model_validate({"type": name, "params": params, "raw": as_tags(name, params)}))
        at = _skipped(code, at)
    return tuple(found)


def _skipped(code: str, at: int) -> int:
    """Behind blanks, comments, and what closes a call."""
    while (gap := _GAP.match(code, at)) is not None and gap[1]:
        line = code.find("\n", gap.end())
        at = line if line >= 0 else len(code)
    return gap.end() if gap is not None else at


def _arguments(code: str, at: int) -> tuple[dict[str, object], int] | None:
    """The arguments by their names, and where they end; None if they are no literals, or are not closed."""
    params: dict[str, object] = {}
    while (named := _NAME.match(code, at)) is not None:
        read = _value(code, named.end())
        if read is None:
            return None
        params[named[1]], at = read
    end = _END.match(code, at)
    return (params, end.end()) if end else None


def _value(code: str, at: int) -> tuple[object, int] | None:
    end = _end_of_string(code, at)
    if end is not None:
        try:
            return ast.literal_eval(code[at:end]), end
        except (SyntaxError, ValueError):
            return code[at:end].strip("\"'"), end
    if code[at : at + 1] in _CLOSED:
        end = _end_of(code, at)
        return (load_json(code[at:end].replace("'", '"')) or code[at:end], end) if end else None
    plain = _PLAIN.match(code, at)
    if plain is None or not plain[0].strip():
        return None
    word = plain[0].strip()
    return _WORDS.get(word, word), plain.end()


def _end_of(code: str, at: int) -> int | None:
    """Where a list or an object ends."""
    depth: list[str] = []
    while at < len(code):
        if code[at] in "\"'":
            end = _end_of_string(code, at)
            if end is None:
                return None
            at = end
            continue
        if code[at] in _CLOSED:
            depth.append(_CLOSED[code[at]])
        elif depth and code[at] == depth[-1]:
            depth.pop()
            if not depth:
                return at + 1
        at += 1
    return None


def _end_of_string(code: str, at: int) -> int | None:
    """Where the string literal ends that begins here; None if none does, or it is not closed."""
    quote = next((one for one in _STOPS if code.startswith(one, at)), None)
    if quote is None:
        return None
    at += len(quote)
    while (stop := _STOPS[quote].search(code, at)) is not None:
        if stop[0] == quote:
            return stop.end()
        if stop[0] == "\n":
            return None
        at = stop.end()
    return None
