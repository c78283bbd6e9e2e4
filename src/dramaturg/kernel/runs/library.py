"""All the runs of a store: made, opened, found, forked, followed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreUnavailable
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs.events import Audience, Entry, Event, ModelAnswered, RunForked, RunStopped
from dramaturg.kernel.runs.ids import new_id, normal
from dramaturg.kernel.runs.player import Player
from dramaturg.kernel.runs.run import Run, to_row
from dramaturg.kernel.store.port import Row, RunRecord, Status, Store

SHORTEST_PREFIX = 4
FOLLOW_SECONDS = 60.0
PAGE = 500
SEEDS = range(-(2**63), 2**63)


class RunLibrary:
    """The runs of one store.

    `kinds` names for each kind of run the union of its events; each must include the kernel's own.
    """

    def __init__(self, store: Store, clock: Clock, kinds: Mapping[str, TypeAdapter[Any]]) -> None:
        self._store = store
        self._clock = clock
        self._kinds = kinds
        self.player = Player.here()
        for kind, events in kinds.items():
            _check_kernel_events(kind, events)

    async def create(
        self,
        kind: str,
        name: str,
        seed: int = 0,
        config: str = "{}",
        *,
        run_id: str | None = None,
        opening: Sequence[Event] = (),
    ) -> Run[Any]:
        """A new run, played by this process; with the first events of its log, or not at all. `config` is JSON.

        With an id of `id_for`, a second run for the same key raises StoreUnavailable.
        """
        events = self._events(kind)
        if seed not in SEEDS:
            raise InvalidConfig(f"The seed {seed} is too large; use a number below 2^63.", seed=seed)
        record = self._record(kind, name, seed, config)
        record = record.model_copy(update={"id": run_id}) if run_id else record
        entries = _numbered(opening, 0, record.created_at, events)
        await self._store.runs.add(record, [to_row(entry) for entry in entries])
        return Run(record, entries, self._store.journal, self._clock, events)

    async def open(self, run_id: str) -> Run[Any]:
        """A run with its log, by its id or a beginning of it that no other id has.

        Opening does not claim it: `adopt` does.
        """
        return await self._load(await self.get(run_id))

    async def get(self, run_id: str) -> RunRecord:
        """What the register knows of a run, by its id or the beginning of it. Raises NotFound."""
        wanted = normal(run_id)
        record = await self._store.runs.get(wanted)
        if record is not None:
            return record
        if len(wanted) < SHORTEST_PREFIX:
            raise await self._not_found(run_id, wanted)
        match await self._store.runs.find(prefix=wanted, limit=6):
            case [only]:
                return only
            case []:
                raise await self._not_found(run_id, wanted)
            case several:
                raise NotFound(
                    f"'{run_id}' is the beginning of several runs: {_listed(several)}. Give more of it.",
                    run=run_id,
                )

    async def find(self, kind: str | None = None, status: Status | None = None, limit: int = 50) -> list[RunRecord]:
        """Newest first."""
        return await self._store.runs.find(kind=kind, status=status, limit=limit)

    async def fork(self, run_id: str, at: int, note: str = "", opening: Sequence[Event] = ()) -> Run[Any]:
        """A new run with entries 1 to `at` of another, one that says so, and perhaps some more.

        The other stays as it is.
        """
        parent = await self.get(run_id)
        events = self._events(parent.kind)
        rows = await self._store.journal.read(parent.id, limit=max(at, 0))
        if at < 0 or len(rows) < at:
            raise NotFound(f"Run {parent.id} has no entry {at}; its last is {len(rows)}.", run=parent.id, at=at)
        record = self._record(parent.kind, parent.name, parent.seed, parent.config).model_copy(
            update={"parent_id": parent.id, "forked_at": at}
        )
        copied = [_entry(parent.id, row, events) for row in rows]
        forked = RunForked(parent=parent.id, at=at, note=note)
        added = _numbered((forked, *opening), at, record.created_at, events)
        await self._store.runs.add(record, [*rows, *(to_row(entry) for entry in added)])
        entries = [*copied, *added]
        return Run(record, entries, self._store.journal, self._clock, events)

    async def tail(self, run_id: str, after: int = 0, audience: Audience = "public") -> AsyncIterator[Entry[Any]]:
        """The entries above `after`, then the new ones as they are written, until the run is over.

        The audience "hidden" sees everything. A run that is deleted meanwhile is over.
        """
        first = await self.get(run_id)
        events = self._events(first.kind)
        while True:
            # Asked before the log is read: what was written before the run was over is then in it.
            record = await self._store.runs.get(first.id)
            rows = await self._store.journal.read(first.id, after, PAGE)
            for row in rows:
                after = row.seq
                entry = _entry(first.id, row, events) if audience == "hidden" or not row.hidden else None
                if entry is not None and audience in ("hidden", entry.event.audience):
                    yield entry
            if len(rows) == PAGE:
                continue
            if record is None or record.status != "playing":
                return
            await self._store.journal.wait(first.id, after, FOLLOW_SECONDS)

    async def adopt(self, record: RunRecord) -> Run[Any]:
        """Takes a run over, for this process to play on. Raises Fenced if another one took it meanwhile."""
        # Read first: a run that cannot be read is not taken from anybody.
        run = await self._load(record)
        run.record = await self._store.runs.adopt(record.id, str(self.player), self._clock.now(), held_by=record.player)
        return run

    async def mark(self, run: Run[Any], status: Status) -> None:
        """Says how the run stands."""
        now = self._clock.now()
        await self._store.runs.mark(run.id, status, now)
        run.record = run.record.model_copy(update={"status": status, "updated_at": now})

    async def delete(self, run_id: str) -> None:
        """Removes the run and its log; forks of it stay. A process that still plays it is fenced."""
        await self._store.runs.remove((await self.get(run_id)).id)

    def _record(self, kind: str, name: str, seed: int, config: str) -> RunRecord:
        now = self._clock.now()
        return RunRecord(
            id=new_id(now),
            kind=kind,
            name=name,
            status="playing",
            created_at=now,
            updated_at=now,
            seed=seed,
            player=str(self.player),
            config=config,
        )

    async def _load(self, record: RunRecord) -> Run[Any]:
        events = self._events(record.kind)
        rows = await self._store.journal.read(record.id)
        entries = [_entry(record.id, row, events) for row in rows]
        return Run(record, entries, self._store.journal, self._clock, events)

    def _events(self, kind: str) -> TypeAdapter[Any]:
        events = self._kinds.get(kind)
        if events is None:
            raise NotFound(f"No kind of run is called '{kind}' (known here: {', '.join(sorted(self._kinds))}).")
        return events

    async def _not_found(self, typed: str, wanted: str) -> NotFound:
        latest = await self._store.runs.find()
        if not latest:
            return NotFound(f"There is no run '{typed}', nor any other yet.", run=typed)
        by_id = {record.id: record for record in latest}
        near = get_close_matches(wanted, by_id, n=3, cutoff=0.7)
        known = [by_id[run_id] for run_id in near] or latest[:3]
        word = "Did you mean" if near else "The latest are"
        return NotFound(f"There is no run '{typed}'. {word}: {_listed(known)}{'?' if near else '.'}", run=typed)


def _listed(records: list[RunRecord]) -> str:
    return ", ".join(f"{record.id} ({record.name})" for record in records)


def _numbered(new: Iterable[Event], after: int, at: float, events: TypeAdapter[Any]) -> list[Entry[Any]]:
    """Events as the entries that follow number `after`."""
    return [
        Entry[Any](seq=seq, at=at, event=events.validate_python(event))
        for seq, event in enumerate(new, start=after + 1)
    ]


def _entry(run_id: str, row: Row, events: TypeAdapter[Any]) -> Entry[Any]:
    try:
        return Entry[Any](seq=row.seq, at=row.at, event=events.validate_json(row.body))
    except ValidationError as error:
        raise StoreUnavailable(
            f"Entry {row.seq} of run {run_id} ('{row.type}') cannot be read: {error.errors()[0]['msg']}. "
            "Another version of dramaturg wrote it, or it is damaged; upgrade, or fork the run before it.",
            run=run_id,
            seq=row.seq,
        ) from error


def _check_kernel_events(kind: str, events: TypeAdapter[Any]) -> None:
    answer = ModelAnswer(text="", model="")
    for event in (
        RunForked(parent="", at=0),
        RunStopped(reason=""),
        ModelAnswered(key="", purpose="acting", answer=answer),
    ):
        try:
            events.validate_python(event)
        except ValidationError as error:
            raise ValueError(f"the events of '{kind}' must include the kernel's own '{event.type}'") from error
