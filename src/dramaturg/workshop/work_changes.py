"""The files that finished works changed, on their way into the book's log: each is an action that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dramaturg.kernel.store import RunRecord
from dramaturg.workshop.events import ActionDone, DoneBy, FileKept
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.works.state import WORK_FOLD

if TYPE_CHECKING:
    from dramaturg.workshop.turn_context import ForemanPerformance

CHANGING = ("scaffold", "import")
"""The works that change files. What each file held is in their log as `FileKept`."""
MOST_LOOKED = 20


class WorkChanges:
    """Takes the changes of works into the conversation of one book, each once. Its act is the id of the run."""

    def __init__(self, book: BookSources) -> None:
        self._book = book
        self._without: set[str] = set()
        """Runs that changed nothing."""

    async def new(self, state: ForemanState) -> Sequence[RunRecord]:
        """The works that are over and are not in the conversation yet, oldest first."""
        runs = self._book.resources.runs
        known = {one.act for one in state.done} | self._without
        found = [record for kind in CHANGING for record in await runs.find(kind=kind, limit=MOST_LOOKED)]
        own = [one for one in found if one.name == self._book.name and one.status == "ended" and one.id not in known]
        return sorted((one for one in own if runs.can_play(one)), key=lambda one: (one.created_at, one.id))

    async def take_in(self, performance: ForemanPerformance) -> None:
        """Writes them to the log."""
        for record in await self.new(performance.state):
            run = await self._book.resources.runs.open(record.id)
            work = WORK_FOLD(run.entries)
            kept = {one.path: one for one in work.own if isinstance(one, FileKept)}
            if not kept or work.ended is None:
                self._without.add(record.id)
                continue
            outcome = Outcome.of_files(work.ended.said, [one.change for one in kept.values()])
            by: DoneBy = "foreman" if work.requested is not None and work.requested.act else "writer"
            done = ActionDone(act=record.id, turn=0, action=record.kind, outcome=outcome, by=by)
            await performance.write(*(one.model_copy(update={"act": record.id}) for one in kept.values()), done)
