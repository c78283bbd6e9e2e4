"""SQLite: one thread that writes, one that reads, each with its own connection; small writes are made on the spot.

A transaction begins as BEGIN IMMEDIATE, so that what it reads still holds when it writes. To commit a few rows takes
less than to wake a thread for it, so the event loop does that itself, on a connection that never waits: if another
process is writing, or the disk has been slow, the thread does it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import cache, partial
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.database import Conflict, Insert, Rows, Statement, Transaction
from dramaturg.kernel.store.schema import CREATE, HEAD, OLDER, READ_VERSION

T = TypeVar("T")

BUSY_SECONDS = 10.0
"""How long a write waits for another process to finish its own."""
SLOW_SECONDS, REST_SECONDS = 0.05, 30.0
"""A small write that takes as long as the first on the event loop leaves the next ones, for so long, to the thread."""
MANY_ROWS = 32
CHECKED_EVERY = 200
"""Small writes after which what they wrote ahead is moved into the file."""


async def open_sqlite(path: Path, busy_seconds: float = BUSY_SECONDS) -> SqliteDatabase:
    """Opens the file, or makes it; its folder must be there."""
    database = SqliteDatabase(path, busy_seconds)
    try:
        await database.prepare()
    except BaseException:  # reason: its threads must end; it is raised again
        await database.close()
        raise
    return database


class SqliteDatabase:
    """A `Database` in one file."""

    def __init__(self, path: Path, busy_seconds: float = BUSY_SECONDS) -> None:
        self._place = str(path)
        self._writer = Worker(self._place, lambda: connect(path, busy_seconds))
        self._reader = Worker(self._place, lambda: connect(path, busy_seconds))
        self._desk = Desk(path)

    async def prepare(self) -> None:
        """Brings the schema up to date."""
        await self._writer.ask(lambda connection: bring_up_to_date(connection, self._place))

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        if small and self._desk.is_quick and not self._writer.stopped:
            done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            try:
                done.set_result(translated(lambda: self._desk.run(transaction), self._place))
            except Busy:
                return self._writer.ask(lambda connection: run_transaction(connection, transaction))
            except Exception as error:  # noqa: BLE001 # reason: whatever it is belongs to whoever waits
                done.set_exception(error)
            if self._desk.is_full:
                self._desk.unchecked = 0
                self._writer.ask(checkpoint)
            return done
        return self._writer.ask(lambda connection: run_transaction(connection, transaction))

    async def read(self, statement: Statement) -> Rows:
        return await self._reader.ask(lambda connection: execute(connection, statement))

    async def close(self) -> None:
        self._desk.close()
        await asyncio.to_thread(self._reader.stop)
        await asyncio.to_thread(self._writer.stop)


class Busy(Exception):
    """Another process is writing. It never leaves the store."""


class Desk:
    """Where the event loop writes by itself: a connection that does not wait for others, nor for the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._quick_from = 0.0
        self.unchecked = 0

    @property
    def is_quick(self) -> bool:
        """Whether writing here has not kept anybody waiting of late."""
        return time.monotonic() >= self._quick_from

    @property
    def is_full(self) -> bool:
        """Whether so much was written ahead that it should be moved into the file; a thread may do that."""
        return self.unchecked >= CHECKED_EVERY

    @property
    def connection(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self._path, 0.0)
            self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        return self._connection

    def run(self, transaction: Transaction[T]) -> T:
        """As `run_transaction`. Raises Busy, with the transaction untouched, if somebody else is writing."""
        connection, began = self.connection, time.monotonic()
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise Busy from error
            raise
        self.unchecked += 1
        result = finish_transaction(connection, transaction)
        ended = time.monotonic()
        if ended - began > SLOW_SECONDS:
            self._quick_from = ended + REST_SECONDS
        return result

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def checkpoint(connection: sqlite3.Connection) -> None:
    """Moves into the file what was written ahead of it; nobody waits for that, and writing goes on meanwhile."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def translated(job: Callable[[], T], place: str) -> T:
    """What sqlite3 raises, as Conflict or StoreUnavailable."""
    try:
        return job()
    except sqlite3.IntegrityError as error:
        raise Conflict from error
    except sqlite3.Error as error:
        raise failures.unavailable(error, place) from error


class Worker:
    """A thread that owns one connection and does one job after another with it."""

    def __init__(self, place: str, connect: Callable[[], sqlite3.Connection]) -> None:
        self._place = place
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.stopped = False
        # A process that ends without closing its store must end all the same.
        self._thread = Thread(target=self._work, name=f"store {place}", daemon=True)
        self._thread.start()

    def ask(self, job: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Queues the job at once. What sqlite3 raises comes back as Conflict or StoreUnavailable."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self.stopped:
            future.set_exception(StoreUnavailable(f"The store {self._place} is closed."))
            return future

        def answer() -> None:
            settle: Callable[[], None]
            try:
                settle = partial(_resolve, future, self._done(job))
            except Exception as error:  # noqa: BLE001 # reason: whatever it is belongs to whoever asked
                settle = partial(_fail, future, error)
            with suppress(RuntimeError):  # the event loop is gone, and with it whoever asked
                loop.call_soon_threadsafe(settle)

        self._jobs.put(answer)
        return future

    def stop(self) -> None:
        """Returns when what is queued is done and the connection closed."""
        self.stopped = True
        self._jobs.put(None)
        self._thread.join()

    def _done(self, job: Callable[[sqlite3.Connection], T]) -> T:
        def done() -> T:
            if self._connection is None:
                self._connection = self._connect()
            return job(self._connection)

        return translated(done, self._place)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
        if self._connection is not None:
            self._connection.close()


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def connect(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection that writes ahead, waits its turn and keeps foreign keys."""
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        # WAL with NORMAL loses no commit when a process is killed; only a power cut may cost the last ones.
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def execute(connection: sqlite3.Connection, statement: Statement | Insert) -> Rows:
    """The rows of one statement."""
    with closing(connection.cursor()) as cursor:
        if isinstance(statement, Insert):
            insert(cursor, statement)
            return []
        if isinstance(statement.parameters, Mapping):
            return cursor.execute(statement.sql, statement.parameters).fetchall()
        cursor.executemany(statement.sql, statement.parameters)
        return []


def insert(cursor: sqlite3.Cursor, wanted: Insert) -> None:
    """Puts rows into a table, many of them to a statement: between statements a thread waits for the interpreter."""
    rows = wanted.rows
    whole = len(rows) - len(rows) % MANY_ROWS
    for first in range(0, whole, MANY_ROWS):
        sql = _by_place(wanted.table, wanted.columns, MANY_ROWS)
        cursor.execute(sql, tuple(chain.from_iterable(rows[first : first + MANY_ROWS])))
    cursor.executemany(_by_place(wanted.table, wanted.columns, 1), rows[whole:])


@cache
def _by_place(table: str, columns: tuple[str, ...], rows: int) -> str:
    values = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([values] * rows)}"


def run_transaction(connection: sqlite3.Connection, transaction: Transaction[T]) -> T:
    """Begins, feeds the transaction the rows of its statements, and commits; or rolls back."""
    connection.execute("BEGIN IMMEDIATE")
    return finish_transaction(connection, transaction)


def finish_transaction(connection: sqlite3.Connection, transaction: Transaction[T]) -> T:
    """The same for one that has begun."""
    try:
        result = _drive(connection, transaction)
        connection.execute("COMMIT")
    except BaseException:  # reason: nothing of it may stay; it is raised again
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _drive(connection: sqlite3.Connection, transaction: Transaction[T]) -> T:
    try:
        statement = next(transaction)
        while True:
            statement = transaction.send(execute(connection, statement))
    except StopIteration as done:
        result: T = done.value
        return result


def bring_up_to_date(connection: sqlite3.Connection, place: str) -> None:
    """Makes the tables of a new file, migrates those of an older one, refuses those of a newer dramaturg."""
    version = _read_version(connection)
    if version is None:
        # Another process may be making the same file; who comes second finds it made.
        version = run_transaction(connection, _create(connection))
    if version in OLDER:
        from dramaturg.kernel.store.migrations import upgrade_sqlite

        upgrade_sqlite(connection)
    elif version != HEAD:
        raise failures.newer(place, version, HEAD)


def _create(connection: sqlite3.Connection) -> Transaction[str]:
    version = _read_version(connection)
    if version is not None:
        return version
    for sql in CREATE:
        yield Statement(sql, {})
    return HEAD


def _read_version(connection: sqlite3.Connection) -> str | None:
    try:
        rows = execute(connection, Statement(READ_VERSION, {}))
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return None
        raise
    return str(rows[0][0]) if rows else ""
