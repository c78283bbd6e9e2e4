"""What a scene may cost, before it is played: a range, from the prompts as they are and the published prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dramaturg.kernel.models.port import Usage
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.values import WireValue

BEATS_FOR_EACH_GOAL = 2
PriceOf = Callable[[str], Price | None]


class _Pace(NamedTuple):
    """How much is said: beats, and the tokens of a cue, an answer and a judge's entry for one sub-goal."""

    beats: int
    cue: int
    answer: int
    verdict: int


class AskedModel(NamedTuple):
    """A model that is asked at every beat, and how long the prompt is.

    It is not `certain` to be asked if it stands in for a person.
    """

    model: str
    prompt: int
    certain: bool = True


class PriceForecast(WireValue):
    """The least and the most a scene should cost. Null where the price of a model is unknown: `unknown` names those.

    The least is a brisk scene of `few_beats`, the most one of `most_beats` with long lines; neither counts on caches.
    """

    few_beats: int
    most_beats: int
    low_tokens: int
    high_tokens: int
    low_usd: float | None
    high_usd: float | None
    unknown: tuple[str, ...] = ()


def forecast(
    cast: Sequence[AskedModel], director: AskedModel, *, goals: int, max_beats: int, price_of: PriceOf
) -> PriceForecast:
    """The range for a cast and its judge. The rehearsal company uses no tokens."""
    few = min(max_beats, 2 + BEATS_FOR_EACH_GOAL * goals)
    low = _used([part for part in cast if part.certain], director, goals, _Pace(few, cue=30, answer=12, verdict=15))
    high = _used(cast, director, goals, _Pace(max_beats, cue=130, answer=90, verdict=60))
    prices = {model: price_of(model) for model in high}
    unknown = tuple(model for model, price in prices.items() if price is None)
    return PriceForecast(
        few_beats=few,
        most_beats=max_beats,
        low_tokens=sum(usage.total_tokens for usage in low.values()),
        high_tokens=sum(usage.total_tokens for usage in high.values()),
        low_usd=None if unknown else _charged(low, prices),
        high_usd=None if unknown else _charged(high, prices),
        unknown=unknown,
    )


def _used(cast: Sequence[AskedModel], director: AskedModel, goals: int, pace: _Pace) -> dict[str, Usage]:
    """Everybody hears the whole conversation again at every beat; the judge reads the latest lines."""
    used: dict[str, Usage] = {}
    rounds, sums = pace.beats + 1, pace.beats * (pace.beats + 1) // 2
    for part in cast:
        told = rounds * (part.prompt + pace.cue) + sums * (pace.cue + pace.answer)
        _add(used, part.model, told, rounds * pace.answer)
    judged = rounds * (director.prompt + 8 * pace.cue)
    _add(used, director.model, judged, rounds * (20 + goals * pace.verdict))
    return used


def _add(used: dict[str, Usage], model: str, told: int, answered: int) -> None:
    if is_stand_in(model):
        return
    before = used.get(model, Usage())
    used[model] = Usage(input_tokens=before.input_tokens + told, output_tokens=before.output_tokens + answered)


def _charged(used: Mapping[str, Usage], prices: Mapping[str, Price | None]) -> float:
    total = 0.0
    for model, usage in used.items():
        price = prices[model]
        if price is not None:
            total += usage.input_tokens * price.input_usd + usage.output_tokens * price.output_usd
    return round(total / 1e6, 4)
