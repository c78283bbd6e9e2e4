"""The store: the one seam between dramaturg and a database.

`store.runs` is the registry of runs, `store.journal` holds their logs, `store.inbox` what people send to them. Every
method raises StoreUnavailable if the disk or the database fails; a driver's exception never gets out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from pydantic import Field

from dramaturg.kernel.errors import StoreBlocked
from dramaturg.kernel.store.database import Database
from dramaturg.kernel.store.notices import Signal
from dramaturg.kernel.values import Value

Status = Literal["playing", "ended", "stopped", "failed"]
LEASE_SECONDS = 15.0
LONGEST_LEASE = 600.0
"""A lease that runs longer was given before the database's clock went back, and is over."""


class Row(NamedTuple):
    """One event as stored in the log; `body` is its JSON."""

    seq: int
    at: float
    type: str
    hidden: bool
    body: bytes


class Look(NamedTuple):
    """A run and its log at one moment: its status, empty if it is gone, its last number, and rows of its log."""

    status: str
    last: int
    rows: list[Row]


class RunRecord(Value):
    """A run in the registry. `config` is JSON; `player` identifies the process that holds the run.

    `generation` counts those who have held it, from 1; 0 is a version without leases. `lease` is how many seconds the
    holder had left, by the database's clock, when the record was read.
    """

    id: str
    kind: str
    name: str
    status: Status
    created_at: float
    updated_at: float
    seed: int = 0
    parent_id: str | None = None
    forked_at: int | None = None
    player: str = ""
    adoptions: int = 0
    config: str = "{}"
    generation: int = Field(0, exclude=True)
    lease: float = Field(0.0, exclude=True)


class Lease(NamedTuple):
    """The lease of a run that was renewed, and whether somebody asks its player to stop."""

    run_id: str
    generation: int
    stop_asked: bool


class Journal(Protocol):
    """The logs: append-only, numbered from 1 without gaps."""

    @property
    def commits(self) -> int:
        """The number of transactions that the appends have taken so far."""
        ...

    @property
    def blocked(self) -> StoreBlocked | None:
        """Why appends are waiting for the store at the moment, if they are."""
        ...

    def append(self, run_id: str, after: int, rows: Sequence[Row], *, again: bool = False) -> asyncio.Future[None]:
        """Queues rows at once; the future is done when they are committed.

        While the store is blocked it waits, up to `[store] wait`, then fails with StoreBlocked. Only then may the
        same rows be appended `again`: if they were stored after all, that is a success.

        Fails with RunFenced, and writes none of the rows, if the log's last number is not `after` or the run is
        gone. Appends are written in the order they were made; each is checked by its number alone, so a writer that
        may be fenced must await one append before making the next.
        """
        ...

    async def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Row]:
        """The rows with numbers above `after`, in order."""
        ...

    async def select(self, run_ids: Sequence[str], types: Collection[str]) -> Mapping[str, list[Row]]:
        """The rows of these types, in order, by run: for lists of runs, which need not read whole logs."""
        ...

    async def look(self, run_id: str, after: int, limit: int) -> Look:
        """The same with the run's status and the log's last number, all as of one moment."""
        ...

    def signal(self, run_id: str) -> Signal:
        """Set when the run changes, in whatever process; a caller keeps it, and takes it before it looks."""
        ...


class RunRegistry(Protocol):
    """All runs of a project."""

    async def add(self, record: RunRecord, rows: Sequence[Row] = ()) -> None:
        """Adds a run with the first rows of its log, atomically."""
        ...

    async def get(self, run_id: str) -> RunRecord | None: ...

    async def find(
        self,
        *,
        kind: str | None = None,
        status: Status | None = None,
        prefix: str = "",
        before: RunRecord | None = None,
        limit: int = 50,
    ) -> list[RunRecord]:
        """Newest first, from the next older than `before` on."""
        ...

    async def unheld(self) -> list[RunRecord]:
        """The runs that look as if they were played, and whose lease is over; in a local database, all of them."""
        ...

    async def mark(
        self, run_id: str, status: Status, at: float, *, generation: int | None = None, lease: float = 0.0
    ) -> None:
        """Sets the status and wakes those who wait for the run; does nothing if the run is gone.

        With a `generation`, raises RunFenced if the run is gone or another process has taken it since.
        """
        ...

    async def renew(self, player: str, run_ids: Collection[str], lease: float) -> list[Lease]:
        """Renews the leases of these runs, as far as the player still holds them; returns those."""
        ...

    async def ask_to_stop(self, run_id: str) -> None:
        """Asks whoever plays the run to stop it."""
        ...

    async def asked_to_stop(self, run_ids: Collection[str]) -> list[str]:
        """Those of the runs that somebody wants stopped."""
        ...

    async def release(self, run_id: str, generation: int) -> None:
        """Leaves a run that is played to whoever takes it first."""
        ...

    async def annotate(self, run_id: str, config: str) -> None:
        """Replaces what is kept beside the log; does nothing if the run is gone."""
        ...

    async def adopt(
        self,
        run_id: str,
        player: str,
        at: float,
        *,
        lease: float = LEASE_SECONDS,
        generation: int | None = None,
        dead: bool = False,
        last: int | None = None,
        rows: Sequence[Row] = (),
    ) -> RunRecord:
        """Hands the run to another process, counts the adoption, marks it as playing, and appends rows to its log.

        All of it or nothing. Raises RunFenced if the run is gone, or its log does not end with the entry `last`; with
        a `generation`, also if somebody has taken it since, or holds a lease for it and is not known to be `dead`.
        """
        ...

    async def remove(self, run_id: str) -> None:
        """Deletes the run and its log."""
        ...


class InboxMessage(NamedTuple):
    """What somebody sent to a run, numbered from 1 in each run. `topic` says who takes it; `body` is its JSON.

    A message that is sent again under its `key` is not a second one.
    """

    number: int
    at: float
    topic: str
    author: str
    key: str
    body: str


class Inbox(Protocol):
    """What people send to runs, whichever process plays them. A message stays there after it was taken."""

    async def send(self, run_id: str, message: InboxMessage) -> InboxMessage | None:
        """Stores a message under the run's next number, and returns it as stored; None if the run is gone.

        If the run has a message of that key already, that one is returned. The number given is ignored.
        """
        ...

    async def read(self, run_id: str, topic: str, after: int = 0) -> list[InboxMessage]:
        """The messages of a topic with numbers above `after`, in order."""
        ...

    def signal(self, run_id: str) -> asyncio.Event:
        """Set when this process sends something to the run; a caller keeps it, and takes it before it reads."""
        ...


class Store(Protocol):
    """Opened by `open_store`; used from the event loop that opened it."""

    @property
    def runs(self) -> RunRegistry: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def inbox(self) -> Inbox: ...

    @property
    def database(self) -> Database:
        """For the tables that a capability accesses in its own `store.py`."""
        ...

    async def check(self) -> None:
        """Writes and reads, to see whether both are possible. Raises StoreUnavailable."""
        ...

    def hurry(self) -> None:
        """From now on nothing waits for a blocked store: the studio is closing."""
        ...

    async def close(self) -> None:
        """Writes what is queued, then closes the database. Closing twice does nothing."""
        ...
