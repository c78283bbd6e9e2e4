"""The budget of a lore scan, and how an entry that is too long for it is cut.

A book never falls silent because of one long entry: constants that exceed the budget together are cut, the largest
first, and the first entry of a book that does not fit is cut to what is left. Every cut is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dramaturg.kernel.text.sentences import sentence_ends

LEAST_PIECE = 8
"""Tokens below which it is not worth cutting an entry."""
OF_LONG = 0.75
"""The share of a budget that too long entries may take, so that others can still be told."""
MOST_LETTERS = 12
"""Characters of a token, at most, in ordinary text."""
ELLIPSIS = "…"


@dataclass(slots=True)
class LoreBudget:
    """The tokens left, over all books and in each book that sets a limit of its own (`limits`, by title)."""

    left: int
    limits: Mapping[str, int] = field(default_factory=dict)
    is_spent: bool = False
    books: dict[str, int] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)

    def room(self, title: str) -> int:
        """How many tokens an entry of this book may take."""
        if self.is_spent or title in self.closed:
            return 0
        own = self.limits.get(title)
        return self.left if own is None else min(self.left, own - self.books.get(title, 0))

    def spend(self, title: str, tokens: int) -> None:
        self.left -= tokens
        self.books[title] = self.books.get(title, 0) + tokens

    def close(self, title: str) -> None:
        """An entry did not fit: from now on, only entries that ignore the budget do."""
        own = self.limits.get(title)
        if own is not None and own - self.books.get(title, 0) <= self.left:
            self.closed.add(title)
        else:
            self.is_spent = True

    def has_told(self, title: str) -> bool:
        return title in self.books

    def shares(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The tokens each of these texts may have: its size, unless all together exceed a part of the budget."""
        if sum(sizes.values()) <= self.left:
            return dict(sizes)
        return _levelled(sizes, int(self.left * OF_LONG))


def _levelled(sizes: Mapping[str, int], room: int) -> dict[str, int]:
    """The sizes, the largest lowered to one level, so that they fit together."""
    shares: dict[str, int] = {}
    waiting = sorted(sizes.items(), key=lambda item: item[1])
    for place, (name, size) in enumerate(waiting):
        shares[name] = min(size, room // (len(waiting) - place))
        room -= shares[name]
    return shares


def cut_text(text: str, most: int, count: Callable[[str], int]) -> str:
    """As much of the beginning of a text as fits, up to the end of a line or sentence, else of a word; or nothing."""
    if most < LEAST_PIECE:
        return ""
    if len(text) > most * MOST_LETTERS and count(text[: most * MOST_LETTERS]) > most:
        text = text[: most * MOST_LETTERS]  # what lies beyond cannot fit
    whole = _longest(text, _ends(text), most, count)
    if whole.strip():
        return whole.rstrip()
    words = [place for place, letter in enumerate(text) if letter.isspace()]
    part = _longest(text, words, most - 1, count) or _longest(text, range(1, len(text)), most - 1, count)
    return part.rstrip() + ELLIPSIS if part.strip() else ""


def _ends(text: str) -> list[int]:
    """Where lines and sentences end."""
    ends: set[int] = set()
    start = 0
    for line in text.splitlines(keepends=True):
        ends.update(start + end for end in sentence_ends(line))
        start += len(line)
    return sorted(ends)


def _longest(text: str, ends: Sequence[int], most: int, count: Callable[[str], int]) -> str:
    """The longest beginning at one of these ends that has no more tokens than `most`."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if count(text[: ends[middle]].rstrip()) <= most:
            low = middle + 1
        else:
            high = middle
    return text[: ends[low - 1]] if low else ""
