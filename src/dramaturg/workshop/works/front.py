"""The long works of one book: priced, started, listed, and waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from importlib import import_module
from typing import Any

from pydantic import JsonValue

from dramaturg.kernel.errors import InvalidConfig, InvalidSettings, NotFound, RunFenced, StoreUnavailable
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.runs import Entry, Limits, Run
from dramaturg.kernel.runs.costs import answers
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.runs.previews import with_previews
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.text.counts import counted
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.sources import BookSources, UsedModel
from dramaturg.workshop.works.events import WorkRequested
from dramaturg.workshop.works.kind import WorkKind
from dramaturg.workshop.works.price import PricedCell, WorkPrice, blind_spots, ceiling, price_of
from dramaturg.workshop.works.state import WORK_FOLD, WorkState
from dramaturg.workshop.works.table import WORKS
from dramaturg.workshop.works.wire import WorkDetail, WorkRow
from dramaturg.workshop.works.work import LongWork, WorkRequest

MOST_LISTED = 20
MOST_TOLD = 5
OWN_BUDGET = Limits()


class BookWorks:
    """The long works of one book, in this process."""

    def __init__(self, book: BookSources, table: Mapping[str, str] = WORKS) -> None:
        self._book = book
        self._table = table
        self._kinds: dict[str, WorkKind] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._table)

    def kind(self, name: str) -> WorkKind:
        """The kind of run of a work. Raises NotFound for a work that is not there."""
        if name not in self._kinds:
            self._kinds[name] = WorkKind(load_work(self._table, name), self._book)
        return self._kinds[name]

    def read(self, name: str, given: Mapping[str, JsonValue]) -> WorkRequest:
        """A request from JSON. Raises NotFound or InvalidConfig."""
        request: WorkRequest = self._work(name).read(given)
        return request

    async def price(self, name: str, request: WorkRequest, limits: Limits = OWN_BUDGET) -> WorkPrice:
        """What a work would cost, and what it would not look at. Nothing is sent."""
        work = self._work(name)
        plan = await work.plan(self._book, request)
        house = self._book.resources.settings.budget
        asked = dict.fromkeys((one.use, one.author, one.model) for one in [*plan.cells, *plan.later])
        used = {
            (use, author, model): UsedModel(model) if model else await self._book.model_for(use, author)
            for use, author, model in asked
        }
        cells, later = (
            [PricedCell(one, used[one.use, one.author, one.model].name) for one in some]
            for some in (plan.cells, plan.later)
        )
        return WorkPrice.model_validate(
            {
                "work": work.name,
                "noun": work.noun,
                **price_of(cells, later, self._price),
                **ceiling(limits, Limits(house.tokens, house.usd)),
                "blind_spots": blind_spots(plan),
                "remarks": (
                    *dict.fromkeys(one.remark for one in used.values() if one.remark),
                    *(await self._begun(work) if cells else ()),
                ),
            }
        )

    async def start(self, name: str, request: WorkRequest, limits: Limits = OWN_BUDGET, *, act: str = "") -> Run[Any]:
        """Starts a work and returns its run at once; `act` is the action it belongs to, which starts it only once.

        Raises RunFenced while another run of a work that is done alone is under way.
        """
        kind, runs = self.kind(name), self._book.resources.runs
        run_id = id_for(name, f"{self._book.name}/{act}") if act else None
        if run_id and (known := await self._known(run_id)) is not None:
            return known
        await self._check_alone(kind.work)
        requested = WorkRequested(
            work=name,
            book=self._book.name,
            request=request.model_dump(mode="json"),
            act=act,
            tokens=limits.tokens,
            usd=limits.usd,
        )
        run = await runs.create(kind, self._book.name, run_id=run_id, opening=(requested,))
        self._tasks = {known: task for known, task in self._tasks.items() if not task.done()}
        self._tasks[run.id] = self._book.resources.engine.start(kind.perform(run))
        return run

    async def begin(self, name: str, given: Mapping[str, JsonValue], *, act: str, is_writers: bool) -> Outcome:
        """An action that starts a work. What asks a model more than once waits for the writer's yes, with its price."""
        request = self.read(name, given)
        price = await self.price(name, request)
        if price.needs_yes and not is_writers:
            unseen = f" It will not look at: {'; '.join(price.blind_spots)}." if price.blind_spots else ""
            return Outcome(said=f"Start {price.noun}. {price.said}{unseen}", awaits_yes=True)
        try:
            run = await self.start(name, request, act=act)
        except RunFenced as error:  # of that run; the conversation's own is not fenced
            raise InvalidConfig(error.message, work=name) from error
        return Outcome(said=f"Started {price.noun}, run {run.id}. You are told when it is done.", run=run.id)

    async def finish(self, name: str) -> None:
        """Plays the runs of a work to their end whose process died. Raises what they fail with."""
        resources = self._book.resources
        for record in reversed(await self._records(name, MOST_LISTED)):
            here = resources.runs.holds(record) and resources.engine.is_playing(record.id)
            if record.status == "playing" and not here and not resources.runs.is_held_elsewhere(record):
                await (await resources.engine.resume(record.id))

    # Looking.

    async def rows(self, limit: int = MOST_LISTED) -> tuple[WorkRow, ...]:
        """The works of the book, newest first."""
        found = [record for name in self.names for record in await self._records(name, limit)]
        newest = sorted(found, key=lambda one: (one.updated_at, one.id), reverse=True)[:limit]
        return tuple([await self._row(record) for record in newest])

    async def detail(self, run_id: str) -> WorkDetail:
        """One work with its request and its result. Raises NotFound for a run that is no work of this book."""
        record = await self._book.resources.runs.get(run_id)
        if self._book.resources.runs.is_private(record):
            raise await self._book.resources.runs.not_found(run_id)
        if not self._is_own(record):
            raise NotFound(f"Run {record.id} is no work of this book; 'dramaturg runs show' shows it.", run=record.id)
        run = await self._book.resources.runs.open(record.id)
        state = WORK_FOLD(run.entries)
        result = state.ended
        return WorkDetail(
            **(await self._row(record, run)).model_dump(),
            request=state.requested.request if state.requested else {},
            result={"said": result.said, **result.result} if result else None,
            failures={key: one.error for key, one in state.failed.items()},
            remarks=state.remarks,
        )

    async def finished(self, told: Collection[tuple[str, str]], since: float) -> tuple[WorkRow, ...]:
        """The works that are over and were not told of, oldest first; `told` are runs with the status told."""
        over = [
            record
            for name in self.names
            for record in await self._records(name, MOST_LISTED)
            if record.status != "playing" and record.updated_at >= since and (record.id, record.status) not in told
        ]
        newest = sorted(over, key=lambda one: (one.updated_at, one.id))[-MOST_TOLD:]
        return tuple([await self._row(record) for record in newest])

    # Waiting.

    @property
    def playing(self) -> tuple[str, ...]:
        """The runs that were started here and are still under way."""
        return tuple(run for run, task in self._tasks.items() if not task.done())

    def follow(self, run_id: str) -> AsyncIterator[Entry[Any] | WireValue]:
        """The public entries of a work, then new ones until it is over, and previews of what is being written."""
        resources = self._book.resources
        return with_previews(resources.runs.tail(run_id), lambda: resources.engine.playing(run_id))

    async def wait(self, run_id: str) -> None:
        """Returns when a work that was started here is over or was stopped. Raises what it failed with."""
        task = self._tasks.get(run_id)
        if task is not None:
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()

    def _work(self, name: str) -> LongWork[Any, Any]:
        return self.kind(name).work

    def _is_own(self, record: RunRecord) -> bool:
        runs = self._book.resources.runs
        return record.name == self._book.name and runs.can_play(record) and isinstance(runs.kind_of(record), WorkKind)

    async def _records(self, name: str, limit: int) -> list[RunRecord]:
        found = await self._book.resources.runs.find(kind=name, limit=limit)
        return [record for record in found if record.name == self._book.name]

    async def _row(self, record: RunRecord, run: Run[Any] | None = None) -> WorkRow:
        head = {"run": record.id, "work": record.kind, "status": record.status, "updated_at": record.updated_at}
        try:
            run = run or await self._book.resources.runs.open(record.id)
        except StoreUnavailable as error:
            return WorkRow.model_validate({**head, "said": error.message})
        state = WORK_FOLD(run.entries)
        said = state.ended.said if state.ended else self._unfinished(record, state)
        done, of = (state.progress.done, state.progress.of) if state.progress else (0, 0)
        return WorkRow.model_validate({**head, "done": done, "of": of, "failed": len(state.failed), "said": said})

    def _unfinished(self, record: RunRecord, state: WorkState) -> str:
        """How a work that has not ended goes on; nothing while somebody is at work on it."""
        resources = self._book.resources
        here = resources.runs.holds(record) and resources.engine.is_playing(record.id)
        if record.status == "playing" and (here or resources.runs.is_held_elsewhere(record)):
            return ""
        why = "Its process died." if record.status == "playing" else state.stopped.reason if state.stopped else ""
        return f"Not finished. {why}".strip() + f" Resume it with: dramaturg runs resume {record.id}"

    async def _begun(self, work: LongWork[Any, Any]) -> tuple[str, ...]:
        """How to go on with the newest run of a work that was not finished: to start it again would pay twice."""
        newest = (await self._records(work.name, MOST_LISTED))[:1]
        if not newest or newest[0].status == "ended":
            return ()
        try:
            run = await self._book.resources.runs.open(newest[0].id)
        except StoreUnavailable:
            return ()
        row, stored = await self._row(newest[0], run), len(tuple(answers(run.entries)))
        return (f"The last time, {counted(stored, 'answer')} came. {row.said}",) if stored and row.said else ()

    async def _check_alone(self, work: LongWork[Any, Any]) -> None:
        if not work.alone:
            return
        resources = self._book.resources
        for record in await self._records(work.name, MOST_LISTED):
            here = resources.runs.holds(record) and resources.engine.is_playing(record.id)
            if record.status == "playing" and (here or resources.runs.is_held_elsewhere(record)):
                raise RunFenced(f"There is {work.noun} under way already: run {record.id}.", run=record.id)

    async def _known(self, run_id: str) -> Run[Any] | None:
        try:
            return await self._book.resources.runs.open(run_id)
        except NotFound:
            return None

    def _price(self, model: str) -> Price | None:
        try:
            return self._book.resources.price(model)
        except InvalidSettings:
            return None


def load_work(table: Mapping[str, str], name: str) -> LongWork[Any, Any]:
    """The work of this name. Raises NotFound with the names there are."""
    if name not in table:
        known = ", ".join(sorted(table)) or "none yet"
        raise NotFound(f"There is no work called '{name}' (known here: {known}).", work=name)
    work: LongWork[Any, Any] = import_module(table[name]).WORK
    if work.name != name:
        raise ValueError(f"{table[name]} declares the work '{work.name}', and the table calls it '{name}'")
    return work
