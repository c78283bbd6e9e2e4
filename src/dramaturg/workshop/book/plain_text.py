"""A text with plain line breaks and plain marks, with the way back to every place of the text as it stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

_MARKS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ′", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)
_CHANGES = re.compile(r"\s+|-{2,}|[‘’‚‛ʼ′“”„‟″«»‐‑‒–—―−…]+")


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text with every line break as a newline. `breaks` are the places in it that are two characters in the file."""

    plain: str
    breaks: Sequence[int]

    def exact(self, at: int) -> int:
        """The place in the text as it stands."""
        return at + bisect_left(self.breaks, at)


def plain_text(text: str) -> PlainText:
    if "\r" not in text:
        return PlainText(text, ())
    breaks: list[int] = []
    at = text.find("\r\n")
    while at >= 0:
        breaks.append(at - len(breaks))
        at = text.find("\r\n", at + 2)
    return PlainText(text.replace("\r\n", "\n").replace("\r", "\n"), breaks)


def line_break_of(text: str) -> str:
    """The line break that a text uses most; a newline if it has none."""
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda one: counts[one])


def typographic_spans(text: str, quote: str, *, most: int) -> list[tuple[int, int]]:
    """Where a quotation stands in a text, up to a limit: exactly, or with other quotation marks, dashes and spaces."""
    exact = _found(text, quote, most)
    if exact or not quote.strip():
        return [(at, at + len(quote)) for at in exact] if quote.strip() else []
    flat, starts = _flattened(text)
    wanted, _ = _flattened(quote.strip())
    ends = [*starts[1:], len(text)]
    return [(starts[at], ends[at + len(wanted) - 1]) for at in _found(flat, wanted, most)]


def flattened(text: str) -> str:
    """A text with one kind of quotation marks and dashes and with single spaces, to be compared."""
    return _flattened(text)[0]


def _found(text: str, wanted: str, most: int) -> list[int]:
    found: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < most:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _flattened(text: str) -> tuple[str, list[int]]:
    """A text with one kind of quotation marks and dashes and with single spaces, and where each character came from."""
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for change in _CHANGES.finditer(text):
        parts.append(text[at : change.start()])
        starts.extend(range(at, change.start()))
        at = change.end()
        if change[0].isspace() or change[0].startswith("--"):
            parts.append(" " if change[0].isspace() else "-")
            starts.append(change.start())
            continue
        for place, mark in enumerate(change[0], start=change.start()):
            plain = mark.translate(_MARKS)
            parts.append(plain)
            starts.extend([place] * len(plain))
    parts.append(text[at:])
    starts.extend(range(at, len(text)))
    return "".join(parts), starts
