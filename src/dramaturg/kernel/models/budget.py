"""A hard stop for one run: tokens, money, or both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dramaturg.kernel.errors import BudgetExceeded, InvalidSettings
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.prices import Priced
from dramaturg.kernel.models.providers.partial_answer import room_for
from dramaturg.kernel.models.tokens import estimate_request
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream

# The token estimate is accurate to about 10%; only this share of it is certain.
SURE = 0.85


@dataclass(slots=True, eq=False)
class Reservation:
    """What a request that is under way may take: no more tokens than its bytes, or what was counted; and the dollars
    of an answer that is as long as it may be.
    """

    request: ModelRequest
    tokens: int = 0
    usd: float = 0.0

    def count(self) -> None:
        self.tokens = min(self.tokens, int(SURE * estimate_request(self.request)))


class Budget:
    """What a run may spend, and what it has spent. None means no limit.

    When a run is resumed, the caller charges the answers in its log again with `charge`.
    """

    def __init__(self, tokens: int | None = None, usd: float | None = None) -> None:
        self.tokens = tokens
        self.usd = usd
        self.spent_tokens = 0
        self.spent_usd = 0.0
        self._under_way: set[Reservation] = set()

    @contextmanager
    def reserve(self, model: Model, request: ModelRequest) -> Iterator[None]:
        """Reserves the tokens and the dollars of one request for a block.

        Raises BudgetExceeded if they do not fit, InvalidSettings if the budget cannot be enforced.
        """
        taken = self.take(model, request)
        try:
            yield
        finally:
            self.release(taken)

    def take(self, model: Model, request: ModelRequest) -> Reservation:
        """As `reserve`, without a block; pass the result to `release`."""
        self._check(model)
        taken = Reservation(request)
        if self.tokens is not None:
            # A token is at least one byte long, so most requests need no estimate.
            taken.tokens = 4 * len(request.system) + sum(len(message.encoded) for message in request.messages)
            if taken.tokens > self._left(self.tokens):
                self._count(self.tokens, taken)
        if self.usd is not None:
            taken.usd = _dearest(model, request)
            self._check_dollars(self.usd, taken)
        if self.tokens is not None or self.usd is not None:
            self._under_way.add(taken)
        return taken

    def release(self, taken: Reservation) -> None:
        self._under_way.discard(taken)

    def charge(self, answer: ModelAnswer) -> None:
        """Counts an answer that was paid for."""
        self.spent_tokens += answer.usage.total_tokens
        if answer.cost_usd is not None:
            self.spent_usd += answer.cost_usd

    def _check(self, model: Model) -> None:
        if self.usd is not None:
            if not price_known(model):
                raise InvalidSettings(
                    f"The price of {model.name} is unknown, so a budget in dollars cannot be enforced. "
                    "Set `tokens` under [budget] instead of `usd`.",
                    model=model.name,
                )
            if self.spent_usd >= self.usd:
                raise self._spent(f"${self.spent_usd:.4f} of ${self.usd:g}", "usd")
        if self.tokens is not None and self.spent_tokens >= self.tokens:
            raise self._spent(f"{self.spent_tokens:,} of {self.tokens:,} tokens", "tokens")

    def _left(self, limit: int) -> int:
        return limit - self.spent_tokens - sum(one.tokens for one in self._under_way)

    def _count(self, limit: int, taken: Reservation) -> None:
        """Looks again whether there is room, with tokens in place of bytes for all that is under way."""
        for one in (*self._under_way, taken):
            one.count()
        left = self._left(limit)
        if taken.tokens > left:
            reserved = limit - self.spent_tokens - left
            under_way = f", {reserved:,} more are reserved" if reserved else ""
            spent = f"{self.spent_tokens:,} of {limit:,} tokens are spent{under_way}"
            raise self._spent(f"{spent}, and the next request alone needs about {taken.tokens:,}", "tokens")

    def _check_dollars(self, limit: float, taken: Reservation) -> None:
        reserved = sum(one.usd for one in self._under_way)
        if self.spent_usd + reserved + taken.usd > limit:
            under_way = f", up to ${reserved:.4f} more are reserved" if reserved else ""
            spent = f"${self.spent_usd:.4f} of ${limit:g} are spent{under_way}"
            raise self._spent(f"{spent}, and the next request alone may cost up to ${taken.usd:.4f}", "usd")

    def _spent(self, what: str, limit: str) -> BudgetExceeded:
        return BudgetExceeded(
            f"The budget of this run is spent: {what}. No more requests are sent; "
            f"raise `{limit}` where it is set, under [budget] or in the scene, or resume with --budget.",
            spent_tokens=self.spent_tokens,
            spent_usd=self.spent_usd,
        )


class Budgeted(ModelWrapper):
    """Sends only requests that fit the budget, and charges the answers."""

    def __init__(self, inner: Model, budget: Budget) -> None:
        super().__init__(inner)
        self._budget = budget

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        taken = self._budget.take(self.inner, request)
        try:
            answer = await self.inner.complete(request)
        finally:
            self._budget.release(taken)
        self._budget.charge(answer)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        with self._budget.reserve(self.inner, request):
            async with open_stream(self.inner, request) as pieces:
                async for piece in pieces:
                    if isinstance(piece, ModelAnswer):
                        self._budget.charge(piece)
                    yield piece


def price_known(model: Model) -> bool:
    """Whether answers will carry a price."""
    priced = _priced(model)
    return priced is None or priced.known


def _dearest(model: Model, request: ModelRequest) -> float:
    """What a request costs if nothing of it is cached and its answer is as long as it may be."""
    priced = _priced(model)
    if priced is None:
        return 0.0
    longest = room_for(request, model.profile)
    return priced.cost(Usage(input_tokens=estimate_request(request), output_tokens=longest))


def _priced(model: Model) -> Priced | None:
    """The wrapper that knows the price, if there is one."""
    while isinstance(model, ModelWrapper):
        if isinstance(model, Priced):
            return model
        model = model.inner
    return None
