"""What an answer costs, by the published prices bundled with genai-prices; nothing is fetched.

A price that is not in the list is unknown; it is never reported as zero.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from decimal import Decimal

from dramaturg.kernel.models.catalogue import ModelRef
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream
from dramaturg.kernel.values import Value

Tariff = Callable[[Usage], float]


class Price(Value):
    """US dollars per million tokens, for a request of ordinary size."""

    input_usd: float
    output_usd: float


FREE = Price(input_usd=0.0, output_usd=0.0)


def tariff_of(ref: ModelRef) -> Tariff | None:
    """The tariff of a model: the cost of a usage; None if the price is unknown."""
    if ref.provider.local:
        return lambda usage: 0.0
    if ref.provider.prices is None:
        return None
    from genai_prices import Usage as Billed
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import ModelPrice, TieredPrices

    try:
        provider, model = get_snapshot().find_provider_model(ref.model, None, ref.provider.prices, None)
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
    """The same tariff, computed once, for a model whose price does not depend on size or time."""
    fresh = tariff(Usage(input_tokens=1000)) / 1000
    read = tariff(Usage(input_tokens=1000, cache_read_tokens=1000)) / 1000
    written = tariff(Usage(input_tokens=1000, cache_write_tokens=1000)) / 1000
    output = tariff(Usage(output_tokens=1000)) / 1000

    def charge(usage: Usage) -> float:
        uncached = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens
        dear = fresh * uncached + output * usage.output_tokens
        return round(dear + read * usage.cache_read_tokens + written * usage.cache_write_tokens, 12)

    return charge


def price_of(ref: ModelRef) -> Price | None:
    """The price per million tokens, for tables; None if it is unknown."""
    tariff = tariff_of(ref)
    if tariff is None:
        return None
    # Computed for a thousand: a million at once would incur the surcharge for long contexts.
    one_in, one_out = tariff(Usage(input_tokens=1000)), tariff(Usage(output_tokens=1000))
    return Price(input_usd=_times_thousand(one_in), output_usd=_times_thousand(one_out))


def _times_thousand(dollars: float) -> float:
    return float(Decimal(str(dollars)) * 1000)


class Priced(ModelWrapper):
    """Adds the cost to each answer; it stays None if the tariff is unknown."""

    def __init__(self, inner: Model, tariff: Tariff | None) -> None:
        super().__init__(inner)
        self._tariff = tariff

    @property
    def known(self) -> bool:
        return self._tariff is not None

    def cost(self, usage: Usage) -> float:
        """What a usage costs; nothing if the price is unknown."""
        return self._tariff(usage) if self._tariff is not None else 0.0

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return self._priced(await self.inner.complete(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with open_stream(self.inner, request) as pieces:
            async for piece in pieces:
                yield self._priced(piece) if isinstance(piece, ModelAnswer) else piece

    def _priced(self, answer: ModelAnswer) -> ModelAnswer:
        if self._tariff is None:
            return answer
        return answer.model_copy(update={"cost_usd": self._tariff(answer.usage)})
