"""What a run has paid for: the answers in its log, as a table by who asked and for what, and by beat or turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pydantic import computed_field

from dramaturg.kernel.models.budget import Budget
from dramaturg.kernel.models.port import Purpose
from dramaturg.kernel.runs.events import BudgetRaised, Entry, Event, ModelAnswered, RunForked
from dramaturg.kernel.values import WireValue

K = TypeVar("K", bound=tuple[object, ...])


def answers(entries: Iterable[Entry[Event]]) -> tuple[ModelAnswered, ...]:
    """Every paid answer of a log, in order."""
    return tuple(entry.event for entry in entries if isinstance(entry.event, ModelAnswered))


def own_entries(entries: Sequence[Entry[Any]]) -> Sequence[Entry[Any]]:
    """The log without what a fork shares with its parent."""
    forked = (place for place in range(len(entries) - 1, -1, -1) if isinstance(entries[place].event, RunForked))
    return entries[next(forked, 0) :]


def charge(budget: Budget, entries: Sequence[Entry[Any]]) -> Budget:
    """The budget, less what a run has paid for itself so far."""
    for answered in answers(own_entries(entries)):
        budget.charge(answered.answer)
    return budget


def raised_budget(entries: Sequence[Entry[Any]]) -> BudgetRaised | None:
    """The budget that a run was last given while it was played, if it was given one."""
    return next((entry.event for entry in reversed(entries) if isinstance(entry.event, BudgetRaised)), None)


class CostRow(WireValue):
    """What some answers used. `usd` is null where the price of any of them is unknown.

    `who` is a character's name or `director`; a row of sums leaves `who`, `purpose` or `beat` empty.
    `input_tokens` includes `cached_tokens`; `estimated` where a server did not report its count.
    """

    who: str = ""
    purpose: Purpose | None = None
    beat: int | None = None
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cached_share(self) -> float:
        """The part of the input that was read from a cache."""
        return round(self.cached_tokens / self.input_tokens, 4) if self.input_tokens else 0.0


class CostTable(WireValue):
    """Rows by character and purpose, rows by beat, the cells of both, and their sum.

    `shared` is what a fork has from its parent; it is in the rows too, and was paid for there.
    """

    rows: tuple[CostRow, ...]
    beats: tuple[CostRow, ...]
    cells: tuple[CostRow, ...]
    total: CostRow
    shared: CostRow


def cost_table(entries: Sequence[Entry[Any]], step_of: Callable[[str], int | None]) -> CostTable:
    """The costs of a run. Rows are in the order in which their first answer was paid for; beats by number.

    `step_of` tells the beat, or turn, from the key of a question (`Kind.step_of`).
    """

    def by_beat(answered: ModelAnswered) -> tuple[int | None]:
        return (step_of(answered.key),)

    paid = answers(entries)
    rows = [cost_of(group, who=who, purpose=purpose) for (who, purpose), group in _grouped(paid, _by_part).items()]
    beats = [cost_of(group, beat=beat) for (beat,), group in _grouped(paid, by_beat).items() if beat is not None]
    return CostTable(
        rows=tuple(rows),
        beats=tuple(sorted(beats, key=lambda row: row.beat or 0)),
        cells=tuple(
            cost_of(group, who=who, purpose=purpose, beat=beat)
            for (who, purpose, beat), group in _grouped(paid, lambda one: (*_by_part(one), *by_beat(one))).items()
        ),
        total=cost_of(paid),
        shared=cost_of(answers(entries[: len(entries) - len(own_entries(entries))])),
    )


def _by_part(answered: ModelAnswered) -> tuple[str, Purpose]:
    return answered.who, answered.purpose


def _grouped(paid: Sequence[ModelAnswered], key: Callable[[ModelAnswered], K]) -> dict[K, list[ModelAnswered]]:
    groups: dict[K, list[ModelAnswered]] = {}
    for answered in paid:
        groups.setdefault(key(answered), []).append(answered)
    return groups


def cost_of(
    paid: Sequence[ModelAnswered], *, who: str = "", purpose: Purpose | None = None, beat: int | None = None
) -> CostRow:
    """What these answers used, as one row."""
    usages = [answered.answer.usage for answered in paid]
    prices = [answered.answer.cost_usd for answered in paid]
    known = [price for price in prices if price is not None]
    return CostRow(
        who=who,
        purpose=purpose,
        beat=beat,
        calls=len(paid),
        input_tokens=sum(usage.input_tokens for usage in usages),
        cached_tokens=sum(usage.cache_read_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        usd=round(sum(known), 9) if len(known) == len(prices) else None,
        estimated=any(not usage.reported for usage in usages),
    )
