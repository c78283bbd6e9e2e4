"""The store: the one seam between dramaturg and a database.

`store.runs` is the register of runs, `store.journal` the log of each. Every method raises StoreUnavailable
when the disk or the database fails; none leaks a driver's exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from dramaturg.kernel.store.database import Database
from dramaturg.kernel.values import Value

Status = Literal["playing", "ended", "stopped", "failed"]


class Row(NamedTuple):
    """One event as it lies in the log; `body` is its JSON."""

    seq: int
    at: float
    type: str
    hidden: bool
    body: bytes


class RunRecord(Value):
    """What the register knows of a run. `config` is JSON; `player` is the process that plays it."""

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
    """The logs: append-only, numbered from 1, gapless."""

    @property
    def commits(self) -> int:
        """How many transactions the appends took so far."""
        ...

    def append(self, run_id: str, after: int, rows: Sequence[Row]) -> asyncio.Future[None]:
        """Takes its place in the queue at once; the future is done when the rows are safe.

        Fails with Fenced, and writes none of the rows, when the last number of the log is not `after` or
        the run is gone. Appends made one after another are written in that order; each is judged by its
        number alone, so that whoever may be overtaken waits for one before making the next.
        """
        ...

    async def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Row]:
        """The rows numbered above `after`, in order."""
        ...

    async def wait(self, run_id: str, after: int, timeout: float) -> bool:
        """Whether something newer than `after` is there; returns as soon as it is.

        False when the time is up, or as soon as the run is no longer playing.
        """
        ...


class RunRegister(Protocol):
    """The runs that there are."""

    async def add(self, record: RunRecord, rows: Sequence[Row] = ()) -> None:
        """A new run with the first rows of its log: all of it, or nothing."""
        ...

    async def get(self, run_id: str) -> RunRecord | None: ...

    async def find(
        self, *, kind: str | None = None, status: Status | None = None, prefix: str = "", limit: int = 50
    ) -> list[RunRecord]:
        """Newest first."""
        ...

    async def mark(self, run_id: str, status: Status, at: float) -> None:
        """Sets the status and wakes who waits for the run; a run that is gone is left so."""
        ...

    async def adopt(self, run_id: str, player: str, at: float, held_by: str | None = None) -> RunRecord:
        """Gives the run to a player, counts it, and sets it playing.

        Raises Fenced when the run is gone, or `held_by` is given and no longer holds it.
        """
        ...

    async def remove(self, run_id: str) -> None:
        """Deletes the run and its log."""
        ...


class Store(Protocol):
    """Opened by `open_store`; used from the event loop that opened it."""

    @property
    def runs(self) -> RunRegister: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def database(self) -> Database:
        """For the tables that a capability keeps in its own `store.py`."""
        ...

    async def close(self) -> None:
        """Writes what is queued, then lets go of the database. Closing twice does nothing."""
        ...
