"""SQLite's file is locked by another process, or cannot be written to: it is waited for, and nothing is restarted."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from tests.faults.chats import chat_with, reply, write_episode
from tests.faults.servers import IN_FLIGHT, House, Server, house
from tests.model_server import ModelServer

LOCKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""
SHORT = 1.0
"""What a statement waits for a lock, and a lease: the lock outlasts both."""


@pytest.fixture
def place(tmp_path: Path, models: ModelServer) -> House:
    models.reply = reply
    made = house(tmp_path, models, None, lease=SHORT)
    file = made.story / "dramaturg.toml"
    file.write_text(file.read_text(encoding="utf-8") + f"timeout = {SHORT}\n", encoding="utf-8")
    write_episode(made.story)
    return made


def database_of(place: House) -> Path:
    return place.story / "data" / "dramaturg.db"


@asynccontextmanager
async def locked(place: House, *, killed: bool) -> AsyncIterator[None]:
    """For the time of a block another process holds the file's lock; it lets go, or is killed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LOCKER, str(database_of(place))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    assert await process.stdout.readline() == b"locked\n"
    yield
    if killed:
        process.kill()
    await process.communicate(b"\n")


@contextmanager
def unwritable(place: House) -> Iterator[None]:
    """For the time of a block nobody can write to the file and its log, whoever has them open already."""
    files = [str(database_of(place)), f"{database_of(place)}-wal"]
    chattr = shutil.which("chattr")
    if chattr is None or subprocess.run([chattr, "+i", *files], capture_output=True, check=False).returncode:
        pytest.skip("a file that is open can be made immutable only by root, with chattr, on ext4, XFS or Btrfs")
    try:
        yield
    finally:
        subprocess.run([chattr, "-i", *files], check=True)


async def refused(server: Server) -> str:
    """Why the server is not well, once it says so."""
    while (answer := await server.ask("GET", "/healthz"))[0] == 200:
        await asyncio.sleep(0.02)
    assert answer[0] == 503
    return str(answer[1]["error"]["message"])


async def check_whole(place: House, server: Server, run: str) -> None:
    """The run ends without a restart, and each of its questions was asked and answered once."""
    assert await server.over(run) == "ended"
    while (await server.ask("GET", "/healthz"))[0] != 200:
        await asyncio.sleep(0.05)
    paid = await place.paid()
    assert set(paid.values()) == {1}
    assert len(place.models.requests) == paid.total()
    assert await place.read("SELECT id FROM runs WHERE status = 'playing'") == []
    assert await place.read("SELECT 1 FROM events GROUP BY run_id HAVING COUNT(*) <> MAX(seq)") == []
    assert "Traceback" not in server.errors.read_text(encoding="utf-8")


@pytest.mark.parametrize("killed", [False, True], ids=["until it lets go", "until it is killed"])
async def test_a_lock_is_held_for_longer_than_a_statement_waits_and_everything_is_stored_afterwards(
    place: House, killed: bool
) -> None:
    async with place.server() as server:
        chat = await chat_with(server)
        run = await server.into_a_beat(place.models)
        async with locked(place, killed=killed):
            saying = asyncio.create_task(chat.say())
            place.models.release()
            for _ in range(3):  # each waits for as long as a statement may
                assert "another process has locked it" in await refused(server)
            assert not saying.done()
        await saying
        assert chat.failures == 0
        await check_whole(place, server, run)


async def test_answers_that_come_while_the_file_cannot_be_written_to_are_stored_when_it_can(place: House) -> None:
    async with place.server() as server:
        chat = await chat_with(server)
        run = await server.into_a_beat(place.models)
        with unwritable(place):
            saying = asyncio.create_task(chat.say())
            place.models.release()
            while "it cannot be written to" not in await refused(server):  # the first time it looks like a broken disk
                await asyncio.sleep(0.02)
            assert not saying.done()
        await saying
        assert chat.failures == 0
        await check_whole(place, server, run)


async def test_a_server_that_is_started_while_the_file_cannot_be_written_to_is_well_when_it_can(place: House) -> None:
    async with place.server() as server:
        run = await server.into_a_beat(place.models)
        await server.kill()
    place.models.release()
    async with AsyncExitStack() as stack:
        with unwritable(place):
            server = await stack.enter_async_context(place.server())
            assert "it cannot be written to" in await refused(server)
        assert await server.over(run) == "ended"
        assert (await server.ask("GET", "/healthz"))[0] == 200
    paid = await place.paid()
    assert set(paid.values()) == {1}
    assert len(place.models.requests) == paid.total() + IN_FLIGHT
