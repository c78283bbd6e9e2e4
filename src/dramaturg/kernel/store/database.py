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


Transaction: TypeAlias = Generator[Statement | Insert, Rows, T]


class Database(Protocol):
    """An open database whose schema is current. Failures are StoreError."""

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        """Queues a transaction at once; it is committed as a whole or rolled back.

        The future fails with `Conflict` if another process wrote the same row in the meantime. `small` is for a few
        rows that callers wait for: they may be written before this returns.
        """
        ...

    async def read(self, statement: Statement) -> Rows: ...

    async def check(self) -> None:
        """Commits a small change, to see whether the database can be written. Raises StoreUnavailable."""
        ...

    async def close(self) -> None: ...


class Conflict(Exception):
    """Another process took or removed a key that the transaction wrote. It never leaves the store."""
