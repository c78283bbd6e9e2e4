"""All the runs of a store: created, opened, found, forked, followed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeAlias, TypeVar, overload

from pydantic import TypeAdapter

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreBlocked
from dramaturg.kernel.runs.copies import RunCopies, check_seed
from dramaturg.kernel.runs.damage import check_known, read_entries, read_rows
from dramaturg.kernel.runs.digest import RunDigests, unpicked
from dramaturg.kernel.runs.events import Audience, Entry, Event, RunForked
from dramaturg.kernel.runs.holding import HeldRuns
from dramaturg.kernel.runs.ids import is_id, new_id, normal
from dramaturg.kernel.runs.inbox import RunInboxes
from dramaturg.kernel.runs.kind import Kind, Kinds
from dramaturg.kernel.runs.leases import elapsed
from dramaturg.kernel.runs.performance import Performance
from dramaturg.kernel.runs.run import Run, to_row
from dramaturg.kernel.runs.tail import shared_tail
from dramaturg.kernel.store.journal import FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS
from dramaturg.kernel.store.notices import Signal
from dramaturg.kernel.store.port import LEASE_SECONDS, Row, RunRecord, Status, Store

SHORTEST_PREFIX = 4
MANY = 10_000

E = TypeVar("E", bound=Event)
S = TypeVar("S")
T = TypeVar("T")
FollowedEntries: TypeAlias = AsyncGenerator[Entry[Any], None]


class RunLibrary(HeldRuns):
    """The runs of one store, of the kinds there are."""

    def __init__(
        self, store: Store, clock: Clock, kinds: Kinds, patience: float = 0.0, lease: float = LEASE_SECONDS
    ) -> None:
        """`patience` is how many seconds those who play and follow runs wait for a blocked store."""
        super().__init__(store, clock, lease)
        self.patience = patience
        self._kinds = kinds
        self.copies = RunCopies(store, clock, kinds)
        self.inboxes = RunInboxes(store.inbox, clock)
        self.digests = RunDigests(store)

    @overload
    async def create(
        self,
        kind: Kind[E, S],
        name: str,
        seed: int = ...,
        config: str = ...,
        *,
        run_id: str | None = ...,
        opening: Sequence[Event] = ...,
    ) -> Run[E]: ...

    @overload
    async def create(
        self,
        kind: str,
        name: str,
        seed: int = ...,
        config: str = ...,
        *,
        run_id: str | None = ...,
        opening: Sequence[Event] = ...,
    ) -> Run[Any]: ...

    async def create(
        self,
        kind: Kind[Any, Any] | str,
        name: str,
        seed: int = 0,
        config: str = "{}",
        *,
        run_id: str | None = None,
        opening: Sequence[Event] = (),
    ) -> Run[Any]:
        """A new run, held by this process; with the first events of its log, or not at all. `config` is JSON.

        With an id of `id_for`, a second run for the same key raises StoreUnavailable.
        """
        kind = self._kinds[kind] if isinstance(kind, str) else kind
        events = kind.events
        check_seed(seed)
        record = _new_record(kind.name, name, seed, config, at=self._clock.now())
        record = record.model_copy(update={"id": run_id}) if run_id else record
        entries = _numbered(opening, 0, record.created_at, events)
        return await self._add(record, entries, [to_row(entry) for entry in entries])

    async def _add(self, record: RunRecord, entries: Sequence[Entry[Any]], rows: Sequence[Row]) -> Run[Any]:
        since = elapsed()
        record = record.model_copy(update={"player": str(self.holder), "lease": self.leases.seconds})
        await self._store.runs.add(record, rows)
        run = Run(record, entries, self._store.journal, self._clock, self._kinds[record.kind].events)
        self.leases.hold(run, since)
        return run

    async def open(self, run_id: str) -> Run[Any]:
        """A run with its log, by its id or a beginning of it that no other id has.

        Opening does not claim it: `adopt` does. Of a damaged log it has everything before the `damage`; if that is
        nothing, StoreUnavailable is raised.
        """
        return await self._load(await self.get(run_id))

    async def open_rows(self, run_id: str) -> tuple[Run[Any], list[Row]]:
        """The same, with the rows of its entries as they are stored."""
        record = await self.get(run_id)
        run, rows = await self._load_rows(record)
        return run, rows

    async def open_with_kind(self, run_id: str) -> tuple[Run[Any], Kind[Any, Any]]:
        """The same, and what kind of run it is."""
        run = await self.open(run_id)
        return run, self.kind_of(run.record)

    async def open_as(self, kind: Kind[E, S], run_id: str) -> Run[E]:
        """The same for a run that must be of this kind. Raises NotFound for any other."""
        return await self._load(await self.get_as(kind, run_id))

    async def get_as(self, kind: Kind[Any, Any], run_id: str) -> RunRecord:
        """The record of a run that must be of this kind. Raises NotFound for any other."""
        record = await self.get(run_id)
        if record.kind != kind.name and self.is_private(record):
            raise await self._not_found(run_id, normal(run_id))
        if record.kind != kind.name:
            raise NotFound(
                f"Run {record.id} is not {kind.noun}; 'dramaturg runs show {record.id}' shows what it is.",
                run=record.id,
            )
        return record

    def perform(self, run: Run[Any]) -> Performance[Any, Any]:
        """A run that this process holds, ready to be played."""
        return self._kinds[run.kind].perform(run)

    def kind_of(self, record: RunRecord) -> Kind[Any, Any]:
        """What kind of run a record is of."""
        return self._kinds[record.kind]

    def can_play(self, record: RunRecord) -> bool:
        """Whether this studio knows the kind of a run."""
        return record.kind in self._kinds

    async def get(self, run_id: str) -> RunRecord:
        """What the register knows of a run, by its id or the beginning of it. Raises NotFound."""
        wanted = normal(run_id)
        record = await self._store.runs.get(wanted)
        if record is not None:
            return record
        if 0 < len(wanted) < SHORTEST_PREFIX:
            least = f"at least {SHORTEST_PREFIX} characters"
            raise NotFound(
                f"'{run_id}' is too short to be the beginning of a run's id. Give {least} of it.", run=run_id
            )
        # Nothing begins with a whole id, and looking for that would read every run there is.
        if not wanted or is_id(wanted):
            raise await self._not_found(run_id, wanted)
        match await self._store.runs.find(prefix=wanted, limit=6):
            case [only]:
                return only
            case []:
                raise await self._not_found(run_id, wanted)
            case several:
                shown = [one for one in several if not self.is_private(one)]
                listed = f": {_listed(shown)}" if shown else ""
                raise NotFound(f"'{run_id}' is the beginning of several runs{listed}. Give more of it.", run=run_id)

    async def known(self, run_id: str) -> RunRecord | None:
        """What the register knows of a run, by its whole id; None if there is none."""
        return await self._store.runs.get(run_id)

    async def find(
        self, kind: str | None = None, status: Status | None = None, limit: int = 50, before: RunRecord | None = None
    ) -> list[RunRecord]:
        """Newest first, from the next older than `before` on."""
        return await self._store.runs.find(kind=kind, status=status, before=before, limit=limit)

    async def fork(self, run_id: str, at: int, note: str = "", opening: Sequence[Event] = ()) -> Run[Any]:
        """A new run with entries 1 to `at` of another, one that says so, and perhaps some more.

        The other stays as it is.
        """
        parent = await self.get(run_id)
        events = self._kinds[parent.kind].events
        rows, _ = await read_rows(self._store.journal, parent.id, limit=max(at, 0))
        if at < 0 or len(rows) < at:
            raise NotFound(f"Run {parent.id} has no entry {at}; its last is {len(rows)}.", run=parent.id, at=at)
        # A fork is no favourite because its parent is one.
        record = _new_record(parent.kind, parent.name, parent.seed, unpicked(parent), at=self._clock.now())
        record = record.model_copy(update={"parent_id": parent.id, "forked_at": at})
        copied, damage = read_entries(parent.id, rows, events)
        if damage is not None:
            raise damage.error()
        check_known(parent.id, copied)
        forked = RunForked(parent=parent.id, at=at, note=note)
        added = _numbered((forked, *opening), at, record.created_at, events)
        return await self._add(record, [*copied, *added], [*rows, *(to_row(entry) for entry in added)])

    async def tail(
        self, run_id: str, after: int = 0, audience: Audience = "public", *, through_rests: bool = False
    ) -> FollowedEntries:
        """The entries above `after`, then the new ones as they are written, until the run is over.

        The audience "hidden" sees everything. A run that is deleted meanwhile is over; one that only rests is not,
        if asked so. All who follow a run here share what is read of its log.
        """
        record, journal = await self.get(run_id), self._store.journal
        events = self._kinds[record.kind].events
        while True:
            # Taken before looking: what is written between the look and the wait still wakes it.
            signal = journal.signal(record.id)
            tail = await self._patiently(partial(shared_tail, journal, record.id, signal, events, after, audience))
            for entry in tail.entries:
                yield entry
            if tail.damage is not None:
                raise tail.damage.error()
            after = tail.last
            if tail.goes_on:
                continue
            if not tail.status or (tail.status != "playing" and not through_rests):
                return
            await signal.wait()

    async def check_reached(self, run_id: str, after: int) -> None:
        """Raises InvalidConfig if a log ends before this entry: who claims to have it has read another log."""
        if not after:
            return
        last = (await self._patiently(partial(self._store.journal.look, run_id, after, 1))).last
        if last < after:
            raise InvalidConfig(
                f"Run {run_id} ends at entry {last} for now, and entry {after} is said to be known already: it was "
                "lost, or comes from another store. Follow the run from its beginning.",
                last=last,
            )

    def signal(self, run_id: str) -> Signal:
        """Set when the run changes, in whatever process; a caller keeps it, and takes it before it looks."""
        return self._store.journal.signal(run_id)

    async def check(self) -> None:
        """Raises StoreUnavailable unless the store can be written and read."""
        await self._store.check()

    async def wait_until_writable(self, until: float) -> bool:
        """Waits for a blocked store, until a time of the event loop's; False if it does not come back by then."""
        loop, pause = asyncio.get_running_loop(), FIRST_RETRY_SECONDS
        while loop.time() < until:
            await asyncio.sleep(pause)
            try:
                await self.check()
            except StoreBlocked:
                pause = min(2 * pause, LAST_RETRY_SECONDS)
            else:
                return True
        return False

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Asks the store, and again while it is blocked, for as long as a run waits for it."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.patience
        while True:
            try:
                return await ask()
            except StoreBlocked:
                if not await self.wait_until_writable(until):
                    raise

    async def adopt(self, record: RunRecord, *events: Event) -> Run[Any]:
        """Takes a run over, for this process to play on, with its first events. RunFenced if another one has it."""
        # Read first: a run that cannot be read is not taken from anybody.
        run = await self._load(record)
        if run.damage is not None:
            raise run.damage.error()
        check_known(run.id, run.entries)
        entries = _numbered(events, run.seq, self._clock.now(), self._kinds[record.kind].events)
        await self._take(run, record, [to_row(entry) for entry in entries])
        run.extend(entries)
        return run

    async def delete(self, run_id: str) -> None:
        """Removes the run and its log; forks of it stay. A process that still plays it is fenced."""
        await self._store.runs.remove((await self.get(run_id)).id)

    async def _load(self, record: RunRecord) -> Run[Any]:
        return (await self._load_rows(record))[0]

    async def _load_rows(self, record: RunRecord) -> tuple[Run[Any], list[Row]]:
        events = self._kinds[record.kind].events
        rows, unreadable = await read_rows(self._store.journal, record.id)
        entries, damage = read_entries(record.id, rows, events)
        damage = damage or unreadable
        if damage is not None and not entries:
            raise damage.error()
        if not entries and await self.known(record.id) is None:  # deleted since its record was read
            raise await self.not_found(record.id)
        run = Run(record, entries, self._store.journal, self._clock, events, damage=damage)
        return run, rows[: len(entries)]

    def is_private(self, record: RunRecord) -> bool:
        return self.can_play(record) and self.kind_of(record).private

    async def not_found(self, run_id: str) -> NotFound:
        """The error for a run that does not exist, or that the caller may not know of."""
        return await self._not_found(run_id, normal(run_id))

    async def _not_found(self, typed: str, wanted: str) -> NotFound:
        # Sessions belong to their players: nobody learns the id of another's from a mistyped one.
        everything = await self._store.runs.find()
        latest = [one for one in everything if not self.is_private(one)]
        return _unknown_run(typed, wanted, latest, any_run=bool(everything))


def _new_record(kind: str, name: str, seed: int, config: str, *, at: float) -> RunRecord:
    return RunRecord(
        id=new_id(at),
        kind=kind,
        name=name,
        status="playing",
        created_at=at,
        updated_at=at,
        seed=seed,
        config=config,
        generation=1,
    )


def _unknown_run(typed: str, wanted: str, latest: list[RunRecord], *, any_run: bool) -> NotFound:
    """The error for a run that is not there, with the ids that are nearest to it."""
    if not latest:
        nor = "" if any_run else ", nor any other yet"
        return NotFound(f"There is no run '{typed}'{nor}.", run=typed)
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
