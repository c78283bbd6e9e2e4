"""Okapi BM25 over texts that come and go: a query costs what the texts that share a word with it cost.

The scores are those of `kernel.text.bm25`, to the last bit: both add up the same numbers in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import log
from typing import Generic, TypeVar

from dramaturg.kernel.text.bm25 import K1, B

D = TypeVar("D", bound=Hashable)


class WordIndex(Generic[D]):
    """For each word the texts that have it. A text is known by a name of its own."""

    def __init__(self) -> None:
        self._texts: dict[D, tuple[str, ...]] = {}
        self._having: dict[str, dict[D, tuple[int, int]]] = {}
        """By word and text: where the word stands first, and how often it stands there."""
        self._length = 0

    def add(self, name: D, words: Sequence[str]) -> None:
        """Takes in a text that is new."""
        text = tuple(words)
        self._texts[name], self._length = text, self._length + len(text)
        for word, often in Counter(text).items():
            self._having.setdefault(word, {})[name] = (text.index(word), often)

    def remove(self, name: D) -> None:
        text = self._texts.pop(name)
        self._length -= len(text)
        for word in set(text):
            del self._having[word][name]
            if not self._having[word]:
                del self._having[word]

    def scores(self, query: Iterable[str]) -> dict[D, float]:
        """The score of each text that has a word of the query, scaled so that the best has 1."""
        many = len(self._texts)
        found: dict[D, list[tuple[int, int, float]]] = {}
        for word in set(query) & self._having.keys():
            having = self._having[word]
            rarity = log(1 + (many - len(having) + 0.5) / (len(having) + 0.5))
            for name, (first, often) in having.items():
                found.setdefault(name, []).append((first, often, rarity))
        mean = self._length / many if many else 0.0
        scores = {name: _score(sorted(held), len(self._texts[name]), mean) for name, held in found.items()}
        best = max(scores.values(), default=0.0)
        return {name: score / best for name, score in scores.items()}


def _score(held: Iterable[tuple[int, int, float]], length: int, mean: float) -> float:
    """The score of a text for the words of a query it has, in the order in which they stand there."""
    score, norm = 0.0, K1 * (1 - B + B * length / mean)
    for _, often, rarity in held:
        score += rarity * often * (K1 + 1) / (often + norm)
    return score
