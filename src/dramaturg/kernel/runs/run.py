"""The handle of one run: what its log holds so far, and appending to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered
from dramaturg.kernel.store.port import Journal, Row, RunRecord

E = TypeVar("E", bound=Event)
# Looked up once: naming the type anew for each entry costs more than making the entry.
_ENTRY = Entry[Any]


class Run(Generic[E]):
    """One performance and its log. `entries` holds what is safely written, in order."""

    def __init__(
        self,
        record: RunRecord,
        entries: Iterable[Entry[E]],
        journal: Journal,
        clock: Clock,
        events: TypeAdapter[E],
    ) -> None:
        self.record = record
        self.answers = Answers()
        self._entries: list[Entry[E]] = []
        self._journal = journal
        self._clock = clock
        self._events = events
        self._known: set[type[Event]] = set()
        self._gathering: _Batch[E] | None = None
        self._latest: _Batch[E] | None = None
        self._writing = False
        self._failure: BaseException | None = None
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
    def seq(self) -> int:
        """The number of the last entry; 0 before the first."""
        return len(self._entries)

    async def append(self, *events: E) -> tuple[Entry[E], ...]:
        """Writes events, side by side and in the order of the calls; returns when they are safe.

        Several tasks may append at once. A caller that is cancelled while it waits takes nothing back.
        Raises Fenced when another player wrote to this run; from then on every append fails alike, since what
        would be written no longer follows from what is there.
        """
        entries = self.put(*events)
        batch = self._latest
        if entries and batch is not None:
            await batch.settled.wait()
            if self.seq < entries[-1].seq:
                self._raise_if_failed()
        return entries

    def put(self, *events: E) -> tuple[Entry[E], ...]:
        """As `append`, without waiting: for what can be made again from the log if it is lost on the way.

        It is written in its place, before anything that is appended later; what goes wrong is raised there.
        """
        self._raise_if_failed()
        if not events:
            return ()
        at = self._clock.now()
        for event in events:
            self._check(event)
        entries = tuple(
            _ENTRY.model_construct(seq=self._claimed + i, at=at, event=event) for i, event in enumerate(events, start=1)
        )
        rows = [to_row(entry) for entry in entries]
        self._claimed += len(entries)
        batch = self._latest = self._gathering = self._gathering or _Batch()
        batch.entries.extend(entries)
        batch.rows.extend(rows)
        if not self._writing:
            self._write()
        return entries

    async def flush(self) -> None:
        """Returns when all that was put is safe; raises what went wrong with it."""
        if self._latest is not None:
            await self._latest.settled.wait()
        self._raise_if_failed()

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
        if batch is None:
            return
        self._writing = True
        written = self._journal.append(self.id, self.seq, batch.rows)
        written.add_done_callback(partial(self._settle, batch))

    def _settle(self, batch: _Batch[E], written: asyncio.Future[None]) -> None:
        self._writing = False
        self._failure = written.exception()
        if self._failure is None:
            self._keep(batch.entries)
            self._write()
        elif self._gathering is not None:
            self._gathering.settled.set()
        batch.settled.set()

    def _raise_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _keep(self, entries: Iterable[Entry[E]]) -> None:
        for entry in entries:
            self._entries.append(entry)
            if isinstance(entry.event, ModelAnswered):
                self.answers.keep(entry.event)


@dataclass(slots=True)
class _Batch(Generic[E]):
    """Entries that are written together; `settled` when they are, or never will be."""

    entries: list[Entry[E]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    settled: asyncio.Event = field(default_factory=asyncio.Event)


class Answers:
    """The model's answers in the log by the key of their question, and the questions under way."""

    def __init__(self) -> None:
        self._known: dict[str, ModelAnswer] = {}
        self.under_way: dict[str, asyncio.Event] = {}

    def get(self, key: str) -> ModelAnswer | None:
        return self._known.get(key)

    def keep(self, answered: ModelAnswered) -> None:
        self._known[answered.key] = answered.answer


def to_row(entry: Entry[Any]) -> Row:
    """An entry as it lies in the log."""
    event: Event = entry.event
    return Row(
        seq=entry.seq,
        at=entry.at,
        type=event.type,
        hidden=event.audience == "hidden",
        body=event.model_dump_json().encode(),
    )
