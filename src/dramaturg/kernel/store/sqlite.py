"""SQLite: a writer thread and a reader thread, each with its own connection; small writes are made inline.

A transaction begins with BEGIN IMMEDIATE, so that what it reads is still true when it writes. Committing a few rows
takes less time than waking a thread, so the event loop does it itself, on a connection that never waits: if another
process is writing, or the disk has been slow, the thread does it.

A commit is in the write-ahead log, where the death of the process does not touch it. A third thread flushes that log to
the disk; with durability "full" every commit waits for the disk instead, and all of them are made by the writer thread,
so that appends that arrive meanwhile share the next one.

Before each transaction and each read, the file at the path must be the one that is open.
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
from typing import Literal, TypeVar

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.database import Command, Conflict, Insert, LogInsert, Rows, Statement, Transaction
from dramaturg.kernel.store.database_file import DatabaseFile
from dramaturg.kernel.store.log_flusher import LogFlusher
from dramaturg.kernel.store.notices import LOOK_AROUND
from dramaturg.kernel.store.schema import HEAD, OLDER, READ_VERSION, TOUCH, create_statements, is_readable
from dramaturg.kernel.store.transactions import in_sequence

T = TypeVar("T")
Durability = Literal["normal", "full"]

BUSY_SECONDS = 10.0
"""How long a write waits for another process's lock."""
SLOW_SECONDS, REST_SECONDS = 0.05, 30.0
"""After an inline write that takes longer than the first, writes go to the thread for the second."""
MANY_ROWS = 32
TICK_SECONDS = 0.02
"""How often the commits of other processes are looked for, while somebody waits for a run."""
CHECKPOINT_EVERY = 200
"""The number of inline writes between checkpoints of the write-ahead log."""


async def open_sqlite(
    path: Path, busy_seconds: float = BUSY_SECONDS, durability: Durability = "normal"
) -> SqliteDatabase:
    """Opens the file, or creates it; its folder must exist."""
    database = SqliteDatabase(path, busy_seconds, durability)
    try:
        await database.prepare()
    except BaseException:  # reason: its threads must end; re-raised
        await database.close()
        raise
    return database


class SqliteDatabase:
    """A `Database` in one file."""

    now = "((julianday('now') - 2440587.5) * 86400.0)"
    is_local = True

    def __init__(
        self,
        path: Path,
        busy_seconds: float = BUSY_SECONDS,
        durability: Durability = "normal",
        flusher: LogFlusher | None = None,
    ) -> None:
        self.path = path
        self._place = str(path)
        self._file = DatabaseFile(path)
        self._writer = Worker(self._place, lambda: connect(path, busy_seconds, durability), self._file.check)
        self._reader = Worker(self._place, lambda: connect(path, busy_seconds), self._file.check)
        self._inline = InlineWriter(path)
        self._waits_for_disk = durability == "full"
        self._flusher = flusher or LogFlusher(path)
        self._counter: sqlite3.Connection | None = None
        self._version = 0

    async def prepare(self) -> None:
        """Brings the schema up to date."""
        await self._writer.ask(lambda connection: bring_up_to_date(connection, self._place))
        self._file.remember()

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        if small and not self._waits_for_disk and self._inline.is_fast and not self._writer.stopped:
            done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            try:
                self._file.check()
                done.set_result(with_store_errors(lambda: self._inline.run(transaction), self._place))
                self._flusher.committed()
            except DatabaseBusy:
                return self._writer.ask(lambda connection: self._commit(connection, transaction))
            except Exception as error:  # noqa: BLE001 # reason: every error belongs to the caller
                if isinstance(error, StoreUnavailable):
                    self._inline.rest()
                done.set_exception(error)
            if self._inline.needs_checkpoint:
                self._inline.uncheckpointed = 0
                self._writer.ask(checkpoint)
            return done
        return self._writer.ask(lambda connection: self._commit(connection, transaction))

    async def read(self, statement: Statement) -> Rows:
        return await self._reader.ask(lambda connection: read_rows(connection, statement))

    async def notice(self) -> str:
        """SQLite counts the commits of others: a look at the counter reads no page."""
        await asyncio.sleep(TICK_SECONDS)
        if self._writer.stopped:
            return ""
        was, self._version = self._version, with_store_errors(self._count, self._place)
        return LOOK_AROUND if self._version != was else ""

    async def tell(self, notice: str) -> None:
        """The other processes see the commit itself."""

    async def hears(self) -> bool:
        return True

    async def check(self) -> None:
        await self.write(in_sequence(Statement(TOUCH, {})))
        if self._flusher.failure is not None:
            raise failures.unwritable(self._flusher.failure, self.path)

    def _commit(self, connection: sqlite3.Connection, transaction: Transaction[T]) -> T:
        result = run_transaction(connection, transaction)
        if not self._waits_for_disk:
            self._flusher.committed()
        return result

    def _count(self) -> int:
        try:
            self._file.check()
        except StoreUnavailable:
            self._forget_counter()
            raise
        if self._counter is None:
            self._counter = connect(self.path, 0.0)
        (version,) = self._counter.execute("PRAGMA data_version").fetchone()
        return int(version)

    def _forget_counter(self) -> None:
        if self._counter is not None:
            self._counter.close()
            self._counter = None

    async def close(self) -> None:
        self._inline.close()
        self._forget_counter()
        await asyncio.to_thread(self._reader.stop)
        await asyncio.to_thread(self._writer.stop)
        await asyncio.to_thread(self._flusher.stop)


class DatabaseBusy(Exception):
    """Another process is writing. This error never leaves the store."""


class InlineWriter:
    """Writes on the event loop, over a connection that waits neither for locks nor for checkpoints."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._fast_from = 0.0
        self.uncheckpointed = 0

    @property
    def is_fast(self) -> bool:
        """Whether no recent inline write was slow."""
        return time.monotonic() >= self._fast_from

    @property
    def needs_checkpoint(self) -> bool:
        """Whether the write-ahead log has grown enough for a checkpoint, which a thread may run."""
        return self.uncheckpointed >= CHECKPOINT_EVERY

    @property
    def connection(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self._path, 0.0)
            self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        return self._connection

    def run(self, transaction: Transaction[T]) -> T:
        """As `run_transaction`. Raises DatabaseBusy, before the transaction starts, if another process is writing."""
        connection, began = self.connection, time.monotonic()
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise DatabaseBusy from error
            raise
        self.uncheckpointed += 1
        result = finish_transaction(connection, transaction)
        ended = time.monotonic()
        if ended - began > SLOW_SECONDS:
            self._fast_from = ended + REST_SECONDS
        return result

    def rest(self) -> None:
        """After a failure: the thread writes for a while, and this connection is made anew."""
        self._fast_from = time.monotonic() + REST_SECONDS
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def checkpoint(connection: sqlite3.Connection) -> None:
    """Moves the write-ahead log into the file; nothing blocks on it, and writes may continue."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def with_store_errors(job: Callable[[], T], place: str) -> T:
    """Runs a job and turns what sqlite3 raises into Conflict or StoreUnavailable."""
    try:
        return job()
    except sqlite3.IntegrityError as error:
        raise Conflict from error
    except sqlite3.Error as error:
        raise failures.unavailable(error, place) from error
    except UnicodeDecodeError as error:  # Python cannot read what SQLite says of it
        raise failures.unavailable(_corrupt(), place) from error


def _corrupt() -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("malformed database schema")
    error.sqlite_errorname = "SQLITE_CORRUPT"
    return error


class Worker:
    """A thread that owns one connection and runs one job after another on it.

    `check` is called before each, and raises StoreUnavailable where the connection may not be used.
    """

    def __init__(
        self, place: str, connect: Callable[[], sqlite3.Connection], check: Callable[[], None] = lambda: None
    ) -> None:
        self._place, self._check = place, check
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.stopped = False
        # A daemon, since a process must be able to exit without closing its store.
        self._thread = Thread(target=self._work, name=f"store {place}", daemon=True)
        self._thread.start()

    def ask(self, job: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Queues the job at once. The future fails with Conflict or StoreUnavailable."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self.stopped:
            future.set_exception(StoreUnavailable(f"The store {self._place} is closed."))
            return future

        def answer() -> None:
            settle: Callable[[], None]
            try:
                settle = partial(_resolve, future, self._done(job))
            except Exception as error:  # noqa: BLE001 # reason: every error belongs to the caller
                settle = partial(_fail, future, error)
            with suppress(RuntimeError):  # the event loop is closed, and the caller is gone
                loop.call_soon_threadsafe(settle)

        self._jobs.put(answer)
        return future

    def stop(self) -> None:
        """Returns when the queue is empty and the connection closed."""
        self.stopped = True
        self._jobs.put(None)
        self._thread.join()

    def _done(self, job: Callable[[sqlite3.Connection], T]) -> T:
        def done() -> T:
            self._check()
            if self._connection is None:
                self._connection = self._connect()
            return job(self._connection)

        try:
            return with_store_errors(done, self._place)
        except StoreUnavailable:
            # Made anew the next time: the disk may have been away, and the file may be another.
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
                self._connection = None
            raise

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


def connect(path: Path, busy_seconds: float = BUSY_SECONDS, durability: Durability = "normal") -> sqlite3.Connection:
    """A connection in WAL mode that waits for locks and enforces foreign keys.

    Raises StoreUnavailable for a file with views or triggers: ours have none.
    """
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        # WAL with NORMAL loses no commit if a process is killed; a power failure may cost those not flushed yet.
        for pragma in ("journal_mode = WAL", f"synchronous = {durability}", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        check_programs(connection, path)
    except (sqlite3.Error, StoreUnavailable):
        connection.close()
        raise
    return connection


def check_programs(connection: sqlite3.Connection, path: Path) -> None:
    """Raises StoreUnavailable for a file that does something by itself when it is read or written."""
    found = program_in(connection)
    if found is not None:
        raise failures.programmed(str(path), *found)


def program_in(connection: sqlite3.Connection) -> tuple[str, str] | None:
    """The type and the name of a view or trigger in a database; None if there is none."""
    found: tuple[str, str] | None = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
    ).fetchone()
    return found


def read_rows(connection: sqlite3.Connection, statement: Statement) -> Rows:
    """The rows of a query; text that is not UTF-8 any more keeps its bytes, as surrogates, for whoever names it."""
    try:
        return execute(connection, statement)
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        return execute(connection, statement)
    finally:
        connection.text_factory = str


def execute(connection: sqlite3.Connection, statement: Command) -> Rows:
    """The rows of one statement."""
    if isinstance(statement, LogInsert):
        if not statement.checked:
            return []
        statement = statement.plain()
    with closing(connection.cursor()) as cursor:
        if isinstance(statement, Insert):
            insert(cursor, statement)
            return []
        if isinstance(statement.parameters, Mapping):
            return cursor.execute(statement.sql, statement.parameters).fetchall()
        cursor.executemany(statement.sql, statement.parameters)
        return []


def insert(cursor: sqlite3.Cursor, wanted: Insert) -> None:
    """Inserts rows, many per statement, since a thread may lose the interpreter between statements."""
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
    """Begins, runs the transaction's statements, and commits; rolls back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    return finish_transaction(connection, transaction)


def finish_transaction(connection: sqlite3.Connection, transaction: Transaction[T]) -> T:
    """As `run_transaction`, after BEGIN."""
    try:
        result = _drive(connection, transaction)
        connection.execute("COMMIT")
    except BaseException:  # reason: must be rolled back; re-raised
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
    """Creates the tables of a new file, migrates those of an older one, refuses those of a newer dramaturg."""
    version = _read_version(connection)
    if version is None:
        # Another process may be creating the same file; the second one finds the tables there.
        version = run_transaction(connection, _create(connection))
    if version in OLDER:
        from sqlalchemy.exc import SQLAlchemyError

        from dramaturg.kernel.store.migrations import upgrade_sqlite

        try:
            upgrade_sqlite(connection)
        except SQLAlchemyError as error:
            raise failures.unavailable(error, f"{place}, while it was brought up to date") from error
    elif not is_readable(version):
        raise failures.newer(place, version, HEAD)


def _create(connection: sqlite3.Connection) -> Transaction[str]:
    version = _read_version(connection)
    if version is not None:
        return version
    for sql in create_statements():
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
