"""The consolidation of the book at hand, for the faces: start it, look at its conflicts, settle them, undo it."""

from __future__ import annotations

from typing import Any

from dramaturg.kernel.runs import Run
from dramaturg.workshop.consolidation.schedule import consolidate_regularly
from dramaturg.workshop.consolidation.values import Resolution
from dramaturg.workshop.consolidation.wire import BatchList, BatchView, ConflictList, ConflictView, batch_view
from dramaturg.workshop.consolidation.work import NAME, ConsolidationRequest, consolidation_of, messages_of
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.front import BookWorks


class BookConsolidation:
    """What the writer can do about the facts of a book."""

    def __init__(self, book: BookSources, works: BookWorks) -> None:
        self._book = book
        self._works = works

    async def start(self, request: ConsolidationRequest) -> Run[Any]:
        """Starts a consolidation as a run. Raises RunFenced while one is under way."""
        return await self._works.start(NAME, request)

    async def regularly(self) -> None:
        """Consolidates every so many minutes, for as long as nobody cancels it."""
        await consolidate_regularly(self._book, self._works, self._book.resources.clock)

    async def batches(self) -> BatchList:
        """The merges so far, and what waits for the next one."""
        return await consolidation_of(self._book).batches(await messages_of(self._book))

    async def conflicts(self, *, resolved: bool = False) -> ConflictList:
        """The conflicts that wait for the writer, or all."""
        return await consolidation_of(self._book).conflicts(resolved=resolved)

    async def resolve(self, number: int, resolution: Resolution, reason: str = "", note: str = "") -> ConflictView:
        """Settles a conflict for good."""
        return await consolidation_of(self._book).resolve(number, resolution, reason, note)

    async def reopen(self, number: int) -> ConflictView:
        """Takes a resolution back."""
        return await consolidation_of(self._book).reopen(number)

    async def undo(self) -> BatchView:
        """Undoes the last merge."""
        return batch_view(await consolidation_of(self._book).undo())
