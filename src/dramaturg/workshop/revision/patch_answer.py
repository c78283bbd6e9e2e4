"""Reads changes from whatever a model wrote: `<patch>` elements, or the same as JSON. One scan; it never raises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.text.escape import unescaped
from dramaturg.model_notes.structured import json_values

MOST_CHANGES = 40
LONGEST_WORDS = 8000
LONGEST_NOTE = 400
_TAG = re.compile(r"<\s{0,3}(?P<close>/?)\s{0,3}(?P<name>patch|old|new|reason|issue)\b[^<>]{0,200}>", re.I)
_FIELDS = frozenset({"old", "new", "reason", "issue"})


@dataclass(frozen=True, slots=True)
class AskedChange:
    """A change as a model asks for it: the words it quotes, and the words instead."""

    old: str
    new: str
    reason: str = ""
    issue: str = ""


@dataclass(frozen=True, slots=True)
class PatchAnswer:
    """The changes of an answer, in order, and how many of its elements could not be used."""

    changes: tuple[AskedChange, ...] = ()
    broken: int = 0


def read_patches(text: str) -> PatchAnswer:
    """The changes in an answer. What is inside reasoning is not one, nor what broke off."""
    found = list(_elements(without_reasoning(text.replace("\r\n", "\n").replace("\0", ""))))
    if not found:
        found = list(_in_json(text))
    changes: dict[tuple[str, str], AskedChange] = {}
    broken = 0
    for fields in found:
        change = _change(fields)
        if change is None:
            broken += 1
        else:
            changes.setdefault((change.old, change.new), change)
    return PatchAnswer(tuple(changes.values())[:MOST_CHANGES], broken)


def _elements(text: str) -> Iterator[dict[str, str]]:
    fields: dict[str, str] | None = None
    name, start = "", 0
    for tag in _TAG.finditer(text):
        found, closes = tag["name"].lower(), bool(tag["close"])
        if name and fields is not None and (closes or found == "patch"):
            fields.setdefault(name, text[start : tag.start()])
            name = ""
        if found == "patch":
            if fields:
                yield fields
            fields = None if closes else {}
        elif found in _FIELDS and not closes and not name:
            fields = {} if fields is None else fields
            name, start = found, tag.end()
    if fields:
        yield fields


def _in_json(text: str) -> Iterator[dict[str, str]]:
    for value in json_values(text):
        held = value.get("patches", value.get("changes", [value])) if isinstance(value, dict) else value
        rows = held if isinstance(held, list) else []
        for row in rows:
            if isinstance(row, dict) and ("old" in row or "new" in row):
                yield {key: row[key] for key in _FIELDS if isinstance(row.get(key), str)}


def _change(fields: dict[str, str]) -> AskedChange | None:
    """A change with both sides; None if one is missing, nothing is quoted, or nothing would change."""
    if "old" not in fields or "new" not in fields:
        return None
    old, new = fields["old"].strip("\n"), fields["new"].strip("\n")
    if not old.strip() or old == new or max(len(old), len(new)) > LONGEST_WORDS:
        return None
    notes = (" ".join(unescaped(fields.get(name, "")).split())[:LONGEST_NOTE] for name in ("reason", "issue"))
    return AskedChange(old, new, *notes)
