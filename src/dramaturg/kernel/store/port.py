"""The store: the one seam between dramaturg and a database.

`store.runs` is the registry of runs, `store.journal` holds their logs, `store.inbox` what people send to them. Every
method raises StoreUnavailable if the disk or the database fails; a driver's exception never gets out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from dramaturg.kernel.errors import StoreBlocked
from dramaturg.kernel.store.database import Database
from dramaturg.kernel.values import Value

Status = Literal["playing", "ended", "stopped", "failed"]


class Row(NamedTuple):
    """One event as stored in the log; `body` is its JSON."""

    seq: int
    at: float
    type: str
    hidden: bool
    body: bytes


class RunRecord(Value):
    """A run in the registry. `config` is JSON; `player` identifies the process that holds the run."""

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

    async def wait(self, run_id: str, after: int, timeout: float) -> bool:
        """Waits until the log has rows above `after`, and returns True as soon as it has.

        Returns False after `timeout`, or as soon as the run is no longer playing.
        """
        ...


class RunRegistry(Protocol):
    """All runs of a project."""

    async def add(self, record: RunRecord, rows: Sequence[Row] = ()) -> None:
        """Adds a run with the first rows of its log, atomically."""
        ...

    async def get(self, run_id: str) -> RunRecord | None: ...

    async def find(
        self, *, kind: str | None = None, status: Status | None = None, prefix: str = "", limit: int = 50
    ) -> list[RunRecord]:
        """Newest first."""
        ...

    async def mark(self, run_id: str, status: Status, at: float) -> None:
        """Sets the status and wakes those who wait for the run; does nothing if the run is gone."""
        ...

    async def annotate(self, run_id: str, config: str) -> None:
        """Replaces what is kept beside the log; does nothing if the run is gone."""
        ...

    async def adopt(self, run_id: str, player: str, at: float, held_by: str | None = None) -> RunRecord:
        """Hands the run to another process, counts the adoption, and marks it as playing.

        Raises RunFenced if the run is gone, or if `held_by` is given and no longer holds it.
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
