"""What a run of a long work is, whichever work it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from dramaturg.kernel.runs import Entry, Kind, Limits, Performance, Run
from dramaturg.kernel.runs.previews import Previews
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.events import WorkEnded, work_events
from dramaturg.workshop.works.state import WORK_FOLD, WorkState
from dramaturg.workshop.works.work import LongWork, WorkResult

WorkPerformance: TypeAlias = Performance[Any, WorkState]


class WorkKind(Kind[Any, WorkState]):
    """One kind of long work as a kind of run. It has its name."""

    patient = True
    fold = WORK_FOLD

    def __init__(self, work: LongWork[Any, Any], book: BookSources) -> None:
        self.work = work
        self._book = book
        self.events = work_events(work.events)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.work.name

    @property
    def noun(self) -> str:  # type: ignore[override]
        return self.work.noun

    async def play(self, performance: WorkPerformance) -> None:
        """Do the work from where the log stands; its end is the last thing written."""
        state = performance.state
        if state.ended is not None:
            return
        if state.requested is None:
            raise AssertionError("a run of this kind begins with its request")
        resources = self._book.resources
        await resources.gateway.ready()
        request = self.work.read(state.requested.request)
        context = WorkContext(performance, request, self._book, resources.models(performance))
        result = await self.work.play(context)
        details = result.model_dump(mode="json", exclude={"said"})
        await performance.write(WorkEnded(said=result.said, result=details))

    def limits(self, state: WorkState) -> Limits:
        asked = state.requested
        return Limits(asked.tokens, asked.usd) if asked else Limits()

    def show(self, run: Run[Any]) -> str:
        found = self.result(run)
        state = self.fold(run.entries)
        if found is not None:
            return self.work.show(found) + "".join(f"({remark})\n" for remark in state.remarks)
        why = f" {state.stopped.reason}" if state.stopped else ""
        return f"It is not finished.{why} Resume it with: dramaturg runs resume {run.id}\n"

    def previews(self, performance: WorkPerformance) -> Previews | None:
        return self.work.previews(performance)

    def logged(self, entry: Entry[Any]) -> Entry[Any]:
        return self.work.shown(entry)

    def documents(self, run: Run[Any]) -> Iterator[object]:
        state, found = self.fold(run.entries), self.result(run)
        yield {
            "run": run.id,
            "work": self.name,
            "result": found.model_dump(mode="json", by_alias=True) if found else None,
            "remarks": list(state.remarks),
            "failed": [{"key": one.key, "error": one.error} for one in state.failed.values()],
        }

    def result(self, run: Run[Any]) -> WorkResult | None:
        ended = self.fold(run.entries).ended
        if ended is None:
            return None
        found: WorkResult = self.work.result.model_validate({"said": ended.said, **ended.result})
        return found
