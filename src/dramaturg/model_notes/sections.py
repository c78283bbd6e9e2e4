"""The sections of an answer, by the rows that label them: `**Thinking:**` and below it `## Response`."""

from __future__ import annotations

import re
from collections.abc import Collection

from dramaturg.model_notes.labels import is_answer_label, is_thought_label

_ROW = re.compile(
    r"[ \t]{0,3}(?P<heading>#{1,6}[ \t]{1,3})?(?P<bold>\*\*|__)?(?P<label>[^\W\d_]{2,16}(?: [^\W\d_]{2,12})?)"
    r"(?:\*\*|__)?(?P<colon>[ \t]?[:：])?(?:\*\*|__)?(?P<rest>[^\n]*)"
)


def label_of(row: str, among: Collection[str] = frozenset()) -> tuple[str, str] | None:
    """The label with which a row begins, in lower case, and the rest of the row."""
    found = _ROW.fullmatch(row)
    if found is None:
        return None
    alone = not found["rest"].strip() and (found["heading"] or found["bold"])
    label = found["label"].casefold()
    if not (found["colon"] or alone) or (among and label not in among):
        return None
    return label, found["rest"]


def below_thoughts(text: str) -> str:
    """What stands in the section of the answer, where a text begins with one of thoughts; else all of the text."""
    rows = text.split("\n")
    at = next((place for place, row in enumerate(rows) if row.strip()), len(rows))
    first = label_of(rows[at]) if at < len(rows) else None
    if first is None or not is_thought_label(first[0]):
        return text
    for place in range(at + 1, len(rows)):
        found = label_of(rows[place])
        if found is not None and is_answer_label(found[0]):
            return "\n".join((found[1].lstrip(), *rows[place + 1 :]))
    return text
