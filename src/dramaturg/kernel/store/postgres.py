"""Postgres, through SQLAlchemy's async engine over asyncpg (the extra `dramaturg[postgres]`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib.util import find_spec
from typing import TypeVar

from sqlalchemy import Connection, TextClause, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from dramaturg.kernel.errors import InvalidSettings, StoreUnavailable, install_extra
from dramaturg.kernel.redaction import HIDDEN
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.database import Conflict, Insert, Rows, Statement, Transaction
from dramaturg.kernel.store.schema import HEAD, OLDER, READ_VERSION, TOUCH, VERSION_TABLE, create_statements
from dramaturg.kernel.store.transactions import in_sequence

T = TypeVar("T")

CONNECT_SECONDS = 10.0
RETRY = ("40001", "40P01")
"""Serialization failure and deadlock."""
EXPECTED = "expected postgresql://user:password@host:5432/database"
SHOWN_OPTIONS = ("host", "port", "user", "database", "ssl", "service", "passfile", "sslcert", "sslkey", "sslrootcert")
MIGRATION_LOCK = 0x6472616D61  # arbitrary, but the same for every dramaturg


async def open_postgres(url: str) -> PostgresDatabase:
    """Connects to an existing database."""
    database = PostgresDatabase(url)
    try:
        await database.prepare()
    except BaseException as error:  # reason: its connections must be closed; re-raised
        await database.close()
        refused = [cause for cause in failures.causes(error) if isinstance(cause, TypeError | ValueError)]
        if refused:  # asyncpg's response to an unknown option in the URL
            raise InvalidSettings(f"store.url: {refused[-1]}; {EXPECTED}.", key="store.url") from error
        raise
    return database


class PostgresDatabase:
    """A `Database` on a server."""

    def __init__(self, url: str) -> None:
        parsed = read_url(url)
        self._place = place_of(url)
        self._engine = create_async_engine(
            parsed, pool_pre_ping=True, connect_args={"timeout": CONNECT_SECONDS}, hide_parameters=True
        )
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._writing: set[asyncio.Task[object]] = set()
        self._closed = False

    async def prepare(self) -> None:
        """Brings the schema up to date."""
        async with self._mapped(), self._engine.begin() as connection:
            version = await _read_version(connection)
            if version == HEAD:
                return
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            await self._bring_up_to_date(connection)

    def write(self, transaction: Transaction[T], *, small: bool = False) -> asyncio.Future[T]:
        writing = asyncio.ensure_future(self._run(transaction))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return writing

    async def read(self, statement: Statement) -> Rows:
        async with self._mapped(), self._reading.connect() as connection:
            return await _execute(connection, statement)

    async def check(self) -> None:
        await self.write(in_sequence(Statement(TOUCH, {})))

    async def close(self) -> None:
        self._closed = True
        if self._writing:
            await asyncio.wait(self._writing)
        await self._engine.dispose()

    async def _run(self, transaction: Transaction[T]) -> T:
        async with self._mapped(), self._engine.begin() as connection:
            try:
                statement = next(transaction)
                while True:
                    statement = transaction.send(await _execute(connection, statement))
            except StopIteration as done:
                result: T = done.value
        return result

    async def _bring_up_to_date(self, connection: AsyncConnection) -> None:
        version = await _read_version(connection)
        if version is None:
            for sql in create_statements():
                await connection.execute(text(sql))
            return
        if version in OLDER:
            from dramaturg.kernel.store.migrations import upgrade

            await connection.run_sync(upgrade)
        elif version != HEAD:
            raise failures.newer(self._place, version, HEAD)

    @asynccontextmanager
    async def _mapped(self) -> AsyncIterator[None]:
        if self._closed:
            raise StoreUnavailable(f"The store {self._place} is closed.")
        try:
            yield
        except IntegrityError as error:
            raise Conflict from error
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            if failures.sqlstate(error) in RETRY:
                raise Conflict from error
            raise failures.unavailable(error, self._place) from error


def read_url(url: str) -> URL:
    """The URL as SQLAlchemy and asyncpg expect it. The password never appears in a message."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise InvalidSettings(f"store.url is not a valid URL; {EXPECTED}.", key="store.url") from error
    if parsed.drivername not in ("postgres", "postgresql", "postgresql+asyncpg"):
        raise InvalidSettings(
            f"store.url: '{parsed.drivername}' is not a supported store; {EXPECTED}, or omit it to use SQLite.",
            key="store.url",
        )
    if find_spec("asyncpg") is None:
        raise InvalidSettings(
            "store.url names a Postgres database, but its driver is not installed. "
            f"Install it: {install_extra('postgres')}",
            key="store.url",
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


async def _execute(connection: AsyncConnection, statement: Statement | Insert) -> Rows:
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
