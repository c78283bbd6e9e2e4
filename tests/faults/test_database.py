"""Postgres is read-only, has lost something, or a table is locked: it is waited for, and nothing is restarted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg
import pytest

from dramaturg.cluster.queue import QUEUES, RunQueue
from dramaturg.kernel.settings import read_settings
from tests.faults.chats import reply, write_episode
from tests.faults.conftest import MakeSite
from tests.faults.served import Site, healthy, over
from tests.faults.servers import House
from tests.server.players import begin, types

OTHERS_ENDED = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
LOCKED_OUT = """
    SELECT DISTINCT a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()
"""
LAST_MESSAGE_LOST = """
    DELETE FROM events WHERE seq >= (SELECT MAX(seq) FROM events WHERE type = 'player.spoke')
"""
"""As after a failover to a standby that was late. There is one log."""
READ_ONLY = "default_transaction_read_only"


@asynccontextmanager
async def read_only(place: Site, *, ends_sessions: bool) -> AsyncIterator[None]:
    """For the time of a block nothing can be written, as on a standby; whoever is connected has to connect anew.

    Sessions that began in this time stay read-only after it, unless they are ended.
    """
    [(name,)] = await place.read("SELECT current_database()")
    await place.read(f"ALTER DATABASE {name} SET {READ_ONLY} = on")
    await place.read(OTHERS_ENDED)
    yield
    connection = await asyncpg.connect(place.url, server_settings={READ_ONLY: "off"})
    await connection.execute(f"ALTER DATABASE {name} RESET {READ_ONLY}")
    if ends_sessions:
        await connection.fetch(OTHERS_ENDED)
    await connection.close()


@pytest.mark.parametrize("ends_sessions", [True, False], ids=["and sessions end", "and sessions stay as they were"])
async def test_answers_that_come_while_the_database_is_read_only_are_stored_afterwards(
    make_site: MakeSite, ends_sessions: bool
) -> None:
    place = make_site(lease=300)
    async with place.server(place.url) as visitor:
        run = await place.begun(visitor)
        async with read_only(place, ends_sessions=ends_sessions):
            await place.answered()
            while (await visitor.get("/healthz")).status != 503:
                await place.read(OTHERS_ENDED)  # a session that was just beginning could still write
        assert await over(visitor, run) == "ended"
        await healthy(visitor)
    await place.check_whole()


async def test_a_server_that_is_started_on_a_read_only_database_is_well_when_that_can_be_written_to(
    make_site: MakeSite,
) -> None:
    place = make_site(lease=5)
    house = House(place.story, place.models, place.url)
    assert await house.read("SELECT id FROM runs") == []  # the tables are there
    async with AsyncExitStack() as stack:
        async with read_only(place, ends_sessions=False):
            server = await stack.enter_async_context(house.server())
            status, told = await server.ask("GET", "/healthz")
            assert (status, "read-only" in told["error"]["message"]) == (503, True)
        while (await server.ask("GET", "/healthz"))[0] != 200:
            await asyncio.sleep(0.05)
        _, started = await server.ask("POST", "/v1/scenes", json={"scene": "argument"})
        assert await server.over(started["run"]) == "ended"
        while not await place.read("SELECT 1 FROM player_tokens"):  # the key that signs tokens is noted late
            await asyncio.sleep(0.05)
    await place.check_whole()


async def test_a_worker_that_is_started_on_a_read_only_database_plays_what_is_queued_when_that_can_be_written_to(
    make_site: MakeSite, caplog: pytest.LogCaptureFixture
) -> None:
    place = make_site()
    settings = read_settings(place.story, {"DRAMATURG_STORE_URL": place.url}, trust=True)
    server, worker = RunQueue(settings), RunQueue(settings)
    await server.put("the-run")
    await server.close()
    played: asyncio.Queue[str] = asyncio.Queue()
    async with read_only(place, ends_sessions=False):
        working = asyncio.create_task(worker.work(played.put, QUEUES, 1))
        while not caplog.records:  # it was refused
            await asyncio.sleep(0.05)
    assert await played.get() == "the-run"
    working.cancel()
    await asyncio.wait([working])
    await worker.close()


async def test_a_message_that_the_database_lost_is_answered_when_it_is_sent_again(make_site: MakeSite) -> None:
    place = make_site(lease=300)
    place.models.reply = reply
    write_episode(place.story)
    async with place.server(place.url) as visitor:
        guest = await begin(visitor)
        place.models.hold(at=1)
        saying = asyncio.create_task(guest.say("Hello.", "the-message"))
        await place.models.received(1)
        await place.read(LAST_MESSAGE_LOST)
        place.models.release()
        assert "done" not in types(await saying)
        assert types(await guest.say("Hello.", "the-message"))[-1] == "done"
        assert [one["role"] for one in (await guest.now())["messages"]].count("player") == 1


async def test_a_database_with_no_room_for_connections_is_waited_for(make_site: MakeSite) -> None:
    place = make_site(lease=300)
    [(name,)] = await place.read("SELECT current_database()")
    owner = f"owner_of_{name}"
    await place.read(f"CREATE ROLE {owner} LOGIN")
    await place.read(f"ALTER DATABASE {name} OWNER TO {owner}")
    await place.read(f"GRANT ALL ON SCHEMA public TO {owner}")
    async with place.server(place.url.replace("dramaturg@", f"{owner}@")) as visitor:
        run = await place.begun(visitor)
        await place.read(f"ALTER DATABASE {name} CONNECTION LIMIT 0")
        await place.read(OTHERS_ENDED)
        await place.answered()
        await healthy(visitor, 503)
        await place.read(f"ALTER DATABASE {name} CONNECTION LIMIT -1")
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
