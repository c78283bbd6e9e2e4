"""What a long work may cost, before it is started: a range, the ceiling, and what it will not look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from dramaturg.kernel.models.port import Usage
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.models.tokens import estimate_request
from dramaturg.kernel.runs import Limits
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.works.context import request_of
from dramaturg.workshop.works.work import Cell, WorkPlan

SHORT_ANSWER = 60
"""The tokens of a short answer."""
UNSURE = 0.1
"""How far the estimate of a prompt's length may be off, either way."""


class WorkPrice(WireValue):
    """The least and the most that a work should cost. Null where the price of a model is unknown: `unknown` names it.

    `ceiling_tokens` and `ceiling_usd` stop it, whatever it should cost; null where there is no limit.
    """

    work: str
    noun: str
    least_questions: int
    most_questions: int
    models: tuple[str, ...]
    low_tokens: int
    high_tokens: int
    low_usd: float | None
    high_usd: float | None
    unknown: tuple[str, ...] = ()
    ceiling_tokens: int | None = None
    ceiling_usd: float | None = None
    blind_spots: tuple[str, ...] = Field((), description="what the work will not look at")
    remarks: tuple[str, ...] = Field((), description="what to know of the models that are asked")

    @property
    def needs_yes(self) -> bool:
        """Whether the writer is asked first: more than one question goes out."""
        return self.most_questions > 1

    @property
    def said(self) -> str:
        """The price in a few words."""
        if not self.most_questions:
            return "It asks no model."
        asked = _range(f"{self.least_questions:,}", f"{self.most_questions:,}")
        tokens = _range(f"{self.low_tokens:,}", f"{self.high_tokens:,}")
        known = self.low_usd is not None and self.high_usd is not None
        usd = _range(f"${self.low_usd:.4f}", f"${self.high_usd:.4f}") if known else "price unknown"
        limits = [f"{self.ceiling_tokens:,} tokens"] if self.ceiling_tokens else []
        limits += [f"${self.ceiling_usd:g}"] if self.ceiling_usd else []
        ceiling = f"It stops at {' or '.join(limits)}." if limits else "It has no ceiling; [budget] sets one."
        plural = "s" if self.most_questions > 1 else ""
        return f"It asks {', '.join(self.models)} {asked} question{plural}: {tokens} tokens, {usd}. {ceiling}"


class PricedCell(NamedTuple):
    """A cell and the model it goes to."""

    cell: Cell
    model: str


def price_of(
    cells: Sequence[PricedCell], later: Sequence[PricedCell], price: Callable[[str], Price | None]
) -> dict[str, object]:
    """The figures of a `WorkPrice`. The rehearsal company uses no tokens."""
    low, high = _used(cells, long=False), _used([*cells, *later], long=True)
    models = tuple(dict.fromkeys(one.model for one in [*cells, *later]))
    prices = {model: price(model) for model in models if not is_stand_in(model)}
    unknown = tuple(model for model, known in prices.items() if known is None)
    return {
        "least_questions": len(cells),
        "most_questions": len(cells) + len(later),
        "models": models,
        "low_tokens": sum(usage.total_tokens for usage in low.values()),
        "high_tokens": sum(usage.total_tokens for usage in high.values()),
        "low_usd": None if unknown else _charged(low, prices),
        "high_usd": None if unknown else _charged(high, prices),
        "unknown": unknown,
    }


def ceiling(limits: Limits, house: Limits) -> dict[str, object]:
    return {"ceiling_tokens": limits.tokens or house.tokens, "ceiling_usd": limits.usd or house.usd}


def blind_spots(plan: WorkPlan) -> tuple[str, ...]:
    return tuple(dict.fromkeys(plan.blind_spots))


def _used(cells: Iterable[PricedCell], *, long: bool) -> dict[str, Usage]:
    used: dict[str, Usage] = {}
    for cell, model in cells:
        if is_stand_in(model):
            continue
        told = int(estimate_request(request_of(cell)) * (1 + UNSURE if long else 1 - UNSURE))
        answered = cell.max_tokens if long else min(SHORT_ANSWER, cell.max_tokens)
        before = used.get(model, Usage())
        used[model] = Usage(input_tokens=before.input_tokens + told, output_tokens=before.output_tokens + answered)
    return used


def _charged(used: Mapping[str, Usage], prices: Mapping[str, Price | None]) -> float:
    charged = 0.0
    for model, usage in used.items():
        price = prices[model]
        if price is not None:
            charged += usage.input_tokens * price.input_usd + usage.output_tokens * price.output_usd
    return round(charged / 1e6, 4)


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
