"""Entries of a list in a YAML file, set in and taken out by lines, so that all others stay as they are typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import orjson
import yaml

INDENT = "  "


def item_lines(fields: Mapping[str, object], indent: str = INDENT) -> list[str]:
    """An entry in lines. Scalars are written as JSON, which is YAML whatever they contain."""
    rows = [f"{key}: {orjson.dumps(value).decode()}" for key, value in fields.items()]
    return [f"{indent}- {rows[0]}", *(f"{indent}  {row}" for row in rows[1:])]


def with_items(text: str, name: str, kept: Sequence[bool], added: Sequence[Mapping[str, object]]) -> str:
    """The text with the list of this name changed: entries that are not kept are out, others are behind the last."""
    if all(kept) and not added:
        return text
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    key, spans = _found(text, name)
    if key is None:
        lines += [f"{name}:"]
        key = len(lines) - 1
    dashes = lines[spans[0][0]].partition("-")[0] if spans else INDENT
    end = spans[-1][1] if spans else key
    lines[end + 1 : end + 1] = [line for fields in added for line in item_lines(fields, dashes)]
    for (first, last), stays in reversed(list(zip(spans, kept, strict=True))):
        if not stays:
            del lines[first : last + 1]
    held = "" if added or any(kept) else " []"
    lines[key] = re.sub(r":(?:[ \t]*+\[[ \t]*+\])?", f":{held}", lines[key], count=1)
    return "\n".join(lines) + "\n"


def _found(text: str, name: str) -> tuple[int | None, list[tuple[int, int]]]:
    """The line of a list's name, and the first and the last line of each entry."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    for key, value in pairs:
        if key.value == name:
            items = value.value if isinstance(value, yaml.SequenceNode) else []
            return key.start_mark.line, [(one.start_mark.line, _last_line(one)) for one in items]
    return None, []


def _last_line(node: yaml.Node) -> int:
    """The line on which a node ends; a block ends with what it contains, not with the comments behind it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return max(_last_line(value) for _, value in node.value)
    return int(node.end_mark.line)
