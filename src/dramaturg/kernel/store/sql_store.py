"""The store over an open database, and how it is opened from the settings."""

from __future__ import annotations

from asyncio import to_thread
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from dramaturg.kernel.errors import InvalidConfig, InvalidSettings, NotFound
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.database import Database
from dramaturg.kernel.store.inbox import SqlInbox
from dramaturg.kernel.store.journal import SqlJournal, Wakeups
from dramaturg.kernel.store.port import Store
from dramaturg.kernel.store.private_files import private_file, private_folder
from dramaturg.kernel.store.run_registry import SqlRunRegistry

if TYPE_CHECKING:
    from dramaturg.kernel.store.backup import Backup

FILE_NAME = "dramaturg.db"
BESIDE = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps beside a database."""


class SqlStore:
    """A `Store` over an open database."""

    def __init__(self, database: Database, patience: float = 0.0) -> None:
        self._wakeups = wakeups = Wakeups(database)
        self.database = database
        self.runs = SqlRunRegistry(database, wakeups)
        self.journal = SqlJournal(database, wakeups, patience)
        self.inbox = SqlInbox(database, wakeups)

    async def check(self) -> None:
        await self.database.check()
        if self.journal.blocked is not None:
            raise self.journal.blocked
        await self.runs.find(limit=1)

    def hurry(self) -> None:
        self.journal.hurry()

    async def close(self) -> None:
        await self.journal.close()
        await self._wakeups.close()
        await self.database.close()


async def open_store(settings: Settings) -> Store:
    """Opens the store of a project and brings its schema up to date: `store.url`, or SQLite in the data folder.

    Raises InvalidSettings for an unusable URL, StoreUnavailable for everything else.
    """
    return SqlStore(await _open_database(settings), settings.store.wait)


async def back_up_store(settings: Settings, to: Path) -> Backup:
    """Copies the store of a project and its files to a new folder, while others play."""
    from dramaturg.kernel.store.backup import back_up

    if settings.store.url:
        raise InvalidConfig(
            "This project's runs are in Postgres, which makes its own backups: run 'pg_dump --format=custom "
            "--file=FILE' with the address in store.url, and copy data/. Single runs: 'dramaturg runs export --log'."
        )
    database = _database_file(settings)
    if not database.exists():
        raise NotFound(f"There is nothing to back up: {database} does not exist.")
    return await to_thread(back_up, database, to, time())


def _database_file(settings: Settings) -> Path:
    """The project's own database. Raises InvalidSettings for a link to another."""
    file = settings.data / FILE_NAME
    for part in (file, *(file.with_name(FILE_NAME + suffix) for suffix in BESIDE)):
        if leads_out(part, settings.data):
            raise InvalidSettings(f"{part} is a link out of data/. Remove it, or copy the file itself there.")
        if part.exists() and not part.is_file():  # SQLite would wait for a pipe for ever
            raise InvalidSettings(f"{part} is no file. Remove it.")
    return file


async def _open_database(settings: Settings) -> Database:
    if settings.store.url:
        from dramaturg.kernel.store.postgres import open_postgres

        # Somebody who names an address for notices has a pooler before the other.
        return await open_postgres(
            settings.store.url, settings.store.timeout, is_pooled=settings.store.listen_url is not None
        )

    from dramaturg.kernel.store.sqlite import open_sqlite

    file = _database_file(settings)
    try:
        private_folder(settings.data)
    except OSError as error:
        raise failures.unwritable(error, settings.data) from error
    # SQLite gives its other files the mode of this one, and says best why it cannot be opened.
    with suppress(OSError):
        private_file(file)
    return await open_sqlite(file, settings.store.timeout, settings.store.durability)
