"""What faces ask of fire drills: the last one."""

from __future__ import annotations

from pydantic import ValidationError

from dramaturg.kernel.errors import NotFound
from dramaturg.workshop.drill.values import DrillReport
from dramaturg.workshop.health.archive import DRILL, ended_runs
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.state import WORK_FOLD


class BookDrills:
    """The drills of one book. New ones are made by the work `drill`."""

    def __init__(self, book: BookSources) -> None:
        self._book = book

    async def last(self) -> DrillReport:
        """The newest drill. Raises NotFound if there is none."""
        async for run in ended_runs(self._book, DRILL):
            ended = WORK_FOLD(run.entries).ended
            try:
                return DrillReport.model_validate(ended.result.get("report") if ended is not None else None)
            except ValidationError:
                continue  # of a version that told it otherwise
        raise NotFound("There was no fire drill yet. Start one: dramaturg foreman drill")
