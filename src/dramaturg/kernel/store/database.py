"""What the stores need from a database, be it SQLite or Postgres.

SQL is limited to what both understand, with `:name` parameters. A transaction is a generator: it yields statements,
is sent their rows, and returns its result, so that the same code runs in a thread over sqlite3 and on an event loop
over asyncpg.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

Parameters: TypeAlias = Mapping[str, object]
Rows: TypeAlias = Sequence[Sequence[Any]]

T = TypeVar("T")

LOG_COLUMNS = ("run_id", "seq", "at", "type", "hidden", "body")


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with its parameters; given a list, it is executed once for each."""

    sql: str
    parameters: Parameters | list[Parameters]


@dataclass(frozen=True, slots=True)
class Insert:
    """Rows for a table, in the order of `columns`; each database inserts them in the fastest way it has."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]


@dataclass(slots=True, eq=False)
class Append:
    """An append in the queue. `again` says that an earlier attempt may have been stored; `until`, when to give up."""

    run_id: str
    after: int
    rows: Sequence[tuple[int, float, str, bool, bytes]]
    written: asyncio.Future[None]
    again: bool = False
    until: float | None = None


@dataclass(frozen=True, slots=True)
class LogInsert:
    """Rows for logs, with the notice of them for other processes.

    If they were not `checked` in this transaction, they are inserted only if every log stands where its rows continue
    it; then the answer has a row. A database that has no shorter way than to check them first inserts nothing.
    """

    appends: Sequence[Append]
    checked: bool

    def plain(self) -> Insert:
        """The same without the notice."""
        rows = [(one.run_id, *row[:-1], row[-1].decode()) for one in self.appends for row in one.rows]
        return Insert("events", LOG_COLUMNS, rows)


Command: TypeAlias = Statement | Insert | LogInsert
Transaction: TypeAlias = Generator[Command, Rows, T]


class Database(Protocol):
    """An open database whose schema is current. Failures are StoreError."""

    @property
    def now(self) -> str:
        """The SQL for the seconds since the epoch, by the database's clock."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether only processes of one machine are expected to use it."""
        ...

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        """Queues a transaction at once; it is committed as a whole or rolled back.

        The future fails with `Conflict` if another process wrote the same row in the meantime. `small` is for a few
        rows that callers wait for: they may be written before this returns.
        """
        ...

    async def read(self, statement: Statement) -> Rows: ...

    async def notice(self) -> str:
        """Waits for what other processes tell: runs with the numbers of their logs ("a:3 b:9"), or "*" for look around.

        It may also be nothing, after a while.
        """
        ...

    async def tell(self, notice: str) -> None:
        """Tells other processes of a change, if they would not see it by themselves."""
        ...

    async def hears(self) -> bool:
        """Whether what is told arrives."""
        ...

    async def check(self) -> None:
        """Commits a small change, to see whether the database can be written. Raises StoreUnavailable."""
        ...

    async def close(self) -> None: ...


class Conflict(Exception):
    """Another process took or removed a key that the transaction wrote. It never leaves the store."""
