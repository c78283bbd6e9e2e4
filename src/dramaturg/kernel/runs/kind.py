"""What a kind of run is: its events, its fold, and how it is played, limited, filed and shown.

Engine, library and faces know runs only through their kind, so nothing outside this package asks which one a run is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs.events import (
    BudgetRaised,
    Entry,
    Event,
    ModelAnswered,
    RunAdopted,
    RunForked,
    RunPaused,
    RunReleased,
    RunStopped,
    public,
)
from dramaturg.kernel.runs.fold import Fold
from dramaturg.kernel.runs.performance import AnswerSoFar, Performance
from dramaturg.kernel.values import Value

if TYPE_CHECKING:
    from dramaturg.kernel.runs.previews import Previews
    from dramaturg.kernel.runs.run import Run
    from dramaturg.kernel.store import RunRecord

E = TypeVar("E", bound=Event)
S = TypeVar("S")


class Limits(NamedTuple):
    """What a run may spend. None leaves it to the settings."""

    tokens: int | None = None
    usd: float | None = None


class Kind(ABC, Generic[E, S]):
    """One kind of run: `E` are the events of its log, `S` the state they fold into.

    A kind that `rests` has no end of its own: it is played while there is something to do, and is stopped, not ended,
    when there is not. A `private` run belongs to the person who plays it and is not listed for others.
    """

    name: ClassVar[str]
    noun: ClassVar[str]
    """What a run of this kind is called in a sentence, with its article: "a scene"."""
    rests: ClassVar[bool] = False
    has_cast: ClassVar[bool] = False
    """Whether those who are asked in it are characters by the names of their cards, and a director."""
    private: ClassVar[bool] = False
    views: ClassVar[tuple[str, ...]] = ()
    """Further views of such a run, beside those that every run has."""
    patient: ClassVar[bool] = False
    """Whether such a run pauses for a provider that asks for it; where a person waits for the answer, it does not."""
    step: ClassVar[str] = "beat"
    """What the steps of `step_of` are called."""
    events: TypeAdapter[E]
    fold: Fold[S]

    @abstractmethod
    async def play(self, performance: Performance[E, S]) -> None:
        """Play from where the log stands to the end, or until there is nothing to do for a kind that rests."""

    def has_work(self, performance: Performance[E, S]) -> bool:
        """Whether there is something to play, for a kind that rests."""
        return False

    def give_up(self, performance: Performance[E, S], reason: RunStopped) -> tuple[Event, ...]:
        """The events that end what kept bringing down its process, so that the next one does not meet it again.

        `reason` follows them in the log.
        """
        return ()

    def perform(self, run: Run[E]) -> Performance[E, S]:
        """A run of this kind in the hands of this process."""
        return Performance(run, self)

    def limits(self, state: S) -> Limits:
        """What this run may spend, where it says so itself."""
        return Limits()

    async def files(self, performance: Performance[E, S]) -> None:
        """Write what a run leaves behind when it is stopped or fails: its files, as far as it got."""
        return

    def folder(self, run: Run[E]) -> str | None:
        """The folder below the data folder with files that cannot be made again from the log, if there is one."""
        return None

    def parts(self, run: Run[E]) -> tuple[str, ...]:
        """The ids of the runs that this one consists of; they are moved with it."""
        return ()

    async def restore(self, run: Run[E]) -> None:
        """Bring up to date what else is stored of a run whose log was imported."""
        return

    @abstractmethod
    def show(self, run: Run[E]) -> str:
        """The run as text for a terminal, as far as it got."""

    def debug(self, run: Run[E]) -> str:
        """Everything its log tells, one line per entry."""
        return "".join(f"{_dumped(self.logged(entry))}\n" for entry in run.entries)

    def logged(self, entry: Entry[E]) -> Entry[E]:
        """An entry as its log is shown to people: whole, unless the kind keeps something back for now."""
        return entry

    def documents(self, run: Run[E]) -> Iterator[object]:
        """The run for a program, one JSON value per line: its public entries, then its result if it has one."""
        for entry in public(run.entries):
            yield entry.model_dump(mode="json", by_alias=True)
        result = self.result(run)
        if result is not None:
            yield result.model_dump(mode="json", by_alias=True)

    def result(self, run: Run[E]) -> Value | None:
        """The outcome so far, for kinds that have one."""
        return None

    async def paid_entries(self, run: Run[E]) -> Sequence[Entry[Any]]:
        """The entries that hold what a run has paid for: its own, or those of the runs that it is made of."""
        return run.entries

    def step_of(self, key: str) -> int | None:
        """The beat or turn that an answer belongs to, by the key of its question; None where there is none."""
        return None

    def previews(self, performance: Performance[E, S]) -> Previews | None:
        """What is shown of answers while they are written, for a kind that shows any."""
        return None

    def answer_at(self, performance: Performance[E, S], entry: Entry[E]) -> AnswerSoFar | None:
        """The streamed answer that this entry asks for; None if it asks for none."""
        return None

    def is_aside(self, entry: Entry[E]) -> bool:
        """Whether an entry is shown at once, even while an answer is on its way, ahead of its place in the log."""
        return False

    def reopened(self, run: Run[E]) -> tuple[E, ...]:
        """The events that let a run that has ended be played on; none if its end stands."""
        return ()

    def check_resumable(self, record: RunRecord) -> None:
        """Raises InvalidConfig for a kind that cannot be resumed by hand, and says how it goes on."""
        return

    def resumes_alone(self, record: RunRecord) -> bool:
        """Whether a run whose process died is taken up by itself; not if it is another run that plays it on."""
        return True

    def held_elsewhere(self, record: RunRecord) -> str:
        """The message for somebody who wants a run that another process plays."""
        return f"Run {record.id} is being played by another process ({record.player}). Stop it there first."


class Kinds:
    """The kinds of run that there are here, by name; each is made when it is first needed."""

    def __init__(self, makers: Mapping[str, Callable[[], Kind[Any, Any]]]) -> None:
        self._makers = makers
        self._made: dict[str, Kind[Any, Any]] = {}

    @classmethod
    def of(cls, kinds: Iterable[Kind[Any, Any]]) -> Kinds:
        """A table of kinds that exist already."""
        return cls({kind.name: lambda kind=kind: kind for kind in kinds})  # type: ignore[misc]

    def __getitem__(self, name: str) -> Kind[Any, Any]:
        if name not in self._made:
            maker = self._makers.get(name)
            if maker is None:
                raise NotFound(f"No kind of run is called '{name}' (known here: {', '.join(sorted(self._makers))}).")
            kind = maker()
            _check_kernel_events(kind)
            self._made[name] = kind
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers


def _dumped(entry: Entry[Event]) -> str:
    return orjson.dumps(entry.model_dump(mode="json", by_alias=True)).decode()


def _check_kernel_events(kind: Kind[Any, Any]) -> None:
    answer = ModelAnswer(text="", model="")
    for event in (
        RunForked(parent="", at=0),
        RunStopped(reason=""),
        RunAdopted(player=""),
        RunReleased(player=""),
        BudgetRaised(),
        RunPaused(provider="", until=0.0),
        ModelAnswered(key="", purpose="acting", answer=answer),
    ):
        try:
            kind.events.validate_python(event)
        except ValidationError as error:
            raise ValueError(f"the events of '{kind.name}' must include the kernel's own '{event.type}'") from error
