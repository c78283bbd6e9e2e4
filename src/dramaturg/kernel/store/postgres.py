"""Postgres, through SQLAlchemy's async engine over asyncpg (the extra `dramaturg[postgres]`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, TextClause, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from dramaturg.kernel.errors import InvalidSettings, StoreUnavailable, install_extra
from dramaturg.kernel.redaction import HIDDEN
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.database import Append, Command, Conflict, Insert, LogInsert, Rows, Statement, Transaction
from dramaturg.kernel.store.notices import LOOK_AROUND, LOOK_SECONDS, notice_of
from dramaturg.kernel.store.schema import (
    HEAD,
    OLDER,
    READ_VERSION,
    TOUCH,
    VERSION_TABLE,
    create_statements,
    is_readable,
)
from dramaturg.kernel.store.transactions import in_sequence

T = TypeVar("T")

CONNECT_SECONDS = 10.0
STATEMENT_SECONDS = 10.0
"""How long a statement may take, unless the settings say otherwise: behind a network that drops packets none ends."""
UNPREPARED = {"statement_cache_size": 0, "prepared_statement_cache_size": 0, "prepared_statement_name_func": lambda: ""}
"""How the driver is told to prepare nothing under a name."""
IDLE_SECONDS = 10
"""How long a transaction may be open without a statement: less than a lease."""
RETRY = ("40001", "40P01")
"""Serialization failure and deadlock."""
CHANNEL = "dramaturg"
TELL = "SELECT pg_notify(:channel, :notice)"
HOLD = "SELECT id FROM runs WHERE id = ANY(:ids) FOR KEY SHARE"
"""Keeps runs from being deleted until their new entries are committed."""
TAKEN = "23"
"""A key that another process took or removed."""
EXPECTED = "expected postgresql://user:password@host:5432/database"
SHOWN_OPTIONS = ("host", "port", "user", "database", "ssl", "service", "passfile", "sslcert", "sslkey", "sslrootcert")
MIGRATION_LOCK = 0x6472616D61  # arbitrary, but the same for every dramaturg


async def open_postgres(
    url: str, statement_seconds: float = STATEMENT_SECONDS, *, is_pooled: bool = False
) -> PostgresDatabase:
    """Connects to an existing database."""
    database = PostgresDatabase(url, statement_seconds, is_pooled=is_pooled)
    try:
        await database.prepare()
    except BaseException as error:  # reason: its connections must be closed; re-raised
        await database.close()
        refused = [cause for cause in failures.causes(error) if isinstance(cause, TypeError | ValueError)]
        if refused:  # asyncpg's response to an unknown option in the URL
            raise InvalidSettings(f"store.url: {refused[-1]}; {EXPECTED}.", key="store.url") from error
        raise
    return database


class DriverFailure(Exception):
    """What the driver raised where SQLAlchemy was not asked; `orig` is that. It never leaves the store."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.orig = error


class Extension(Protocol):
    """Faster ways that Postgres has, for many processes."""

    async def insert(self, appends: Sequence[Append]) -> Rows:
        """As an unchecked `LogInsert`."""
        ...

    async def notice(self) -> str: ...

    async def hears(self, tell: Callable[[str], Awaitable[None]]) -> bool: ...

    async def close(self) -> None: ...


class PostgresDatabase:
    """A `Database` on a server. Without its `extension` it hears of other processes only every two seconds.

    If it `is_pooled`, a pooler may give each transaction another connection: nothing is prepared for longer than one.
    """

    now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
    is_local = False

    def __init__(self, url: str, statement_seconds: float = STATEMENT_SECONDS, *, is_pooled: bool = False) -> None:
        self._url = read_url(url)
        self._place = place_of(url)
        self.is_pooled = is_pooled
        self._driver_options: dict[str, object] = dict(UNPREPARED) if is_pooled else {}
        limits = {"timeout": CONNECT_SECONDS, "command_timeout": statement_seconds}
        self.engine = create_async_engine(
            self._url, pool_pre_ping=True, connect_args=limits | self._driver_options, hide_parameters=True
        )
        event.listen(self.engine.sync_engine, "connect", _limit_idleness)
        event.listen(self.engine.sync_engine, "handle_error", _leave_read_only)
        self._reading = self.engine if is_pooled else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self.extension: Extension | None = None
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def prepare(self) -> None:
        """Brings the schema up to date."""
        async with self._mapped(), self.engine.connect() as connection:
            version = await _read_version(connection)
        if not is_readable(version):
            await self._migrate()

    async def _migrate(self) -> None:
        """On a connection of its own, which takes the time it needs."""
        engine = create_async_engine(
            self._url, poolclass=NullPool, connect_args=self._driver_options, hide_parameters=True
        )
        async with self._mapped(), engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            await self._bring_up_to_date(connection)

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        return self._finished(self._run(transaction))

    async def read(self, statement: Statement) -> Rows:
        return await self._finished(self._read(statement))

    def _finished(self, work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
        """Done to its end whoever is gone by then: a connection on which a statement is cancelled would be lost."""
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._forget)
        return asyncio.shield(task)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # if whoever asked is gone, nobody else looks at it

    async def _read(self, statement: Statement) -> Rows:
        async with self._mapped(), self._reading.begin() as connection:
            return await _execute(connection, statement)

    async def notice(self) -> str:
        if self.extension is not None:
            return await self.extension.notice()
        await asyncio.sleep(LOOK_SECONDS)
        return LOOK_AROUND

    async def tell(self, notice: str) -> None:
        await self.read(Statement(TELL, {"channel": CHANNEL, "notice": notice}))

    async def hears(self) -> bool:
        return self.extension is not None and await self.extension.hears(self.tell)

    async def check(self) -> None:
        await self.write(in_sequence(Statement(TOUCH, {})))

    async def close(self) -> None:
        self._closed = True
        if self._under_way:
            await asyncio.wait(self._under_way)
        if self.extension is not None:
            await self.extension.close()
        await self.engine.dispose()

    async def _run(self, transaction: Transaction[T]) -> T:
        async with self._mapped():
            try:
                statement = next(transaction)
                if self.extension is not None and isinstance(statement, LogInsert) and not statement.checked:
                    statement = transaction.send(await self.extension.insert(statement.appends))
                async with self.engine.begin() as connection:
                    try:
                        while True:
                            statement = transaction.send(await _execute(connection, statement))
                    except StopIteration as done:
                        result: T = done.value
                return result
            except StopIteration as done:
                early: T = done.value
                return early

    async def _bring_up_to_date(self, connection: AsyncConnection) -> None:
        version = await _read_version(connection)
        if version is None:
            for sql in create_statements(on_postgres=True):
                await connection.execute(text(sql))
            return
        if version in OLDER:
            from dramaturg.kernel.store.migrations import upgrade

            await connection.run_sync(upgrade)
        elif not is_readable(version):
            raise failures.newer(self._place, version, HEAD)

    @asynccontextmanager
    async def _mapped(self) -> AsyncIterator[None]:
        if self._closed:
            raise StoreUnavailable(f"The store {self._place} is closed.")
        try:
            yield
        except IntegrityError as error:
            raise Conflict from error
        except _failures() as error:
            state = failures.sqlstate(error) or ""
            if state in RETRY or state.startswith(TAKEN):
                raise Conflict from error
            raise failures.unavailable(error, self._place) from error


def _limit_idleness(connection: DBAPIConnection, _: object) -> None:
    """A process that is stopped in the middle of a transaction does not lock others out for ever."""
    cursor = connection.cursor()
    cursor.execute(f"SET idle_in_transaction_session_timeout = {IDLE_SECONDS * 1000}")
    cursor.close()
    connection.commit()


@cache
def _failures() -> tuple[type[Exception], ...]:
    """What a store that fails raises; the driver's own errors pass SQLAlchemy by where a step breaks off."""
    from asyncpg import InterfaceError, InternalClientError, PostgresError  # type: ignore[import-untyped]

    driver = (PostgresError, InterfaceError, InternalClientError)
    return (SQLAlchemyError, OSError, TimeoutError, DriverFailure, *driver)


def _leave_read_only(context: ExceptionContext) -> None:
    """A session that is read-only stays so after its database is not any more: the next try gets a new one."""
    if failures.sqlstate(context.original_exception) == failures.READ_ONLY:
        context.is_disconnect = True


def read_url(url: str, key: str = "store.url") -> URL:
    """The URL as SQLAlchemy and asyncpg expect it. The password never appears in a message."""
    if url.count("@") > 1:  # programs read such an address in different ways, and show a part of the password
        raise InvalidSettings(f"{key} has more than one @. Write those in a name or a password as %40.", key=key)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise InvalidSettings(f"{key} is not a valid URL; {EXPECTED}.", key=key) from error
    if parsed.drivername not in ("postgres", "postgresql", "postgresql+asyncpg"):
        raise InvalidSettings(
            f"{key}: '{parsed.drivername}' is not a supported store; {EXPECTED}, or omit it to use SQLite.",
            key=key,
        )
    if find_spec("asyncpg") is None:
        raise InvalidSettings(
            f"{key} names a Postgres database, but its driver is not installed. "
            f"Install it: {install_extra('postgres')}",
            key=key,
        )
    query = {("ssl" if key == "sslmode" else key): value for key, value in parsed.query.items()}
    return parsed.set(drivername="postgresql+asyncpg", query=query)


def place_of(url: str) -> str:
    """A URL as messages show it: without its password, and without the value of any option that may be secret."""
    parsed = read_url(url)
    bare = parsed.set(query={}).render_as_string(hide_password=True).replace("+asyncpg", "")
    options = [f"{key}={value if key in SHOWN_OPTIONS else HIDDEN}" for key, value in parsed.query.items()]
    return f"{bare}?{'&'.join(options)}" if options else bare


async def _read_version(connection: AsyncConnection) -> str | None:
    if not await connection.run_sync(_has_version):
        return None
    return (await connection.execute(text(READ_VERSION))).scalar() or ""


def _has_version(connection: Connection) -> bool:
    return inspect(connection).has_table(VERSION_TABLE)


async def _execute(connection: AsyncConnection, statement: Command) -> Rows:
    if isinstance(statement, LogInsert):
        if not statement.checked:
            return []
        reached = {one.run_id: one.after + len(one.rows) for one in statement.appends}
        if len((await connection.execute(_text(HOLD), {"ids": list(reached)})).all()) < len(reached):
            raise Conflict
        notice = notice_of(reached)
        await connection.execute(_text(TELL), {"channel": CHANNEL, "notice": notice})
        statement = statement.plain()
    if isinstance(statement, Insert):
        statement = _by_name(statement)
    parameters = statement.parameters
    result = await connection.execute(
        _text(statement.sql), dict(parameters) if isinstance(parameters, Mapping) else parameters
    )
    return result.all() if result.returns_rows else []


def _by_name(insert: Insert) -> Statement:
    columns, values = ", ".join(insert.columns), ", ".join(f":{column}" for column in insert.columns)
    sql = f"INSERT INTO {insert.table} ({columns}) VALUES ({values})"
    return Statement(sql, [dict(zip(insert.columns, row, strict=True)) for row in insert.rows])


@cache
def _text(sql: str) -> TextClause:
    return text(sql)
