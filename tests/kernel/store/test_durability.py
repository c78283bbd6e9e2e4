"""What a power failure may cost, by the setting."""

from __future__ import annotations

import asyncio
import errno
import shutil
import sqlite3
from pathlib import Path
from queue import SimpleQueue

import pytest

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.log_flusher import LogFlusher
from dramaturg.kernel.store.sql_store import SqlStore
from dramaturg.kernel.store.sqlite import SqliteDatabase
from tests.contracts.test_store import record, rows


class Disk:
    """Takes the place of a disk: each flush gives a folder with what would be there after a power failure."""

    def __init__(self, database: Path) -> None:
        self.failure: OSError | None = None
        self._database = database
        self._flushes: SimpleQueue[Path] = SimpleQueue()
        self._count = 0

    def sync(self, descriptor: int) -> None:
        self._count += 1
        kept = self._database.parent / f"kept-{self._count}"
        if self.failure is None:
            kept.mkdir()
            for name in (self._database.name, f"{self._database.name}-wal"):
                shutil.copy(self._database.with_name(name), kept / name)
        self._flushes.put(kept)
        if self.failure is not None:
            raise self.failure

    async def flushed(self) -> Path:
        """What the next flush left."""
        return await asyncio.to_thread(self._flushes.get)

    def seqs(self, kept: Path) -> list[int]:
        with sqlite3.connect(kept / self._database.name) as db:
            return [seq for (seq,) in db.execute("SELECT seq FROM events ORDER BY seq")]


async def opened(path: Path, disk: Disk) -> SqlStore:
    database = SqliteDatabase(path, flusher=LogFlusher(path, disk.sync))
    await database.prepare()
    return SqlStore(database)


async def test_what_is_appended_is_on_the_disk_soon_although_nobody_waits_for_it(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "dramaturg.db")
    store = await opened(tmp_path / "dramaturg.db", disk)
    await store.runs.add(record())
    for seq in range(1, 40):
        await store.journal.append("run", seq - 1, rows(seq, seq))
    while disk.seqs(await disk.flushed()) != list(range(1, 40)):
        continue
    await store.close()


async def test_a_disk_that_refuses_to_flush_is_reported_until_it_flushes_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "dramaturg.db")
    store = await opened(tmp_path / "dramaturg.db", disk)
    disk.failure = OSError(errno.EIO, "Input/output error")
    await store.runs.add(record())
    await disk.flushed()
    await disk.flushed()
    with pytest.raises(StoreUnavailable, match="Input/output error"):
        await store.check()
    disk.failure = None
    while True:
        await disk.flushed()
        try:
            await store.check()
        except StoreUnavailable:
            continue
        break
    await store.close()


async def test_with_full_durability_every_commit_waits_for_the_disk_and_runs_share_commits(tmp_path: Path) -> None:
    store = await open_store(Settings(project=tmp_path, store=StoreSettings(durability="full")))
    assert isinstance(store, SqlStore)
    database = store.database
    assert isinstance(database, SqliteDatabase)
    full = 2
    assert await database._writer.ask(lambda db: db.execute("PRAGMA synchronous").fetchone()[0]) == full
    for n in range(60):
        await store.runs.add(record(id=f"run{n}"))
    await asyncio.gather(*(store.journal.append(f"run{n}", 0, rows(1, 1)) for n in range(60)))
    assert store.journal.commits == 1
    assert database._inline._connection is None
    await store.close()
