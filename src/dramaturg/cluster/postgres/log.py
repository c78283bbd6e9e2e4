"""Appending to logs on Postgres: one statement, one round trip, on a connection that does nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from dramaturg.kernel.store import failures
from dramaturg.kernel.store.database import Append, Rows
from dramaturg.kernel.store.notices import notice_of
from dramaturg.kernel.store.postgres import CHANNEL, DriverFailure

ROWS = """
    INSERT INTO events (run_id, seq, at, type, hidden, body)
    SELECT * FROM unnest($1::text[], $2::int[], $3::float8[], $4::text[], $5::bool[], $6::text[])
"""
INSERT_IF_FOLLOWING = f"""
    WITH held AS (
        SELECT id FROM runs WHERE id = ANY($9::text[]) FOR KEY SHARE
    ), ready AS (
        SELECT COUNT(*) = cardinality($9::text[]) AND NOT EXISTS (
            SELECT FROM unnest($9::text[], $10::int[]) AS wanted (id, last)
            WHERE COALESCE((SELECT MAX(seq) FROM events WHERE run_id = wanted.id), 0) <> wanted.last
        ) AS yes FROM held
    ), written AS ({ROWS} WHERE (SELECT yes FROM ready))
    SELECT pg_notify($7, $8) FROM ready WHERE yes
"""


class LogConnection:
    """The connection for appends; one at a time uses it. It is made when needed, and anew after a failure."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._connection: AsyncConnection | None = None
        self.pid: int | None = None
        """The server process behind it."""

    async def insert(self, appends: Sequence[Append]) -> Rows:
        """Inserts rows if every log stands where they continue it; the answer has a row then."""
        firsts: dict[str, int] = {}
        reached: dict[str, int] = {}
        for one in appends:
            if reached.get(one.run_id, one.after) != one.after:
                return []
            firsts.setdefault(one.run_id, one.after)
            reached[one.run_id] = one.after + len(one.rows)
        try:
            arguments = (*_arguments(appends, reached), list(firsts), list(firsts.values()))
            return await _fetch(await self._driver(), arguments)
        except (OSError, TimeoutError, DriverFailure) as error:
            if isinstance(error, DriverFailure) and failures.sqlstate(error) != failures.READ_ONLY:
                raise
            if self._connection is not None:
                await self._connection.invalidate()
            await self.close()
            raise

    async def close(self) -> None:
        connection, self._connection, self.pid = self._connection, None, None
        if connection is not None:
            await connection.close()

    async def _driver(self) -> Any:
        if self._connection is not None:
            driver = (await self._connection.get_raw_connection()).driver_connection
            if driver is not None and not driver.is_closed():
                return driver
            await self._connection.invalidate()
            await self.close()
        self._connection = await self._engine.connect()
        driver = (await self._connection.get_raw_connection()).driver_connection
        if driver is None:
            raise ConnectionError("the connection was lost")
        self.pid = driver.get_server_pid()
        return driver


async def _fetch(driver: Any, arguments: Iterable[object]) -> Rows:
    from asyncpg import InterfaceError, InternalClientError, PostgresError  # type: ignore[import-untyped]

    try:
        found: Rows = await driver.fetch(INSERT_IF_FOLLOWING, *arguments)
    except PostgresError as error:
        raise DriverFailure(error) from error
    except (InterfaceError, InternalClientError) as error:  # it broke off in the middle of something
        raise ConnectionError(str(error)) from error
    return found


def _arguments(appends: Sequence[Append], reached: dict[str, int]) -> list[object]:
    """The columns of the rows, and the notice of them."""
    flat = [(one.run_id, *row[:-1], row[-1].decode()) for one in appends for row in one.rows]
    columns = [list(column) for column in zip(*flat, strict=True)] or [[] for _ in range(6)]
    return [*columns, CHANNEL, notice_of(reached)]
