"""Postgres is read-only, or a table is locked: runs wait for it, and nothing is restarted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from tests.faults.conftest import MakeSite
from tests.faults.served import Site, healthy, over

OTHERS_ENDED = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
LOCKED_OUT = """
    SELECT DISTINCT a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()
"""
READ_ONLY = "default_transaction_read_only"


@asynccontextmanager
async def read_only(place: Site) -> AsyncIterator[None]:
    """For the time of a block nothing can be written, as on a standby; whoever is connected has to connect anew."""
    [(name,)] = await place.read("SELECT current_database()")
    await place.read(f"ALTER DATABASE {name} SET {READ_ONLY} = on")
    await place.read(OTHERS_ENDED)
    yield
    connection = await asyncpg.connect(place.url, server_settings={READ_ONLY: "off"})
    await connection.execute(f"ALTER DATABASE {name} RESET {READ_ONLY}")
    await connection.fetch(OTHERS_ENDED)
    await connection.close()


async def test_answers_that_come_while_the_database_is_read_only_are_stored_afterwards(make_site: MakeSite) -> None:
    place = make_site(lease=300)
    async with place.server(place.url) as visitor:
        run = await place.begun(visitor)
        async with read_only(place):
            await place.answered()
            await healthy(visitor, 503)
        assert await over(visitor, run) == "ended"
        await healthy(visitor)
    await place.check_whole()


@pytest.mark.parametrize("table", ["events", "runs"])
async def test_a_table_is_locked_for_longer_than_a_statement_may_take_and_answers_are_stored_afterwards(
    make_site: MakeSite, table: str
) -> None:
    place = make_site(lease=300, timeout=1)
    async with place.server(place.url) as visitor:
        run = await place.begun(visitor)
        locker = await asyncpg.connect(place.url)
        async with locker.transaction():
            await locker.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            await place.answered()
            await given_up_waiting(place)
        await locker.close()
        assert await over(visitor, run) == "ended"
        await healthy(visitor)
    await place.check_whole()


async def given_up_waiting(place: Site) -> None:
    """Returns when a statement of the server waited for the lock, and was cancelled."""
    waited: set[object] = set()
    while True:
        waiting = {pid for (pid,) in await place.read(LOCKED_OUT)}
        if waited - waiting:
            return
        waited |= waiting
        await asyncio.sleep(0.02)
