"""What an answer costs, by the published prices that come with genai-prices; nothing is fetched.

A price that is not in the list is unknown, and is never passed off as nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from decimal import Decimal

from dramaturg.kernel.models.catalogue import Asked
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.wrappers import Wrapped, listening
from dramaturg.kernel.values import Value

Tariff = Callable[[Usage], float]


class Price(Value):
    """US dollars for a million tokens, at the size of an ordinary request."""

    input_usd: float
    output_usd: float


def tariff_of(asked: Asked) -> Tariff | None:
    """What a model charges for a usage, by the name that was asked for; None if the price is not known."""
    if asked.provider.local:
        return lambda usage: 0.0
    if asked.provider.prices is None:
        return None
    from genai_prices import Usage as Billed
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import ModelPrice, TieredPrices

    try:
        provider, model = get_snapshot().find_provider_model(asked.model, None, asked.provider.prices, None)
    except LookupError:
        return None

    def by_the_list(usage: Usage) -> float:
        billed = Billed(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
        )
        return float(model.calc_price(billed, provider).total_price)

    flat = isinstance(model.prices, ModelPrice) and not any(
        isinstance(rate, TieredPrices) for rate in vars(model.prices).values()
    )
    return _rate_card(by_the_list) if flat else by_the_list


def _rate_card(tariff: Tariff) -> Tariff:
    """The same tariff, worked out once, for a model with one price at any size and hour."""
    fresh = tariff(Usage(input_tokens=1000)) / 1000
    read = tariff(Usage(input_tokens=1000, cache_read_tokens=1000)) / 1000
    written = tariff(Usage(input_tokens=1000, cache_write_tokens=1000)) / 1000
    output = tariff(Usage(output_tokens=1000)) / 1000

    def charge(usage: Usage) -> float:
        uncached = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens
        dear = fresh * uncached + output * usage.output_tokens
        return round(dear + read * usage.cache_read_tokens + written * usage.cache_write_tokens, 12)

    return charge


def price_of(asked: Asked) -> Price | None:
    """The price a million tokens, for tables; None if it is not known."""
    tariff = tariff_of(asked)
    if tariff is None:
        return None
    # Asked for in thousands: a million at once would fall under the surcharge for long contexts.
    one_in, one_out = tariff(Usage(input_tokens=1000)), tariff(Usage(output_tokens=1000))
    return Price(input_usd=_times_thousand(one_in), output_usd=_times_thousand(one_out))


def _times_thousand(dollars: float) -> float:
    return float(Decimal(str(dollars)) * 1000)


class Priced(Wrapped):
    """Writes the price into each answer; leaves it unknown where the tariff is."""

    def __init__(self, inner: Model, tariff: Tariff | None) -> None:
        super().__init__(inner)
        self._tariff = tariff

    @property
    def known(self) -> bool:
        return self._tariff is not None

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return self._priced(await self.inner.complete(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with listening(self.inner, request) as pieces:
            async for piece in pieces:
                yield self._priced(piece) if isinstance(piece, ModelAnswer) else piece

    def _priced(self, answer: ModelAnswer) -> ModelAnswer:
        if self._tariff is None:
            return answer
        return answer.model_copy(update={"cost_usd": self._tariff(answer.usage)})
