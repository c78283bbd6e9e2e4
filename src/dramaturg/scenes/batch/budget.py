"""The budget of a batch: a row begins if it fits, with what the rows under way will probably cost set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from dramaturg.kernel.errors import BudgetExceeded, DramaturgError, InvalidSettings
from dramaturg.kernel.runs import Limits
from dramaturg.scenes.batch.progress import BatchProgress
from dramaturg.scenes.batch.results import RowResult

Begins = Callable[[], Awaitable[bool]]
"""Whether a row may begin; waits until that can be said."""


class BatchBudget:
    """Sets aside the mean of the rows so far for each row under way, so the batch exceeds it only by their difference.

    As long as no row has ended nobody knows what one costs, and they are played one at a time.
    """

    def __init__(self, limits: Limits, progress: BatchProgress, measured: int) -> None:
        self._limits, self._progress = limits, progress
        self._measured = measured
        self._changed = asyncio.Event()

    @contextmanager
    def turn(self) -> Iterator[RowTurn]:
        """For one row, from before it begins until its result is counted."""
        turn = RowTurn(self._may_begin)
        try:
            yield turn
        finally:
            if turn.has_begun:
                self._progress.under_way -= 1
                self._wake()

    def measure(self, result: RowResult) -> None:
        """Takes in what a row cost. One that failed before it cost anything says nothing about the others."""
        self._measured += result.outcome == "ended" or result.tokens > 0

    async def _may_begin(self) -> bool:
        progress = self._progress
        while progress.stopped_by is None and not self._fits():
            if progress.under_way:
                await self._changed.wait()
            else:
                progress.stopped_by = self._spent()
                self._wake()
        if progress.stopped_by is not None:
            return False
        progress.under_way += 1
        return True

    def _fits(self) -> bool:
        limits, progress = self._limits, self._progress
        if limits.tokens is None and limits.usd is None:
            return True
        if limits.usd is not None and not progress.prices_known:
            return False
        if not self._measured:
            return not progress.under_way
        rows = 1 + (progress.under_way + 1) / self._measured
        fits_tokens = limits.tokens is None or progress.tokens * rows <= limits.tokens
        return fits_tokens and (limits.usd is None or progress.usd * rows <= limits.usd)

    def _spent(self) -> DramaturgError:
        """Why no row may begin although none is under way."""
        limits, progress = self._limits, self._progress
        if limits.usd is not None and not progress.prices_known:
            return InvalidSettings(
                "The price of a model in this batch is unknown, so a budget in dollars cannot be enforced. "
                "Give --budget in tokens."
            )
        spent = [f"{progress.tokens:,} of {limits.tokens:,} tokens"] if limits.tokens is not None else []
        spent += [f"${progress.usd:.4f} of ${limits.usd:g}"] if limits.usd is not None else []
        return BudgetExceeded(
            f"The budget of this batch is spent: {', '.join(spent)}, and the next row does not fit. "
            "The same command with a higher --budget goes on."
        )

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class RowTurn:
    """Whether one row has begun."""

    def __init__(self, may_begin: Begins) -> None:
        self._may_begin = may_begin
        self.has_begun = False

    async def begins(self) -> bool:
        """Whether the row may begin; waits until that can be said."""
        self.has_begun = await self._may_begin()
        return self.has_begun
