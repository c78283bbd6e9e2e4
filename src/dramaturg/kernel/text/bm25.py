"""Okapi BM25: how well each of a few texts matches the words of a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

K1 = 1.2
B = 0.75


def bm25(texts: Sequence[Sequence[str]], query: Iterable[str], *, b: float = B) -> list[float]:
    """The score of each text, scaled so that the best has 1; all 0 if nothing matches.

    Texts and query are words already normalised. Rare words weigh more, and a long text needs more matches than a
    short one: `K1` limits what repetition adds, `b` sets how much length counts.
    """
    wanted = set(query)
    times = Counter([(at, word) for at, text in enumerate(texts) for word in text if word in wanted])
    having = Counter([word for _, word in times])
    rarity = {word: log(1 + (len(texts) - many + 0.5) / (many + 0.5)) for word, many in having.items()}
    lengths = list(map(len, texts))
    mean = sum(lengths) / len(texts) if texts else 0.0
    scores = [0.0] * len(texts)
    for (at, word), often in times.items():
        norm = K1 * (1 - b + b * lengths[at] / mean)
        scores[at] += rarity[word] * often * (K1 + 1) / (often + norm)
    best = max(scores, default=0.0)
    return [score / best if best else 0.0 for score in scores]
