"""The loop of a batch: take the next row while there is a place, play it, keep its result, or say why to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs import Limits
from dramaturg.scenes.batch.budget import BatchBudget, Begins
from dramaturg.scenes.batch.progress import BatchProgress
from dramaturg.scenes.batch.results import BatchResults, RowResult
from dramaturg.scenes.batch.row import NumberedRow, ReadRow, numbered

PlayedRow = tuple[RowResult, DramaturgError | None]
"""What became of a row, and what went wrong."""
PlayRow = Callable[[NumberedRow, Begins], Awaitable[PlayedRow | None]]
"""Plays a row. It asks whether the row may begin before anything is spent; None if it may not."""
ShowResult = Callable[[RowResult], None]


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """When a batch stops: at a budget for all rows, or at so many failures of one kind (0: never)."""

    at_once: int = 8
    budget: Limits = field(default_factory=Limits)
    failures: int = 10


class BatchPlay:
    """Plays rows, a few at a time, until the file or the limits end it. `show` is told of every result."""

    def __init__(self, play: PlayRow, results: BatchResults, limits: BatchLimits, show: ShowResult) -> None:
        self._play, self._results, self._limits, self._show = play, results, limits, show
        done = results.finished
        self.progress = BatchProgress(tokens=done.tokens, usd=done.usd or 0.0, prices_known=done.usd is not None)
        self._budget = BatchBudget(limits.budget, self.progress, len(done.runs))

    async def play(self, rows: Iterable[ReadRow]) -> BatchProgress:
        """Plays to the end of the file, or until a limit; rows under way are played to their end.

        Raises StoreUnavailable if a result cannot be kept.
        """
        left = numbered(rows)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._limits.at_once):
                    group.create_task(self._place(left))
        except ExceptionGroup as failures:
            known = [error for error in failures.exceptions if isinstance(error, DramaturgError)]
            raise known[0] if known else failures.exceptions[0] from None
        return self.progress

    async def _place(self, rows: Iterator[NumberedRow]) -> None:
        """One place: a row after the other."""
        while self.progress.stopped_by is None and (row := next(rows, None)) is not None:
            self.progress.offset = row.read.offset
            with self._budget.turn() as turn:
                played = await self._play(row, turn.begins)
                if played is not None:
                    self._take(*played)
            await asyncio.sleep(0)

    def _take(self, result: RowResult, error: DramaturgError | None) -> None:
        progress = self.progress
        if result.run in self._results.finished.runs:
            progress.skipped += 1
            return
        progress.count(result, error)
        self._budget.measure(result)
        self._results.add(result)
        self._show(result)
        most = self._limits.failures
        if error is not None and 0 < most <= progress.failures[error.code]:
            progress.stopped_by = progress.stopped_by or _too_many(error, progress.failures[error.code])


def _too_many(error: DramaturgError, count: int) -> DramaturgError:
    """The failure that stopped the batch, as an error of the same kind."""
    return type(error)(
        f"{count} rows failed with {error.code}, so no more are begun. The last: {error.message} "
        "Once that is fixed, the same command goes on; --failures sets another number.",
        **error.context,
    )
