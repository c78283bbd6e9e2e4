"""The index of a folder: every excerpt, searched by words with SQLite's FTS5. Made anew for what has changed.

It is a cache in `data/`, beside the store and not of it: whoever deletes it loses nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from dramaturg.kernel.director.words import function_words, words
from dramaturg.kernel.errors import NotebookUnavailable
from dramaturg.kernel.values import Value
from dramaturg.workshop.notebooks.port import NotebookPassage
from dramaturg.workshop.notebooks.sources import SUFFIXES, read_source

MOST_FILES = 5000
VERSION = 1
CREATE = """
    CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, mark TEXT NOT NULL, problem TEXT);
    CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
        name UNINDEXED, place UNINDEXED, text, tokenize = 'porter unicode61 remove_diacritics 2'
    );
"""
SEARCH = """
    SELECT name, place, text FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), name, rowid LIMIT ?
"""


class NotebookSurvey(Value):
    """What is in a notebook: how many files and excerpts, and what could not be read."""

    files: int
    passages: int
    problems: tuple[str, ...] = ()


class FolderIndex:
    """The index of one folder, kept in one file. Its methods block; call them in a thread."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder = folder
        self._file = file

    def search(self, question: str, most: int) -> tuple[NotebookPassage, ...]:
        """The excerpts that have words of the question, the best first."""
        wanted = [word for word in dict.fromkeys(words(question)) if word not in function_words()][:32]
        if not wanted:
            return ()
        match = " OR ".join(f'"{word}"' for word in wanted)
        with self._opened() as database:
            rows = database.execute(SEARCH, (match, most)).fetchall()
        return tuple(NotebookPassage(file=name, place=place, text=text) for name, place, text in rows)

    def survey(self) -> NotebookSurvey:
        with self._opened() as database:
            files = database.execute("SELECT COUNT(*) FROM files").fetchone()[0]
            passages = database.execute("SELECT COUNT(*) FROM passages").fetchone()[0]
            rows = database.execute("SELECT problem FROM files WHERE problem IS NOT NULL ORDER BY name").fetchall()
        return NotebookSurvey(files=files, passages=passages, problems=tuple(row[0] for row in rows))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The index, up to date. One that is damaged is made anew."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connected()) as database:
            self._refresh(database)
            yield database

    def _connected(self) -> sqlite3.Connection:
        for attempt in (1, 2):
            database = sqlite3.connect(self._file, timeout=30)
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

    def _refresh(self, database: sqlite3.Connection) -> None:
        now = self._marks()
        before = dict(database.execute("SELECT name, mark FROM files").fetchall())
        gone = [name for name in before if now.get(name) != before[name]]
        new = [name for name in now if now[name] != before.get(name)]
        if not gone and not new:
            return
        with database:
            for name in gone:
                database.execute("DELETE FROM passages WHERE name = ?", (name,))
                database.execute("DELETE FROM files WHERE name = ?", (name,))
            for name in new:
                self._read(database, name, now[name])

    def _read(self, database: sqlite3.Connection, name: str, mark: str) -> None:
        problem = None
        try:
            excerpts = read_source(self._folder / name)
            rows = [(name, one.place, one.text) for one in excerpts]
            database.executemany("INSERT INTO passages (name, place, text) VALUES (?, ?, ?)", rows)
        except (NotebookUnavailable, OSError) as error:
            problem = str(error)
        database.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (name, mark, problem))

    def _marks(self) -> dict[str, str]:
        """Every file with what changes when it does."""
        if not self._folder.is_dir():
            raise NotebookUnavailable(f"The folder {self._folder.name}/ of this notebook is not there.")
        found: dict[str, str] = {}
        for path in sorted(self._folder.rglob("*"))[: 4 * MOST_FILES]:
            if path.suffix.lower() in SUFFIXES and path.is_file() and not path.name.startswith((".", "~$")):
                about = path.stat()
                found[path.relative_to(self._folder).as_posix()] = f"{about.st_mtime_ns}/{about.st_size}"
        return dict(list(found.items())[:MOST_FILES])
