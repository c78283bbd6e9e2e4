"""What a kind of long work is: its request, its questions, what it does with the answers, and its result.

A work is a module with a `WORK`, and a row in `table.py`. Everything else (run, log, resume, price, faces) follows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import Cue
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.settings import ModelUse
from dramaturg.kernel.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from dramaturg.kernel.runs import Performance
    from dramaturg.kernel.runs.events import Entry
    from dramaturg.kernel.runs.previews import Previews
    from dramaturg.workshop.patches.review import ProposedSet
    from dramaturg.workshop.sources import BookSources
    from dramaturg.workshop.works.context import WorkContext


class WorkRequest(Value):
    """What is asked for. A work subclasses it; every field has a default, or the work cannot be tried."""


class WorkResult(Value):
    """What came of it. `said` is told to the writer and to the Foreman; a work adds what programs need."""

    said: str

    def proposed_sets(self, run: str) -> tuple[ProposedSet, ...]:
        """The patches that it proposes, for the writer to review; each `act` begins with the run."""
        return ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One question of a work. `key` tells it from the others and is the same after a resume.

    `model` asks another model than the one that is configured for its `use`; `author` is the model whose text a judge
    judges; `cue` answers the question without a model.
    """

    key: str
    use: ModelUse
    system: str
    text: str
    max_tokens: int = 800
    temperature: float | None = None
    model: str | None = None
    author: str | None = None
    who: str = ""
    cue: Cue | None = None


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """What a work would ask: `cells` for sure, `later` perhaps; and what it will not look at."""

    cells: tuple[Cell, ...] = ()
    later: tuple[Cell, ...] = ()
    blind_spots: tuple[str, ...] = ()


R = TypeVar("R", bound=WorkRequest)
V = TypeVar("V", bound=WorkResult)


class LongWork(ABC, Generic[R, V]):
    """One kind of long work. It keeps nothing between two calls: what it needs is in the book and in the log."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """What it is called in a sentence, with its article: "a health check"."""
    request: type[R]
    result: type[V]
    events: ClassVar[tuple[type[Event], ...]] = ()
    """Events of its own, beside those of every work."""
    alone: ClassVar[bool] = True
    """Whether there is at most one at a time for a book."""

    async def plan(self, book: BookSources, request: R) -> WorkPlan:
        """What it would ask in a book as it stands; nothing if it needs no model. Changes nothing.

        The writer is shown its price before anything is sent.
        """
        return WorkPlan()

    @abstractmethod
    async def play(self, context: WorkContext[R]) -> V:
        """Do it, from the beginning or from wherever the log stands.

        It is called again after a death, so whatever it changes must be the same when it is done twice. Questions that
        were answered are answered from the log.
        """

    def show(self, result: V) -> str:
        """The result as text for a terminal."""
        return f"{result.said}\n"

    def shown(self, entry: Entry[Any]) -> Entry[Any]:
        """An entry as the log is shown to people; a work that must stay blind for now hides what gives it away."""
        return entry

    def previews(self, performance: Performance[Any, Any]) -> Previews | None:
        """What is shown of answers while they are written; nothing, unless the work shows any."""
        return None

    def read(self, given: Mapping[str, JsonValue]) -> R:
        """The request from JSON. Raises InvalidConfig that names what is wrong."""
        try:
            return self.request.model_validate(given)
        except ValidationError as error:
            problem = first_problem(error, given, "the request")
            raise InvalidConfig(f"{self.name}: {problem}.", work=self.name) from error
