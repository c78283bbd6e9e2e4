"""The handle of one run: what its log holds so far, and appending to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, RunFenced, StoreBlocked
from dramaturg.kernel.models.port import ModelAnswer, Purpose
from dramaturg.kernel.runs.damage import Damage
from dramaturg.kernel.runs.events import AnswersSetAside, Entry, Event, ModelAnswered
from dramaturg.kernel.store.port import Journal, Row, RunRecord
from dramaturg.kernel.values import construct

E = TypeVar("E", bound=Event)
# Looked up once: naming the type anew for each entry costs more than making the entry.
_ENTRY = Entry[Any]

LINGER_SECONDS = 0.1
"""How long what was only put waits for something that is appended, to be written with it."""


class Changes:
    """Wakes everybody in this process who waits for something new in a run."""

    def __init__(self) -> None:
        self._next: asyncio.Event | None = None

    def next(self) -> asyncio.Event:
        """Set at the next change. Taken before looking, so that nothing is missed between the look and the wait."""
        if self._next is None:
            self._next = asyncio.Event()
        return self._next

    def notify(self) -> None:
        if self._next is not None:
            changed, self._next = self._next, None
            changed.set()


class Run(Generic[E]):
    """One performance and its log. `entries` holds what is stored, in order; `damage` is what follows it, if anything.

    "Stored" is what `[store] durability` says: by default it survives the death of the process at once, and a power
    failure a moment later.
    """

    def __init__(
        self,
        record: RunRecord,
        entries: Iterable[Entry[E]],
        journal: Journal,
        clock: Clock,
        events: TypeAdapter[E],
        damage: Damage | None = None,
    ) -> None:
        self.record = record
        self.damage = damage
        self.answers = Answers()
        self.changes = Changes()
        self._entries: list[Entry[E]] = []
        self._journal = journal
        self._clock = clock
        self._events = events
        self._known: set[type[Event]] = set()
        self._gathering: _Batch[E] | None = None
        self._latest: _Batch[E] | None = None
        self._writing = False
        self._lingering: asyncio.TimerHandle | None = None
        self._failure: BaseException | None = None
        self._unsaved: list[_Batch[E]] = []
        self._recovering = asyncio.Lock()
        self.leased_until = 0.0
        self._keep(entries)
        self._claimed = self.seq

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def kind(self) -> str:
        return self.record.kind

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def seed(self) -> int:
        return self.record.seed

    @property
    def entries(self) -> Sequence[Entry[E]]:
        """The log so far. It is the log itself, not a copy, and grows as the run is played."""
        return self._entries

    @property
    def failure(self) -> BaseException | None:
        """What keeps this handle from writing; None while it is intact."""
        return self._failure

    def extend(self, entries: Iterable[Entry[E]]) -> None:
        """Takes in entries that were stored when the run was taken over."""
        self._keep(entries)
        self._claimed = self.seq

    def fence(self, error: RunFenced) -> None:
        """From now on nothing is written: another process has the run."""
        self._failure, self._unsaved = error, []

    @property
    def claimed(self) -> int:
        """The number of the last entry that was put, written or not."""
        return self._claimed

    @property
    def seq(self) -> int:
        """The number of the last entry; 0 before the first."""
        return len(self._entries)

    async def append(self, *events: E) -> tuple[Entry[E], ...]:
        """Writes events, side by side and in the order of the calls; returns when they are safe.

        Several tasks may append at once. A caller that is cancelled while it waits takes nothing back.
        Raises RunFenced when another player wrote to this run; from then on every append fails alike, since what
        would be written no longer follows from what is there.
        """
        entries = self.put(*events)
        await self.written(entries)
        return entries

    async def written(self, entries: Sequence[Entry[E]]) -> None:
        """Returns when entries that were put are safe. Raises what keeps them from being written."""
        if entries:
            await self._written()
            if self.seq < entries[-1].seq:
                self._raise_if_failed()

    def put(self, *events: E) -> tuple[Entry[E], ...]:
        """As `append`, without waiting: for what can be made again from the log if it is lost on the way.

        It is written in its place, before anything that is appended later and at the latest a moment from now;
        what goes wrong is raised by the next call.
        """
        paid_late = isinstance(self._failure, StoreBlocked) and all(isinstance(one, ModelAnswered) for one in events)
        if not paid_late:
            self._raise_if_failed()
        if not events:
            return ()
        at = self._clock.now()
        for event in events:
            self._check(event)
        first = self._claimed + 1
        entries = tuple(
            [construct(_ENTRY, {"seq": seq, "at": at, "event": event}) for seq, event in enumerate(events, start=first)]
        )
        rows = [to_row(entry) for entry in entries]
        self._claimed += len(entries)
        self._place(paid_late).extend(entries, rows)
        return entries

    def _place(self, paid_late: bool) -> _Batch[E]:
        """Where entries go that are put now: an answer that comes while the store is blocked waits for `recover`."""
        if paid_late:
            self._unsaved.append(_Batch())
            return self._unsaved[-1]
        if self._gathering is None:
            self._latest = self._gathering = _Batch()
            if not self._writing:
                self._linger()
        return self._gathering

    def overhear(self, entry: Entry[E]) -> None:
        """Takes in an entry that another process wrote, for those who follow."""
        self._keep((entry,))
        self._claimed = self.seq

    async def flush(self) -> None:
        """Returns when all that was put is safe; raises what went wrong with it."""
        await self._written()
        self._raise_if_failed()

    async def recover(self) -> None:
        """Writes what a blocked store refused; on return the run is intact again. Raises what still keeps it from it.

        A run that another player wrote to meanwhile is fenced, as with any append.
        """
        async with self._recovering:
            while self._unsaved:
                batch = self._unsaved[0]
                try:
                    await self._journal.append(self.id, self.seq, batch.rows, again=True)
                except RunFenced as error:
                    self._failure, self._unsaved = error, []
                    raise
                del self._unsaved[0]
                self._keep(batch.entries)
                self.changes.notify()
            if isinstance(self._failure, StoreBlocked):
                self._failure = None
        await self.flush()

    async def _written(self) -> None:
        """Returns when the batch that is gathered, or the last one sent, is settled."""
        if self._latest is None:
            return
        settled = self._latest.awaited()
        if not self._writing:
            self._write()
        await settled.wait()

    def _linger(self) -> None:
        loop = asyncio.get_running_loop()
        self._lingering = loop.call_later(LINGER_SECONDS, self._write)

    def _check(self, event: E) -> None:
        """An event is of this kind of run, or it is not written. A type that was one before is one again."""
        if type(event) not in self._known:
            self._events.validate_python(event)
            self._known.add(type(event))

    def _write(self) -> None:
        """Sends what was gathered. Never a second batch before the first is safe.

        Another player may have written as much as the first batch holds; then the second would seem to follow on.
        """
        batch, self._gathering = self._gathering, None
        if self._lingering is not None:
            self._lingering.cancel()
            self._lingering = None
        if batch is None:
            return
        self._writing = True
        written = self._journal.append(self.id, self.seq, batch.rows)
        written.add_done_callback(partial(self._settle, batch))

    def _settle(self, batch: _Batch[E], written: asyncio.Future[None]) -> None:
        self._writing = False
        self._failure = written.exception() or self._failure
        if self._failure is None:
            self._keep(batch.entries)
            self.changes.notify()
            if self._gathering is not None:
                if self._gathering.is_awaited:
                    self._write()
                else:
                    self._linger()
        else:
            self._set_aside(batch)
        batch.settle()

    def _set_aside(self, batch: _Batch[E]) -> None:
        """What a blocked store refused is kept for `recover`, with all that was to follow it."""
        following, self._gathering = self._gathering, None
        refused = [batch] if following is None else [batch, following]
        if isinstance(self._failure, StoreBlocked):
            self._unsaved = refused
        for one in refused:
            one.settle()

    def _raise_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _keep(self, entries: Iterable[Entry[E]]) -> None:
        for entry in entries:
            self._entries.append(entry)
            if isinstance(entry.event, ModelAnswered):
                self.answers.keep(entry.event)
            elif isinstance(entry.event, AnswersSetAside):
                self.answers.forget(entry.event.keys)


class _Batch(Generic[E]):
    """Entries that are written together; settled when they are, or never will be."""

    __slots__ = ("_is_settled", "_settled", "entries", "rows")

    def __init__(self) -> None:
        self.entries: list[Entry[E]] = []
        self.rows: list[Row] = []
        self._settled: asyncio.Event | None = None  # most batches of what was put are waited for by nobody
        self._is_settled = False

    @property
    def is_awaited(self) -> bool:
        return self._settled is not None

    def extend(self, entries: Iterable[Entry[E]], rows: Iterable[Row]) -> None:
        self.entries.extend(entries)
        self.rows.extend(rows)

    def awaited(self) -> asyncio.Event:
        """What to wait on."""
        if self._settled is None:
            self._settled = asyncio.Event()
            if self._is_settled:
                self._settled.set()
        return self._settled

    def settle(self) -> None:
        self._is_settled = True
        if self._settled is not None:
            self._settled.set()


@dataclass(slots=True)
class Question:
    """A question under way: for whom, to which model, and what has arrived of the answer while somebody watches.

    `paused_until` is set while its provider has no room.
    """

    who: str
    purpose: Purpose
    model: str
    text: str = ""
    paused_until: float | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Answers:
    """The model's answers in the log by the key of their question, and the questions under way.

    While somebody watches, answers are streamed where they can be. `unstreamed` are the models that cannot.
    """

    def __init__(self) -> None:
        self._known: dict[str, ModelAnswer] = {}
        self.under_way: dict[str, Question] = {}
        self.unstreamed: set[str] = set()
        self._watchers = 0

    def get(self, key: str) -> ModelAnswer | None:
        return self._known.get(key)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """For the time of a block somebody sees the questions under way."""
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1

    def are_shown(self, model: str) -> bool:
        """Whether somebody would see a model's answer arrive."""
        return self._watchers > 0 and model not in self.unstreamed

    def asked(self, key: str) -> None:
        """The question is over, answered or not; who waited for it may look."""
        self.under_way.pop(key).over.set()

    def keep(self, answered: ModelAnswered) -> None:
        self._known[answered.key] = answered.answer

    def forget(self, keys: Iterable[str]) -> None:
        """Questions that are to be asked again."""
        for key in keys:
            self._known.pop(key, None)


def to_row(entry: Entry[Any]) -> Row:
    """An entry as it lies in the log."""
    event: Event = entry.event
    # As `model_dump_json`, without the way through a text and back.
    try:
        body = event.__pydantic_serializer__.to_json(event)
    except PydanticSerializationError as error:
        raise InvalidConfig(f"There is half of a character in '{event.type}': a lone surrogate. Remove it.") from error
    return Row(entry.seq, entry.at, event.type, event.audience == "hidden", body)
