"""What the register and the journal ask of a database, whichever it is.

SQL here is the common part of SQLite and Postgres, with `:name` parameters. A transaction is a generator:
it yields statements, is sent their rows, and returns its result; so one text of it runs in a thread over
sqlite3 and on an event loop over asyncpg.
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
    """SQL with its parameters; a list of parameters runs it once for each."""

    sql: str
    parameters: Parameters | list[Parameters]


@dataclass(frozen=True, slots=True)
class Insert:
    """Rows for a table, in the order of its columns; a database puts them there in whichever way is quickest."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]


Transaction: TypeAlias = Generator[Statement | Insert, Rows, T]


class Database(Protocol):
    """An open database whose schema is current. Failures are StoreError."""

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        """Runs it whole or not at all, takes its place in the queue at once.

        `Conflict` means that another process wrote the same row meanwhile. `small` is for a few rows that others
        wait for: they may be written before this returns.
        """
        ...

    async def read(self, statement: Statement) -> Rows: ...

    async def close(self) -> None: ...


class Conflict(Exception):
    """A key that the transaction wrote was taken or removed meanwhile. It never leaves the store."""
