"""Passages of many files, searched by words: SQLite's FTS5 in a file of its own, whatever database keeps the runs.

It is a cache. Whoever deletes the file loses nothing; one that is damaged is made anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from dramaturg.kernel.errors import StoreUnavailable

VERSION = 1
BUSY_SECONDS = 30
CREATE = """
    CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, mark TEXT NOT NULL, problem TEXT);
    CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
        name UNINDEXED, place UNINDEXED, text, tokenize = 'porter unicode61 remove_diacritics 2'
    );
"""
SEARCH = """
    SELECT name, place, text FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), name, rowid LIMIT ?
"""


class IndexedPassage(NamedTuple):
    """A piece of a file: which file, where in it, its words."""

    name: str
    place: str
    text: str


class ReadFile(NamedTuple):
    """A file as it was read: its passages, or why there are none."""

    passages: Sequence[IndexedPassage] = ()
    problem: str | None = None


class Contents(NamedTuple):
    """What an index holds."""

    files: int
    passages: int
    problems: tuple[str, ...]


class WordIndex:
    """One index in one file. Its methods block; call them in a thread. Raises StoreUnavailable."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def refresh(self, marks: Mapping[str, str], read: Callable[[str], ReadFile]) -> None:
        """Read what is new or has another mark than before, and forget what is gone."""
        with self._opened() as database:
            before = dict(database.execute("SELECT name, mark FROM files").fetchall())
            gone = [name for name in before if marks.get(name) != before[name]]
            new = [name for name in marks if marks[name] != before.get(name)]
            if not gone and not new:
                return
            with database:
                for name in gone:
                    database.execute("DELETE FROM passages WHERE name = ?", (name,))
                    database.execute("DELETE FROM files WHERE name = ?", (name,))
                for name in new:
                    found = read(name)
                    database.executemany("INSERT INTO passages (name, place, text) VALUES (?, ?, ?)", found.passages)
                    database.execute(
                        "INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (name, marks[name], found.problem)
                    )

    def search(self, words: Sequence[str], most: int) -> tuple[IndexedPassage, ...]:
        """The passages that have any of the words, the best first."""
        if not words:
            return ()
        match = " OR ".join('"{}"'.format(word.replace('"', "")) for word in words)
        with self._opened() as database:
            return tuple(IndexedPassage(*row) for row in database.execute(SEARCH, (match, most)).fetchall())

    def contents(self) -> Contents:
        with self._opened() as database:
            files = database.execute("SELECT COUNT(*) FROM files").fetchone()[0]
            passages = database.execute("SELECT COUNT(*) FROM passages").fetchone()[0]
            rows = database.execute("SELECT problem FROM files WHERE problem IS NOT NULL ORDER BY name").fetchall()
        return Contents(files, passages, tuple(row[0] for row in rows))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connected()) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"The index {self._file.name} cannot be used: {error}.") from error

    def _connected(self) -> sqlite3.Connection:
        for attempt in (1, 2):
            database = sqlite3.connect(self._file, timeout=BUSY_SECONDS)
            try:
                if database.execute("PRAGMA user_version").fetchone()[0] not in (0, VERSION):
                    raise sqlite3.DatabaseError("of another version")
                database.executescript(CREATE)
                database.execute(f"PRAGMA user_version = {VERSION}")
                return database
            except sqlite3.DatabaseError:
                database.close()
                if attempt == 2:
                    raise
                self._file.unlink(missing_ok=True)
        raise AssertionError("the second attempt returns or raises")
