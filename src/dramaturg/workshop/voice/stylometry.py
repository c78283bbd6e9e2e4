"""Who writes most like this: Cosine Delta over function words, and when not to say.

Relative frequencies become z-scores over the samples at hand, and two texts are as far apart as the angle between them.
Below 2,500 words the answer would be chance, so there is none.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import mul
from typing import NamedTuple

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.voice.languages import NAMES, function_words, language_of

FEWEST_WORDS = 2500
BLOCK = 250
"""How many words are drawn together: neighbours are not independent."""
DRAWS = 200
FEWEST_PARTS = 3
STEADY = 0.95
"""The share of draws in which the nearest must stay the nearest."""


class Distance(WireValue):
    """How far a candidate is from the sample: 0 is the same direction, 1 unrelated, 2 opposite; with its band."""

    name: str
    distance: float
    low: float
    high: float


class Nearest(WireValue):
    """The candidate that writes most like the sample. `name` is empty if it cannot be told, and `abstains` says why.

    `steady` is the share of redrawn samples for which the answer is the same.
    """

    name: str = ""
    abstains: str = ""
    steady: float | None = None
    distances: tuple[Distance, ...] = ()


class _Scale(NamedTuple):
    means: tuple[float, ...]
    spreads: tuple[float, ...]


def nearest(
    sample: Sequence[str], candidates: Mapping[str, Sequence[str]], *, fewest: int = FEWEST_WORDS, draws: int = DRAWS
) -> Nearest:
    """The nearest of the candidates to a sample, all given as their words; the same answer for the same texts."""
    language, why_not = _comparable(sample, candidates, fewest)
    if why_not:
        return Nearest(abstains=why_not)
    listed = function_words()[language]
    scale = _scale([_rates(part, listed) for words in candidates.values() for part in _parts(words)])
    places = {name: _scored(_rates(words, listed), scale) for name, words in candidates.items()}
    here = _scored(_rates(sample, listed), scale)
    measured = {name: _cosine(here, place) for name, place in places.items()}
    best = min(measured, key=measured.__getitem__)
    drawn = [
        {name: _cosine(again, place) for name, place in places.items()}
        for again in (_scored(rates, scale) for rates in _redrawn(sample, listed, draws))
    ]
    steady = sum(min(one, key=one.__getitem__) == best for one in drawn) / len(drawn) if drawn else 1.0
    ordered = sorted(measured, key=measured.__getitem__)
    told = tuple(_told(name, measured[name], [one[name] for one in drawn]) for name in ordered)
    why_not = ""
    if steady < STEADY:
        why_not = f"too close to call: {best} in {steady:.0%} of the draws"
    elif measured[best] > _own_reach(candidates[best], listed, scale):
        why_not = f"it is like none of them: even {best} is further away than from their own pages"
    return Nearest(name="" if why_not else best, abstains=why_not, steady=steady, distances=told)


def _own_reach(words: Sequence[str], listed: Sequence[str], scale: _Scale) -> float:
    """How far a candidate's own pages are from the rest of them, at most; without three of them nothing is known."""
    parts = _parts(words)
    if len(parts) < FEWEST_PARTS:
        return math.inf
    reach = 0.0
    for number, part in enumerate(parts):
        rest = [word for other, held in enumerate(parts) if other != number for word in held]
        reach = max(reach, _cosine(_scored(_rates(part, listed), scale), _scored(_rates(rest, listed), scale)))
    return reach


def _comparable(sample: Sequence[str], candidates: Mapping[str, Sequence[str]], fewest: int) -> tuple[str, str]:
    """The language of all of them, and why they cannot be compared."""
    if len(sample) < fewest:
        return "", f"too short to tell: {len(sample):,} of {fewest:,} words"
    if len(candidates) < 2:
        return "", "there is nothing to choose from: two texts to compare with are the least"
    short = [name for name, words in candidates.items() if len(words) < FEWEST_WORDS]
    if short:
        return "", f"too short to tell: {short[0]} has {len(candidates[short[0]]):,} of {FEWEST_WORDS:,} words"
    language = language_of(sample)
    if not language:
        return "", f"the language has no list of function words here (known: {', '.join(NAMES.values())})"
    other = [name for name, words in candidates.items() if language_of(words) != language]
    return language, f"{other[0]} is not in {NAMES[language]}" if other else ""


def _parts(words: Sequence[str]) -> list[Sequence[str]]:
    """A text in samples of the length that is compared; what is left over joins the last."""
    count = max(1, len(words) // FEWEST_WORDS)
    size = len(words) // count
    return [words[n * size : (n + 1) * size if n < count - 1 else len(words)] for n in range(count)]


def _rates(words: Sequence[str], listed: Sequence[str]) -> tuple[float, ...]:
    counted = Counter(words)
    return tuple(1000 * counted[word] / len(words) for word in listed)


def _scale(samples: Sequence[Sequence[float]]) -> _Scale:
    columns = list(zip(*samples, strict=True))
    means = tuple(sum(column) / len(column) for column in columns)
    spreads = tuple(
        math.sqrt(sum((value - mean) ** 2 for value in column) / max(1, len(column) - 1))
        for column, mean in zip(columns, means, strict=True)
    )
    return _Scale(means, spreads)


def _scored(rates: Sequence[float], scale: _Scale) -> tuple[float, ...]:
    """The z-scores of these rates, as a direction."""
    scores = [
        (rate - mean) / spread if spread > 1e-9 else 0.0
        for rate, mean, spread in zip(rates, scale.means, scale.spreads, strict=True)
    ]
    length = math.sqrt(sum(score * score for score in scores))
    return tuple(score / length for score in scores) if length else tuple(scores)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return 1.0 - float(sum(map(mul, one, other)))


def _redrawn(sample: Sequence[str], listed: Sequence[str], draws: int) -> list[tuple[float, ...]]:
    """The rates of samples drawn anew from blocks of this one, with replacement; seeded by its length."""
    blocks = [Counter(sample[start : start + BLOCK]) for start in range(0, len(sample), BLOCK)]
    rows = [tuple(block[word] for word in listed) for block in blocks]
    sizes = [block.total() for block in blocks]
    rng, found = random.Random(len(sample)), []
    for _ in range(draws):
        picked = rng.choices(range(len(rows)), k=len(rows))
        total = sum(sizes[n] for n in picked)
        found.append(tuple(1000 * sum(column) / total for column in zip(*(rows[n] for n in picked), strict=True)))
    return found


def _told(name: str, distance: float, drawn: Sequence[float]) -> Distance:
    ordered = sorted(drawn) or [distance]
    low, high = ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]
    low, high = min(low, distance), max(high, distance)
    return Distance(name=name, distance=round(distance, 3), low=round(low, 3), high=round(high, 3))
