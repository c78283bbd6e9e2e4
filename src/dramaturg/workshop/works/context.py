"""What a long work has while it is played: its request, the book, models by use, and its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from dramaturg.kernel.errors import InvalidConfig, ModelError
from dramaturg.kernel.floor import play_round
from dramaturg.kernel.models.port import Message, Model, ModelAnswer, ModelRequest, Purpose
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.runs import OpenModel, Performance
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.settings import ModelUse
from dramaturg.model_notes.structured import ask
from dramaturg.workshop.book.knowledge import KnowledgeEntry, told_facts
from dramaturg.workshop.sources import BookSources, UsedModel
from dramaturg.workshop.works.events import CellFailed, CellsAsked, FactsTold, WorkProgressed, WorkRemarked
from dramaturg.workshop.works.state import WorkState
from dramaturg.workshop.works.work import Cell, WorkRequest

AT_ONCE = 8
"""How many cells are asked at once; each that is answered is in the log before the next ones begin."""
CELL_SECONDS = 1800.0
"""How long one cell may take, retries and queues included; the provider's own timeout is shorter."""
PURPOSES: Mapping[ModelUse, Purpose] = {
    "tournament": "writing",
    "drafting": "writing",
    "judge": "judging",
    "extraction": "extraction",
}

R = TypeVar("R", bound=WorkRequest)
T = TypeVar("T")
F = TypeVar("F", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class CellAnswers(Generic[T]):
    """The answers by cell, in the order of the cells, and the cells without one."""

    answers: Mapping[str, T]
    failed: Mapping[str, CellFailed]


class WorkContext(Generic[R]):
    """One long work under way. `book` has the book's sources; `id` is the id of its run."""

    def __init__(
        self, performance: Performance[Any, WorkState], request: R, book: BookSources, models: OpenModel
    ) -> None:
        self._performance = performance
        self._models = models
        self.request = request
        self.book = book

    @property
    def id(self) -> str:
        return self._performance.id

    @property
    def own(self) -> tuple[Event, ...]:
        """The work's own events so far: what was done before a resume."""
        return self._performance.state.own

    @property
    def failed(self) -> Mapping[str, str]:
        """Why questions of this work have no answer, by key."""
        return {key: one.error for key, one in self._performance.state.failed.items()}

    async def tell(self, *events: Event) -> None:
        """Logs events of the work's own; stored when it returns."""
        await self._performance.write(*events)

    async def tell_facts(self, entries: Iterable[KnowledgeEntry], about: str = "") -> None:
        """Logs which facts the prompts about something contain: the receipt by which a thread finds what was made.

        Once for each `about`: after a resume it is in the log already.
        """
        facts = told_facts(entries)
        if facts and all(one.about != about for one in self._performance.state.told):
            await self.tell(FactsTold(facts=facts, about=about))

    def progress(self, done: int, of: int, what: str = "") -> None:
        """Shows how far it got."""
        self._performance.put(WorkProgressed(done=done, of=of, what=what))

    async def ask(self, cells: Sequence[Cell]) -> CellAnswers[ModelAnswer]:
        """Asks all cells, a few at once. What was answered before is not asked again.

        A cell whose model fails stays without an answer and is not asked again; if all fail, the first failure is
        raised, and the run can be resumed. A spent budget or a lost store stops the work.
        """
        return await self._gathered(cells, lambda model, request: model.complete(request))

    async def ask_for(self, form: type[F], cells: Sequence[Cell]) -> CellAnswers[F]:
        """The same for answers of a form: a cell whose answer cannot be read, even when asked again, has failed."""

        async def read(model: Model, request: ModelRequest) -> F:
            return (await ask(model, request, form)).value

        return await self._gathered(cells, read)

    async def _gathered(
        self, cells: Sequence[Cell], ask_one: Callable[[Model, ModelRequest], Awaitable[T]]
    ) -> CellAnswers[T]:
        _check_keys(cells)
        known = self._performance.state.failed
        failed = {cell.key: known[cell.key] for cell in cells if cell.key in known}
        asking = [cell for cell in cells if cell.key not in failed]
        answers: dict[str, T] = {}
        errors: dict[str, ModelError] = {}
        for first in range(0, len(asking), AT_ONCE):
            some = [(await self._model(cell), cell) for cell in asking[first : first + AT_ONCE]]
            self._keep_receipt([cell for _, cell in some])
            round_ = await play_round(
                {cell.key: ask_one(model, request_of(cell)) for model, cell in some}, timeout=CELL_SECONDS
            )
            answers |= round_.answers
            errors |= {one.who: one.error for one in round_.failures}
            self.progress(len(failed) + len(answers) + len(errors), len(cells))
        if errors and not answers:
            raise next(iter(errors.values()))
        new = [CellFailed(key=key, error=error.message, code=error.code) for key, error in errors.items()]
        if new:
            await self.tell(*new)
        return CellAnswers(answers, failed | {one.key: one for one in new})

    def _keep_receipt(self, cells: Sequence[Cell]) -> None:
        """Logs how much each question is, unless the log has it already."""
        known = self._performance.state.asked
        tokens = {
            cell.key: estimate_tokens(cell.system) + estimate_tokens(cell.text)
            for cell in cells
            if cell.key not in known
        }
        if tokens:
            self._performance.put(CellsAsked(tokens=tokens))

    async def _model(self, cell: Cell) -> Model:
        used = UsedModel(cell.model) if cell.model else await self.book.model_for(cell.use, cell.author)
        if used.remark and used.remark not in self._performance.state.remarks:
            await self.tell(WorkRemarked(text=used.remark))
        return self._models(used.name, cell.who or self._performance.kind.name)


def request_of(cell: Cell) -> ModelRequest:
    return ModelRequest(
        key=cell.key,
        purpose=PURPOSES[cell.use],
        system=cell.system,
        messages=(Message("user", cell.text),),
        max_tokens=cell.max_tokens,
        temperature=cell.temperature,
        cue=cell.cue,
    )


def _check_keys(cells: Sequence[Cell]) -> None:
    twice = [key for key, times in Counter(cell.key for cell in cells).items() if times > 1]
    if twice:
        raise InvalidConfig(f"Two cells of a work have the key '{twice[0]}'.", key=twice[0])
