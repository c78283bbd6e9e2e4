"""How a process hears what another wrote, on SQLite and on Postgres. Two stores stand for two processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import pytest

from dramaturg.cluster.limits import open_shared_store as open_store
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, notices
from dramaturg.kernel.store.database import Database, Statement
from dramaturg.kernel.store.notices import LOOK_AROUND, MOST_BYTES, Wakeups, notice_of
from tests.contracts.test_store import record, rows
from tests.log_wait import wait
from tests.postgres import Server
from tests.said import KINDS, Said

READERS = 200


@pytest.fixture
async def store(store_settings: Settings) -> AsyncIterator[Store]:
    opened = await open_store(store_settings)
    yield opened
    await opened.close()


@pytest.fixture
async def other(store: Store, store_settings: Settings) -> AsyncIterator[Store]:
    """The store of another process."""
    opened = await open_store(store_settings)
    yield opened
    await opened.close()


class CountedReads:
    """A database that counts what is read."""

    def __init__(self, store: Store) -> None:
        self.statements: list[str] = []
        database: Any = store.database
        self._read = database.read
        database.read = self.read

    async def read(self, statement: Any) -> Any:
        self.statements.append(statement.sql)
        return await self._read(statement)

    @property
    def of_logs(self) -> int:
        """How often a log was read."""
        return sum("e.body" in sql for sql in self.statements)


async def looked(store: Store, *run_ids: str) -> None:
    """Returns when somebody here has looked at each of these runs, and waits."""
    async with asyncio.timeout(120):
        while any(store.journal.signal(run_id).standing is None for run_id in run_ids):
            await asyncio.sleep(0)


async def heard(library: RunLibrary, run_id: str, count: int) -> list[str]:
    texts: list[str] = []
    async for entry in library.tail(run_id):
        texts.append(entry.event.text)
        if len(texts) == count:
            break
    return texts


async def test_a_follower_hears_what_another_process_appends(store: Store, other: Store) -> None:
    here, there = (RunLibrary(one, StillClock(), KINDS) for one in (store, other))
    run = await there.create("said", "x")
    following = asyncio.create_task(heard(here, run.id, 50))
    for n in range(50):
        await run.append(Said(text=f"{n}"))
    assert await following == [f"{n}" for n in range(50)]


async def test_a_follower_hears_that_another_process_ended_the_run(store: Store, other: Store) -> None:
    here, there = (RunLibrary(one, StillClock(), KINDS) for one in (store, other))
    run = await there.create("said", "x", opening=[Said(text="0")])
    following = asyncio.create_task(_all(here, run.id))
    await there.mark(run, "ended")
    assert await following == ["0"]


async def test_a_follower_hears_that_another_process_deleted_the_run(store: Store, other: Store) -> None:
    here, there = (RunLibrary(one, StillClock(), KINDS) for one in (store, other))
    run = await there.create("said", "x", opening=[Said(text="0")])
    following = asyncio.create_task(_all(here, run.id))
    await looked(store, run.id)
    await there.delete(run.id)
    assert await following == ["0"]


async def _all(library: RunLibrary, run_id: str) -> list[str]:
    return [entry.event.text async for entry in library.tail(run_id)]


async def test_two_hundred_readers_of_a_run_share_one_read(store: Store, other: Store) -> None:
    here, there = (RunLibrary(one, StillClock(), KINDS) for one in (store, other))
    run = await there.create("said", "x", opening=[Said(text="0")])
    heard_first = asyncio.Semaphore(0)

    async def follow() -> list[str]:
        texts: list[str] = []
        async for entry in here.tail(run.id):
            texts.append(entry.event.text)
            heard_first.release()
            if len(texts) == 2:
                break
        return texts

    following = [asyncio.create_task(follow()) for _ in range(READERS)]
    for _ in range(READERS):
        await heard_first.acquire()
    reads = CountedReads(store)
    await run.append(Said(text="1"))
    assert await asyncio.gather(*following) == [["0", "1"]] * READERS
    assert reads.of_logs <= 2  # the second if a notice came while the first was under way


async def test_a_reader_of_a_quiet_run_reads_nothing_while_others_play(store: Store, other: Store) -> None:
    here, there = (RunLibrary(one, StillClock(), KINDS) for one in (store, other))
    quiet, busy = await there.create("said", "quiet"), await there.create("said", "busy")
    following = [asyncio.create_task(heard(here, quiet.id, 1)), asyncio.create_task(heard(here, busy.id, 20))]
    await looked(store, quiet.id, busy.id)
    reads = CountedReads(store)
    for n in range(20):
        await busy.append(Said(text=f"{n}"))
    await following[1]
    assert reads.of_logs <= 21
    await quiet.append(Said(text="at last"))
    assert await following[0] == ["at last"]


async def test_waiting_for_hundreds_of_runs_is_one_statement_for_all(store: Store, other: Store) -> None:
    for n in range(300):
        await store.runs.add(record(f"run{n}"))
    waiting = [asyncio.create_task(wait(store.journal, f"run{n}", 0, timeout=3600)) for n in range(300)]
    await looked(store, *(f"run{n}" for n in range(300)))
    for n in range(300):
        await other.journal.append(f"run{n}", 0, rows(1, 1))
    assert all(await asyncio.gather(*waiting))


async def test_a_lost_connection_costs_a_look_and_no_event(
    store: Store, other: Store, store_settings: Settings, postgres: Server
) -> None:
    here, there = (RunLibrary(one, StillClock(), KINDS) for one in (store, other))
    run = await there.create("said", "x")
    following = asyncio.create_task(heard(here, run.id, 30))
    for n in range(30):
        if n == 10 and store_settings.store.url:
            await _cut_listeners(store_settings.store.url)
        await run.append(Said(text=f"{n}"))
    assert await following == [f"{n}" for n in range(30)]


async def _cut_listeners(url: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )
    finally:
        await connection.close()


async def test_where_notices_do_not_arrive_a_follower_looks_by_itself(
    postgres_settings: Settings, postgres: Server
) -> None:
    # Postgres tells only those who listen at the same database, as a pooler in transaction mode tells nobody.
    elsewhere = await postgres.new_database()
    deaf = postgres_settings.model_copy(
        update={"store": postgres_settings.store.model_copy(update={"listen_url": elsewhere})}
    )
    player, reader = await open_store(postgres_settings), await open_store(deaf)
    try:
        here, there = (RunLibrary(one, StillClock(), KINDS) for one in (reader, player))
        run = await there.create("said", "x")
        following = asyncio.create_task(heard(here, run.id, 2))
        for n in range(2):
            await run.append(Said(text=f"{n}"))
        assert await following == ["0", "1"]
        assert await player.database.hears()
        assert not await reader.database.hears()
    finally:
        await reader.close()
        await player.close()
        await postgres.drop_database(elsewhere)


async def test_a_listener_that_cannot_connect_is_no_failure(postgres_settings: Settings) -> None:
    nowhere = {"listen_url": "postgresql://nobody@127.0.0.1:1/none"}
    deaf = postgres_settings.model_copy(update={"store": postgres_settings.store.model_copy(update=nowhere)})
    player, reader = await open_store(postgres_settings), await open_store(deaf)
    try:
        run = await RunLibrary(player, StillClock(), KINDS).create("said", "x")
        following = asyncio.create_task(heard(RunLibrary(reader, StillClock(), KINDS), run.id, 1))
        await run.append(Said(text="heard"))
        assert await following == ["heard"]
        assert not await reader.database.hears()
    finally:
        await reader.close()
        await player.close()


async def test_a_fault_in_hearing_others_is_logged_and_they_are_heard_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "LOOK_SECONDS", 0)

    class Faulty:
        """A database whose first notice cannot be had, and whose second cannot be read up on."""

        def __init__(self) -> None:
            self.asked = self.looked = 0

        async def notice(self) -> str:
            self.asked += 1
            if self.asked == 1:
                raise ZeroDivisionError("no notice")
            return LOOK_AROUND if self.asked == 2 else ""

        async def read(self, statement: Statement) -> Sequence[tuple[object, ...]]:
            self.looked += 1
            if self.looked == 1:
                raise ZeroDivisionError("no rows")
            return [("a", 7, "playing")]

    wakeups = Wakeups(cast(Database, Faulty()))
    signal = wakeups.signal("a")
    async with asyncio.timeout(120):
        await signal.wait()
    assert signal.seq == 7
    assert [str(one.exc_info[1]) for one in caplog.records if one.exc_info] == ["no notice", "no rows"]
    await wakeups.close()


def test_a_notice_that_would_be_too_long_names_nobody() -> None:
    assert notice_of({"a": 3, "b": 12}) == "a:3 b:12"
    many = {f"{'run' * 10}{n}": n for n in range(500)}
    assert notice_of(many) == LOOK_AROUND
    assert len(notice_of({"x" * 100: 1}).encode()) <= MOST_BYTES
