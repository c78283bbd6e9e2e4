"""Okapi BM25 over texts that come and go: a query costs what the texts that share a word with it cost.

The scores are those of `kernel.text.bm25`, to the last bit: both add up the same numbers in the same order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import log
from typing import Generic, TypeVar

from dramaturg.kernel.text.bm25 import K1, B

D = TypeVar("D", bound=Hashable)


class WordIndex(Generic[D]):
    """For each word the texts that have it. A text is known by a name of its own."""

    def __init__(self) -> None:
        self._texts: dict[D, tuple[str, ...]] = {}
        self._lengths: dict[D, int] = {}
        self._having: dict[str, dict[D, tuple[int, int]]] = {}
        """By word and text: where the word stands first, and how often it stands there."""
        self._length = 0

    def add(self, name: D, words: Sequence[str]) -> None:
        """Takes in a text that is new."""
        text = tuple(words)
        self._texts[name], self._lengths[name] = text, len(text)
        self._length += len(text)
        for word, often in Counter(text).items():
            self._having.setdefault(word, {})[name] = (text.index(word), often)

    def remove(self, name: D) -> None:
        text = self._texts.pop(name)
        self._length -= self._lengths.pop(name)
        for word in set(text):
            del self._having[word][name]
            if not self._having[word]:
                del self._having[word]

    def scores(self, query: Iterable[str]) -> dict[D, float]:
        """The score of each text that has a word of the query, scaled so that the best has 1."""
        many = len(self._texts)
        found: dict[D, list[tuple[int, int, float]]] = defaultdict(list)
        for word in set(query) & self._having.keys():
            having = self._having[word]
            rarity = log(1 + (many - len(having) + 0.5) / (len(having) + 0.5))
            for name, (first, often) in having.items():
                found[name].append((first, often, rarity))
        scores = self._added_up(found)
        best = max(scores.values(), default=0.0)
        return {name: score / best for name, score in scores.items()}

    def _added_up(self, found: Mapping[D, list[tuple[int, int, float]]]) -> dict[D, float]:
        """The scores of texts for the words they have, added up in the order in which these stand there."""
        mean = self._length / len(self._texts) if found else 0.0
        scores: dict[D, float] = {}
        for name, words in found.items():  # many texts may have a common word, so nothing is called for one alone
            if words[1:]:
                words.sort()
            score, norm = 0.0, K1 * (1 - B + B * self._lengths[name] / mean)
            for _, often, rarity in words:
                score += rarity * often * (K1 + 1) / (often + norm)
            scores[name] = score
        return scores
