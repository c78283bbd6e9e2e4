"""A copy of a project's data, made while it is being played.

The database is copied at one moment, with SQLite's own backup; then the files, each whole, since every file is replaced
by a rename. A file that the copied log names is therefore in the copy, unless it was deleted meanwhile.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.artifacts import sync_folder
from dramaturg.kernel.store.private_files import private_file, private_folders
from dramaturg.kernel.store.schema import READ_VERSION
from dramaturg.kernel.store.sqlite import BUSY_SECONDS, check_programs, with_store_errors

MANIFEST = "backup.json"
COUNTS = ("SELECT COUNT(*) FROM runs", "SELECT COUNT(*) FROM events")


@dataclass(frozen=True, slots=True)
class Backup:
    """A verified copy: where it is, and what it holds."""

    folder: Path
    runs: int
    events: int
    files: int


def back_up(database: Path, to: Path, at: float) -> Backup:
    """Copies the folder of a database to a new folder `to`, which can be put in its place.

    Raises InvalidConfig if there is something at `to`, StoreUnavailable if the copy fails or is not sound; then nothing
    is there. A process that is killed leaves at most a hidden folder beside it whose name ends in `.part`.
    """
    data = database.parent
    _check_target(data, to)
    part = to.with_name(f".{to.name}.{secrets.token_hex(4)}.part")
    try:
        part.mkdir(parents=True, mode=0o700)
        runs, events, version = _copy_database(database, part / database.name)
        files = sum(_copy_file(data, name, part) for name in _files(data, database, to))
        counted = {"runs": runs, "events": events, "files": files, "schema": version, "made_at": at}
        private_file(part / MANIFEST)
        (part / MANIFEST).write_bytes(orjson.dumps(counted, option=orjson.OPT_APPEND_NEWLINE))
        sync_folder(part)
        _check_target(data, to)
        part.rename(to)
        sync_folder(to.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise failures.unwritable(error, to) from error
    except BaseException:  # reason: half a backup must not stay; re-raised
        shutil.rmtree(part, ignore_errors=True)
        raise
    return Backup(to, runs, events, files)


def _check_target(data: Path, to: Path) -> None:
    if os.path.lexists(to):
        raise InvalidConfig(f"{to} exists already; a backup never overwrites anything. Choose another name.")
    if to.resolve().is_relative_to(data.resolve()):
        raise InvalidConfig(f"{to} is inside {data}, which is what is backed up. Choose a place outside it.")


def _copy_database(source: Path, to: Path) -> tuple[int, int, str]:
    """Copies the database as it is at one moment, and counts and checks the copy."""

    def copied() -> tuple[list[int], list[int], list[str], str]:
        with closing(sqlite3.connect(source, timeout=BUSY_SECONDS, isolation_level=None)) as reading:
            check_programs(reading, source)
            reading.execute("BEGIN")
            wanted = [reading.execute(sql).fetchone()[0] for sql in COUNTS]
            private_file(to)
            with closing(sqlite3.connect(to, isolation_level=None)) as writing:
                reading.backup(writing)
        with closing(sqlite3.connect(to, isolation_level=None)) as copy:
            copy.execute("PRAGMA journal_mode = DELETE")
            problems = [row[0] for row in copy.execute("PRAGMA integrity_check") if row[0] != "ok"]
            problems += [f"{row[0]} row {row[1]}" for row in copy.execute("PRAGMA foreign_key_check")]
            found = [copy.execute(sql).fetchone()[0] for sql in COUNTS]
            return wanted, found, problems, str(copy.execute(READ_VERSION).fetchone()[0])

    place = f"{source}, while it was copied to {to.parent.parent}"
    wanted, found, problems, version = with_store_errors(copied, place)
    if problems or found != wanted:
        what = problems[0] if problems else f"{found} runs and events instead of {wanted}"
        raise StoreUnavailable(
            f"The store {source}: its copy is not sound ({what}). The database is damaged; keep the last good backup, "
            "and save single runs with 'dramaturg runs export --log'.",
            place=str(source),
        )
    _sync(to)
    return found[0], found[1], version


def _files(data: Path, database: Path, to: Path) -> Iterator[Path]:
    """The files to copy, relative to the data folder. Links are left out: what they lead to is not the project's."""
    own = {database.name, f"{database.name}-wal", f"{database.name}-shm", f"{database.name}-journal", MANIFEST}
    for folder, folders, names in os.walk(data):
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        for name in names:
            path = Path(folder) / name
            unfinished = name.startswith(".") and name.endswith(".part")
            if not (path.is_symlink() or unfinished or (path.parent == data and name in own)) and path.is_file():
                yield path.relative_to(data)


def _copy_file(data: Path, name: Path, to: Path) -> int:
    """1 if the file was copied, 0 if it was deleted meanwhile."""
    private_folders((to / name).parent, to)
    with suppress(FileNotFoundError):
        shutil.copy2(data / name, to / name, follow_symlinks=False)
        _sync(to / name)
        return 1
    return 0


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
