"""Signs in a text, looked for by their plain words first: most lines have none, and plain words are found quickly."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern, and words of which at least one, in lower case, is in everything that it matches.

    `shortest` is the length of the shortest of them.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    shortest: int

    def is_in(self, text: str, folded: str) -> bool:
        """`folded` is the text in lower case, made once for many signs."""
        if len(folded) < self.shortest:
            return False
        return any(word in folded for word in self.words) and self.pattern.search(text) is not None


def sign(pattern: str, *words: str) -> Sign:
    return Sign(words, re.compile(pattern, re.IGNORECASE), min(map(len, words)))
