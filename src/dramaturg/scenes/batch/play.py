"""The loop of a batch: take the next row while there is a place, play it, keep its result, or say why to stop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

from dramaturg.kernel.errors import BudgetExceeded, DramaturgError, InvalidSettings
from dramaturg.kernel.runs import Limits
from dramaturg.scenes.batch.results import BatchResults, RowResult
from dramaturg.scenes.batch.row import ReadRow

PlayRow = Callable[[ReadRow, int], Awaitable[tuple[RowResult, DramaturgError | None]]]
"""Plays a row, given how often the same row stood before it: its result, and what went wrong."""
ShowResult = Callable[[RowResult], None]


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """When a batch stops: at a budget for all rows, or at so many failures of one kind (0: never)."""

    at_once: int = 8
    budget: Limits = field(default_factory=Limits)
    failures: int = 10


@dataclass(slots=True)
class BatchProgress:
    """Where a batch stands. `skipped` rows were finished by an earlier call; `offset` is in bytes of the file."""

    skipped: int = 0
    ended: int = 0
    reached: int = 0
    under_way: int = 0
    tokens: int = 0
    usd: float = 0.0
    prices_known: bool = True
    offset: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    stopped_by: DramaturgError | None = None
    first_failure: DramaturgError | None = None

    @property
    def failed(self) -> int:
        return self.failures.total()

    @property
    def finished(self) -> int:
        return self.ended + self.skipped

    def count(self, result: RowResult, error: DramaturgError | None) -> None:
        """Takes in one more result."""
        self.tokens += result.tokens
        self.usd += result.usd or 0.0
        self.prices_known = self.prices_known and result.usd is not None
        if error is None:
            self.ended += 1
            self.reached += result.goal_achieved
        else:
            self.failures[error.code] += 1
            self.first_failure = self.first_failure or error


class BatchPlay:
    """Plays rows, a few at a time, until the file or the limits end it. `show` is told of every result."""

    def __init__(self, play: PlayRow, results: BatchResults, limits: BatchLimits, show: ShowResult) -> None:
        self._play, self._results, self._limits, self._show = play, results, limits, show
        self._seen: dict[int, int] = {}
        done = results.finished
        self.progress = BatchProgress(tokens=done.tokens, usd=done.usd)

    async def play(self, rows: Iterator[ReadRow]) -> BatchProgress:
        """Plays to the end of the file, or until a limit; rows under way are played to their end.

        Raises StoreUnavailable if a result cannot be kept.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._limits.at_once):
                    group.create_task(self._place(rows))
        except ExceptionGroup as failures:
            known = [error for error in failures.exceptions if isinstance(error, DramaturgError)]
            raise known[0] if known else failures.exceptions[0] from None
        return self.progress

    async def _place(self, rows: Iterator[ReadRow]) -> None:
        """One place: a row after the other."""
        while self._may_start() and (read := next(rows, None)) is not None:
            times = self._seen.get(read.digest, 0)
            if read.row is not None:
                self._seen[read.digest] = times + 1
            self.progress.offset = read.offset
            self.progress.under_way += 1
            try:
                result, error = await self._play(read, times)
            finally:
                self.progress.under_way -= 1
            self._take(result, error)
            await asyncio.sleep(0)

    def _take(self, result: RowResult, error: DramaturgError | None) -> None:
        progress = self.progress
        if result.run in self._results.finished.runs:
            progress.skipped += 1
            return
        progress.count(result, error)
        self._results.add(result)
        self._show(result)
        most = self._limits.failures
        if error is not None and 0 < most <= progress.failures[error.code]:
            progress.stopped_by = progress.stopped_by or _too_many(error, progress.failures[error.code])

    def _may_start(self) -> bool:
        """Whether another row may begin: nothing stopped the batch, and it fits the budget as rows went so far."""
        progress, budget = self.progress, self._limits.budget
        if progress.stopped_by is not None:
            return False
        if budget.usd is not None and not progress.prices_known:
            progress.stopped_by = InvalidSettings(
                "The price of a model in this batch is unknown, so a budget in dollars cannot be enforced. "
                "Give --budget in tokens."
            )
        elif (spent := self._spent(budget)) is not None:
            progress.stopped_by = BudgetExceeded(
                f"The budget of this batch is spent: {spent}, and the next row does not fit. The same command with a "
                "higher --budget goes on."
            )
        return progress.stopped_by is None

    def _spent(self, budget: Limits) -> str | None:
        """What is spent, if one more row like those so far would be too much."""
        progress = self.progress
        expected = (progress.under_way + 1) / max(
            1, progress.ended + progress.failed + len(self._results.finished.runs)
        )
        if budget.tokens is not None and progress.tokens * (1 + expected) > budget.tokens:
            return f"{progress.tokens:,} of {budget.tokens:,} tokens"
        if budget.usd is not None and progress.usd * (1 + expected) > budget.usd:
            return f"${progress.usd:.4f} of ${budget.usd:g}"
        return None


def _too_many(error: DramaturgError, count: int) -> DramaturgError:
    """The failure that stopped the batch, as an error of the same kind."""
    return type(error)(
        f"{count} rows failed with {error.code}, so no more are begun. The last: {error.message} "
        "Once that is fixed, the same command goes on; --failures sets another number.",
        **error.context,
    )
