"""Whether a quotation is really in a text: the words are compared, not the characters.

Case, width, punctuation, dashes, quotation marks and whitespace make no difference; words, digits and their order do.
A quotation matches whole words inside one text, never the end of one text and the beginning of the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dramaturg.kernel.text.words import words

_ELLIPSIS = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|…|\.{3,}")


def is_quoted(quote: str, text: str, *, fewest: int = 1, elided: bool = False) -> bool:
    """Whether the words of a quotation stand in a text, one after the other.

    A quotation of fewer than `fewest` words, or of a single letter, proves nothing unless it is the whole text. With
    `elided`, an ellipsis stands for words left out: its parts must follow one another in the text.
    """
    said, wanted = words(text), words(quote)
    if not wanted:
        return False
    if wanted == said:
        return True
    if len(wanted) < fewest or len("".join(wanted)) == 1:
        return False
    return _stands_in(said, _parts(quote) if elided else (wanted,))


def find_quote(quote: str, texts: Iterable[str], *, fewest: int = 1, elided: bool = False) -> tuple[int, ...]:
    """The indexes of the texts that a quotation stands in, under the rules of `is_quoted`."""
    return tuple(index for index, text in enumerate(texts) if is_quoted(quote, text, fewest=fewest, elided=elided))


def _parts(quote: str) -> tuple[tuple[str, ...], ...]:
    return tuple(part for piece in _ELLIPSIS.split(quote) if (part := words(piece)))


def _stands_in(said: Sequence[str], parts: Iterable[tuple[str, ...]]) -> bool:
    """Whether each part is a run of these words, in order and without overlap."""
    text, start = f" {' '.join(said)} ", 0
    for part in parts:
        wanted = f" {' '.join(part)} "
        found = text.find(wanted, start)
        if found < 0:
            return False
        start = found + len(wanted) - 1
    return True
