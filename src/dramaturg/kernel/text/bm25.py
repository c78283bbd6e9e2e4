"""Okapi BM25: how well each of a few texts matches the words of a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

K1 = 1.2
B = 0.75


def bm25(texts: Sequence[Sequence[str]], query: Iterable[str], *, k1: float = K1, b: float = B) -> list[float]:
    """The score of each text, scaled so that the best has 1; all 0 if nothing matches.

    Texts and query are words already normalised. Rare words weigh more, and a long text needs more matches than a
    short one: `k1` limits what repetition adds, `b` sets how much length counts.
    """
    wanted = set(query)
    counts = {at: _counted(text, wanted) for at, text in enumerate(texts) if not wanted.isdisjoint(text)}
    frequency = Counter(word for count in counts.values() for word in count)
    rarity = {word: log(1 + (len(texts) - having + 0.5) / (having + 0.5)) for word, having in frequency.items()}
    mean = sum(map(len, texts)) / len(texts) if texts else 0.0
    scores = [0.0] * len(texts)
    for at, count in counts.items():
        norm = k1 * (1 - b + b * len(texts[at]) / (mean or 1.0))
        scores[at] = sum(rarity[word] * times * (k1 + 1) / (times + norm) for word, times in count.items())
    best = max(scores, default=0.0)
    return [score / best if best else 0.0 for score in scores]


def _counted(text: Sequence[str], wanted: set[str]) -> dict[str, int]:
    """How often each wanted word stands in a text."""
    found: dict[str, int] = {}
    for word in text:
        if word in wanted:
            found[word] = found.get(word, 0) + 1
    return found
