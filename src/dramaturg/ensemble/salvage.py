"""What can be saved of answers that are not in their form, once asking again has not helped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.model_notes.blocks import is_unspoken
from dramaturg.model_notes.loose_json import load_json
from dramaturg.model_notes.refusal import declines_to_play
from dramaturg.model_notes.spoken_part import spoken_part

T = TypeVar("T", bound=BaseModel)
FEWEST_WORDS = 2
_NO_PROSE = re.compile(
    r"""[{}\[\]`]|^[ \t]*[#*-]\s|^[ \t]*["'][A-Za-z_]{1,20}["'][ \t]{0,9}:[ \t]{0,9}["'\d]|</?\w+""", re.M
)
_OBJECT = re.compile(r"""\s*+(?:```\w*+\s*+)?(?:\{(?=\s*+["'])|(?=["'][A-Za-z_]{1,20}["']\s{0,9}:\s{0,9}["'\d]))""")
"""Where an object begins. Its brace may be missing before the first key."""
_KEY = re.compile(r"""["']([A-Za-z_]{1,20})["']\s{0,9}:\s{0,9}""")
_ENDS = r"""\s{0,9}(?:,\s{0,9}["'][A-Za-z_]{1,20}["']\s{0,9}:|,?\s{0,9}(?:[}\]]|\Z))"""
"""What follows a text: the next key, the end of the object, or nothing. Any other quotation mark is in the text."""
_VALUE = re.compile(
    rf"""(?P<number>[0-9]{{1,3}})\b|(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote){_ENDS})[^\\])*+)(?P<end>(?P=quote))?""",
    re.S,
)
_UNESCAPED = re.compile(r"""(?<!\\)\"""")
_WHOLE_SENTENCES = re.compile(r".*[.!?…。！？]", re.S)


def fields_in(said: Sequence[str], form: type[T]) -> T | None:
    """The first answer whose JSON is broken, and still has what the form needs: cut off, or with a comma too many."""
    for text in map(without_reasoning, said):
        if (start := _OBJECT.match(text)) is None:
            continue
        fields = dict(_fields(text, start.end()))
        if is_unspoken(fields):
            continue
        try:
            return form.model_validate(fields)
        except ValidationError:
            continue
    return None


def prose_in(said: Sequence[str]) -> str | None:
    """The first answer that is plain speech and nothing else; None if there is none."""
    for text in map(spoken_part, said):
        prose = " ".join(text.split()).strip(" \"“”'")
        is_speech = len(prose.split()) >= FEWEST_WORDS and not _NO_PROSE.search(text)
        if is_speech and not declines_to_play(prose, tagged=False):
            return prose
    return None


def refusal_in(said: Sequence[str]) -> bool:
    """Whether one of the answers is the model's own refusal, in plain words."""
    return any(declines_to_play(spoken_part(text), tagged=False) for text in said)


def _fields(text: str, start: int) -> Iterator[tuple[str, object]]:
    """The keys of an object with numbers and texts, or None. Of a text that is cut off, only whole sentences count."""
    while key := _KEY.search(text, start):
        found = _VALUE.match(text, key.end())
        start = found.end() if found else key.end()
        if found and found["number"]:
            yield key[1], int(found["number"])
        elif found and (value := _text(found)):
            yield key[1], value
        elif not found:
            yield key[1], None


def _text(found: re.Match[str]) -> str:
    whole = found["text"] if found["end"] else _sentences(found["text"])
    quoted = _UNESCAPED.sub(r"\"", whole if found["quote"] == '"' else whole.replace("\\'", "'"))
    value = load_json(f'"{quoted}"')
    return value if isinstance(value, str) else ""


def _sentences(cut: str) -> str:
    found = _WHOLE_SENTENCES.match(cut)
    return found[0] if found else ""
