"""A hard stop for one run: tokens, money, or both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from dramaturg.kernel.errors import BudgetExceeded, InvalidSettings
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.prices import Priced
from dramaturg.kernel.models.tokens import estimate_request
from dramaturg.kernel.models.wrappers import Wrapped, listening

# The estimate of tokens is good to about a tenth; only what it says beyond that is sure.
SURE = 0.85


class Budget:
    """What a run may spend, and what it has spent. None means no limit.

    Answers paid for before a resume are charged again by whoever resumes, with `charge`.
    """

    def __init__(self, tokens: int | None = None, usd: float | None = None) -> None:
        self.tokens = tokens
        self.usd = usd
        self.spent_tokens = 0
        self.spent_usd = 0.0
        self._under_way = 0

    @contextmanager
    def place(self, model: Model, request: ModelRequest) -> Iterator[None]:
        """Room for one question.

        Raises BudgetExceeded before it is asked, InvalidSettings where the budget cannot be kept.
        """
        needed = self.take_place(model, request)
        try:
            yield
        finally:
            self.leave_place(needed)

    def take_place(self, model: Model, request: ModelRequest) -> int:
        """As `place`, without a block: what is returned is given back to `leave_place`."""
        needed = self._check(model, request)
        self._under_way += needed
        return needed

    def leave_place(self, needed: int) -> None:
        self._under_way -= needed

    def charge(self, answer: ModelAnswer) -> None:
        """Count an answer that was paid for."""
        self.spent_tokens += answer.usage.total_tokens
        if answer.cost_usd is not None:
            self.spent_usd += answer.cost_usd

    def _check(self, model: Model, request: ModelRequest) -> int:
        if self.usd is not None:
            if not _price_known(model):
                raise InvalidSettings(
                    f"The price of {model.name} is not known, so a budget in money cannot be kept. "
                    "Set `tokens` under [budget] instead of `usd`.",
                    model=model.name,
                )
            if self.spent_usd >= self.usd:
                raise self._spent(f"${self.spent_usd:.4f} of ${self.usd:g}", "usd")
        if self.tokens is None:
            return 0
        if self.spent_tokens >= self.tokens:
            raise self._spent(f"{self.spent_tokens:,} of {self.tokens:,} tokens", "tokens")
        return self._check_tokens(self.tokens, request)

    def _check_tokens(self, limit: int, request: ModelRequest) -> int:
        left = limit - self.spent_tokens - self._under_way
        # A token is never shorter than a byte, so most requests need no estimate.
        longest = 4 * len(request.system) + sum(len(message.encoded) for message in request.messages)
        if longest <= left:
            return longest
        needed = int(SURE * estimate_request(request))
        if needed > left:
            under_way = f", {self._under_way:,} more under way" if self._under_way else ""
            spent = f"{self.spent_tokens:,} of {limit:,} tokens are spent{under_way}"
            raise self._spent(f"{spent}, and the next question alone needs about {needed:,}", "tokens")
        return needed

    def _spent(self, what: str, limit: str) -> BudgetExceeded:
        return BudgetExceeded(
            f"The budget of this run is spent: {what}. Nothing more is asked; "
            f"raise `{limit}` under [budget] and resume.",
            spent_tokens=self.spent_tokens,
            spent_usd=self.spent_usd,
        )


class Budgeted(Wrapped):
    """Asks only what the budget has room for, and charges what comes back."""

    def __init__(self, inner: Model, budget: Budget) -> None:
        super().__init__(inner)
        self._budget = budget

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        needed = self._budget.take_place(self.inner, request)
        try:
            answer = await self.inner.complete(request)
        finally:
            self._budget.leave_place(needed)
        self._budget.charge(answer)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        with self._budget.place(self.inner, request):
            async with listening(self.inner, request) as pieces:
                async for piece in pieces:
                    if isinstance(piece, ModelAnswer):
                        self._budget.charge(piece)
                    yield piece


def _price_known(model: Model) -> bool:
    """Whether answers will carry a price: said by the Priced wrapper inside, if there is one."""
    while isinstance(model, Wrapped):
        if isinstance(model, Priced):
            return model.known
        model = model.inner
    return True
