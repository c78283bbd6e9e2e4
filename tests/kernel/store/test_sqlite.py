"""What can go wrong with a file, and what is said then."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.database import Insert, Transaction
from dramaturg.kernel.store.journal import FEW_ROWS, insert_rows
from dramaturg.kernel.store.sql_store import SqlStore
from dramaturg.kernel.store.sqlite import (
    CHECKPOINT_EVERY,
    DatabaseBusy,
    InlineWriter,
    SqliteDatabase,
    checkpoint,
    connect,
    open_sqlite,
)
from tests.contracts.test_store import record, rows

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


def respect_permissions() -> None:
    """For a child process: root, too, is held to the permissions of files."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            assert libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0


def opened_in_a_child(project: Path) -> str:
    """What opening the store and writing a run says, where permissions hold."""
    program = """
        import asyncio, sys
        from pathlib import Path
        from dramaturg.kernel.errors import StoreUnavailable
        from dramaturg.kernel.settings import Settings
        from dramaturg.kernel.store import open_store
        async def main():
            store = await open_store(Settings(project=Path(sys.argv[1])))
            await store.close()
        try:
            asyncio.run(main())
            print("it opened")
        except StoreUnavailable as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), project]
    return subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=respect_permissions).stdout


async def test_the_file_writes_ahead_and_keeps_foreign_keys(tmp_path: Path) -> None:
    store = await open_store(Settings(project=tmp_path))
    path = tmp_path / "data" / "dramaturg.db"
    await store.runs.add(record())
    assert path.with_name("dramaturg.db-wal").stat().st_size > 0
    await store.close()
    assert not path.with_name("dramaturg.db-wal").exists()
    connection = connect(path)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO events VALUES ('nobody', 1, 1.0, 'said', 0, '{}')")
    connection.close()


@pytest.mark.parametrize("there", [b"not a database at all" * 500, b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path: Path, there: bytes) -> None:
    path = tmp_path / "data" / "dramaturg.db"
    path.parent.mkdir()
    path.write_bytes(there)
    with pytest.raises(StoreUnavailable, match=r"dramaturg\.db: it is .*It was not changed"):
        await open_store(Settings(project=tmp_path))
    assert path.read_bytes() == there
    assert os.listdir(path.parent) == ["dramaturg.db"]


async def test_damage_found_later_is_named_too(tmp_path: Path) -> None:
    store = await open_store(Settings(project=tmp_path))
    await store.runs.add(record(), rows(1, 200, text="x" * 200))
    await store.close()
    path = tmp_path / "data" / "dramaturg.db"
    whole = path.read_bytes()
    damaged = whole[:8192] + b"\xff" * (len(whole) - 8192)
    path.write_bytes(damaged)
    with pytest.raises(StoreUnavailable, match=r"dramaturg\.db: it is damaged"):
        await _read_everything(Settings(project=tmp_path))
    assert path.read_bytes() == damaged


async def _read_everything(settings: Settings) -> None:
    store = await open_store(settings)
    try:
        await store.runs.find()
        await store.journal.read("run")
    finally:
        await store.close()


async def test_the_schema_of_a_newer_dramaturg_is_refused_and_left(tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    await (await open_store(settings)).close()
    path = tmp_path / "data" / "dramaturg.db"
    connection = connect(path)
    connection.execute("UPDATE dramaturg_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreUnavailable, match=r"written by a newer dramaturg \(schema 9999.*Upgrade"):
        await open_store(settings)


async def test_a_file_that_another_process_holds_is_named_after_a_while(tmp_path: Path) -> None:
    path = tmp_path / "dramaturg.db"
    store = SqlStore(await open_sqlite(path, busy_seconds=0.01))
    await store.runs.add(record())
    holder = connect(path)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="another process has locked it"):
        await store.journal.append("run", 0, rows(1, 1))
    holder.execute("ROLLBACK")
    await store.journal.append("run", 0, rows(1, 1))
    holder.close()
    await store.close()


async def test_an_inline_writer_that_has_written_much_ahead_says_so_and_a_thread_moves_it_into_the_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "dramaturg.db"
    store = SqlStore(await open_sqlite(path))
    await store.runs.add(record())
    before, writer, mover = path.stat().st_size, InlineWriter(path), connect(path)
    for seq in range(1, CHECKPOINT_EVERY + 1):
        assert not writer.needs_checkpoint
        writer.run(written(insert_rows([("run", row) for row in rows(seq, seq)])))
    assert writer.needs_checkpoint
    checkpoint(mover)
    assert path.stat().st_size > before + 10_000
    assert await store.journal.read("run") == rows(1, CHECKPOINT_EVERY)
    mover.close()
    writer.close()
    await store.close()


def test_an_inline_writer_leaves_a_transaction_alone_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "dramaturg.db"
    holder, writer = connect(path), InlineWriter(path)
    holder.execute("CREATE TABLE words (word TEXT)")
    adding = written(Insert("words", ("word",), [("owl",)]))
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseBusy):
        writer.run(adding)
    holder.execute("COMMIT")
    writer.run(adding)
    assert holder.execute("SELECT word FROM words").fetchall() == [("owl",)]
    writer.close()
    holder.close()


def written(insert: Insert) -> Transaction[None]:
    yield insert


async def test_many_rows_at_once_are_written_in_order(tmp_path: Path) -> None:
    store = SqlStore(await open_sqlite(tmp_path / "dramaturg.db"))
    await store.runs.add(record())
    await store.journal.append("run", 0, rows(1, 3 * FEW_ROWS + 5))
    assert await store.journal.read("run") == rows(1, 3 * FEW_ROWS + 5)
    await store.close()


async def test_a_full_disk_is_named_and_what_was_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "dramaturg.db"
    database = await open_sqlite(path)
    database._inline.connection.execute("PRAGMA max_page_count = 20").fetchall()
    store = SqlStore(database)
    await store.runs.add(record(), rows(1, 2))
    with pytest.raises(StoreUnavailable, match=r"dramaturg\.db: the disk is full\. Free some space"):
        await store.journal.append("run", 2, rows(3, 3, text="x" * 200_000))
    await store.journal.append("run", 2, rows(3, 3))
    assert await store.journal.read("run") == rows(1, 3)
    await store.close()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    assert f"{tmp_path}/data cannot be written: access is denied" in opened_in_a_child(tmp_path)
    tmp_path.chmod(0o755)
    (tmp_path / "data").mkdir(mode=0o555)
    assert f"The store {tmp_path}/data/dramaturg.db: it cannot be opened" in opened_in_a_child(tmp_path)


async def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    await (await open_store(Settings(project=tmp_path))).close()
    path = tmp_path / "data" / "dramaturg.db"
    path.chmod(0o444)
    path.parent.chmod(0o555)
    said = opened_in_a_child(tmp_path)
    path.parent.chmod(0o755)
    assert f"The store {path}: it cannot be" in said


async def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="a file, not a folder"):
        await open_store(Settings(project=tmp_path))


async def test_a_transaction_that_fails_in_our_own_code_leaves_nothing_and_hangs_nobody(tmp_path: Path) -> None:
    database = await open_sqlite(tmp_path / "dramaturg.db")
    store = SqlStore(database)
    await store.runs.add(record())

    def mistaken():
        raise ZeroDivisionError
        yield

    with pytest.raises(ZeroDivisionError):
        await database.write(mistaken())
    await store.journal.append("run", 0, rows(1, 1))
    await store.close()


def test_a_process_that_forgets_to_close_its_store_ends_all_the_same(tmp_path: Path) -> None:
    program = """
        import asyncio, sys
        from pathlib import Path
        from dramaturg.kernel.settings import Settings
        from dramaturg.kernel.store import open_store
        asyncio.run(open_store(Settings(project=Path(sys.argv[1]))))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program), tmp_path], check=True, timeout=240)


async def test_closing_waits_for_what_is_queued(tmp_path: Path) -> None:
    database: SqliteDatabase = await open_sqlite(tmp_path / "dramaturg.db")
    store = SqlStore(database)
    adding = [asyncio.ensure_future(store.runs.add(record(str(i)))) for i in range(5)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*adding)
