"""Quoted lines in prose, in the quotation marks that the text uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dramaturg.workshop.dialogue.dashes import dashed_spans, opens_with_dash

_PAIRS = (
    ("“", "”"),
    ("„", "“"),
    ("„", "”"),
    ("»", "«"),
    ("«", "»"),
    ("「", "」"),
    ("『", "』"),
    ('"', '"'),
    ("‘", "’"),
    ("'", "'"),
)
_LONG_DASH = re.compile(r"[ \t]*[—–―]")
FEWEST_HYPHENS = 4
"""So many paragraphs must begin with a hyphen to be speech; fewer are a list."""
SAMPLE = 400_000


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted line, from `start` to `end` of its paragraph, without its marks. `is_open` if it is not closed there,
    `is_dashed` if dashes mark it."""

    paragraph: int
    start: int
    end: int
    text: str
    is_open: bool = False
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class QuoteStyle:
    """The marks of speech in a text; with `dash`, a paragraph that begins with one is speech."""

    opening: str
    closing: str
    dash: bool = False


def style_of(paragraphs: Sequence[str]) -> QuoteStyle:
    """The marks that most of the speech of a text stands in."""
    text = "\n".join(paragraphs)[:SAMPLE]
    counts = {pair: _count(text, *pair) for pair in _PAIRS}
    best = max(_PAIRS, key=lambda pair: counts[pair])
    dashed = [one for one in paragraphs if opens_with_dash(one)]
    is_dash = len(dashed) > counts[best] or best == ("«", "»")
    enough = len(dashed) >= FEWEST_HYPHENS or any(_LONG_DASH.match(one) for one in dashed)
    return QuoteStyle(*best, dash=is_dash and enough)


def _count(text: str, opening: str, closing: str) -> float:
    if opening == closing == '"':
        return text.count('"') // 2
    if opening in "‘'":
        return len(re.findall(rf"(?:^|[\s(—]){re.escape(opening)}(?=\w)", text, re.MULTILINE)) * 0.9
    if (opening, closing) == ("„", "”") and text.count("”") < text.count("“"):
        return 0
    if opening + closing in ("»«", "«»"):
        inner = r"(?=\w)" if opening == "»" else ""
        first = len(re.findall(rf"(?:^|\s){re.escape(opening)}{inner}", text, re.MULTILINE))
        return min(first, text.count(closing))
    count = min(text.count(opening), text.count(closing))
    return count + 1 if count and opening + closing == "„“" else count


def quotations(paragraphs: Sequence[str], style: QuoteStyle) -> Iterator[Quotation]:
    """Every quoted line, in order."""
    for number, text in enumerate(paragraphs):
        if style.dash and (spans := dashed_spans(text)):
            yield from (Quotation(number, start, end, text[start:end], is_dashed=True) for start, end in spans)
        else:
            yield from _marked(number, text, style.opening, style.closing)


def _marked(number: int, text: str, opening: str, closing: str) -> Iterator[Quotation]:
    at = 0
    while (start := _next_opening(text, at, opening)) >= 0:
        end = _next_closing(text, start + 1, opening, closing)
        if opening == "“" and (low := text.find("„", at, start)) >= 0:  # a German line, which this mark closes
            start, end = low, start
        stop = len(text) if end < 0 else end
        if text[start + 1 : stop].strip():
            yield Quotation(number, start + 1, stop, text[start + 1 : stop], end < 0)
        at = stop + 1


def _next_opening(text: str, at: int, opening: str) -> int:
    while (found := text.find(opening, at)) >= 0:
        before = text[found - 1] if found else " "
        following = text[found + 1 : found + 2]
        if opening not in "‘'" or (not before.isalnum() and (following.isalnum() or following in '“"—')):
            return found
        at = found + 1
    return -1


def _next_closing(text: str, at: int, opening: str, closing: str) -> int:
    while (found := text.find(closing, at)) >= 0:
        if closing not in "’'" or _closes(text, found):
            return found
        at = found + 1
    return -1


def _closes(text: str, at: int) -> bool:
    """Whether a single mark ends a line and is no apostrophe."""
    after = text[at + 1 : at + 2]
    return not after.isalnum() and text[at - 1 : at] in (",", ".", "!", "?", "…", "—", "–", "-", ";", ":", "”", '"')
