"""A full-text index in a file of its own: SQLite's FTS5, whichever database holds the runs.

It is a cache beside the store, not part of it: deleting it loses nothing, and a damaged one is rebuilt.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store.private_files import private_file
from dramaturg.kernel.store.sqlite import program_in
from dramaturg.workshop.meaning import Meaning

VERSION = 1
CREATE = """
    CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, mark TEXT NOT NULL, problem TEXT);
    CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(
        name UNINDEXED, place UNINDEXED, text, tokenize = 'porter unicode61 remove_diacritics 2'
    );
    CREATE TABLE IF NOT EXISTS meanings (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""
UNREAD = "SELECT rowid, text FROM texts WHERE rowid NOT IN (SELECT id FROM meanings)"
MEANINGS = "SELECT name, place, text, vector FROM texts JOIN meanings ON meanings.id = texts.rowid"
FORGET = "DELETE FROM meanings WHERE id IN (SELECT rowid FROM texts WHERE name = ?)"
SEARCH = "SELECT name, place, text FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), name, rowid LIMIT ?"


@dataclass(frozen=True, slots=True)
class IndexedText:
    """A text, the name of its source, and its place there."""

    name: str
    place: str
    text: str


class TextIndex:
    """The indexed texts of some sources. Use it in a block of `open_index`; its methods are synchronous."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def marks(self) -> dict[str, str]:
        """Every indexed source, with the mark it had when it was indexed."""
        return dict(self._database.execute("SELECT name, mark FROM sources").fetchall())

    def drop(self, name: str) -> None:
        self._database.execute(FORGET, (name,))
        self._database.execute("DELETE FROM texts WHERE name = ?", (name,))
        self._database.execute("DELETE FROM sources WHERE name = ?", (name,))

    def put(self, name: str, mark: str, texts: Sequence[IndexedText], problem: str | None = None) -> None:
        """Replaces a source with its texts, or with the reason why it has none."""
        self.drop(name)
        rows = [(one.name, one.place, one.text) for one in texts]
        self._database.executemany("INSERT INTO texts (name, place, text) VALUES (?, ?, ?)", rows)
        self._database.execute("INSERT INTO sources VALUES (?, ?, ?)", (name, mark, problem))

    def search(self, words: Sequence[str], most: int) -> tuple[IndexedText, ...]:
        """The texts that contain at least one of the words, best match first."""
        if not words:
            return ()
        match = " OR ".join('"' + word.replace('"', "") + '"' for word in words)
        return tuple(IndexedText(*row) for row in self._database.execute(SEARCH, (match, most)).fetchall())

    def search_meaning(self, question: str, meaning: Meaning, most: int) -> tuple[IndexedText, ...]:
        """The texts nearest in meaning to a question, nearest first; vectors that are missing are made and kept."""
        unread = self._database.execute(UNREAD).fetchall()
        made = zip((row[0] for row in unread), meaning.vectors([row[1] for row in unread]), strict=True)
        self._database.executemany("INSERT INTO meanings VALUES (?, ?)", list(made))
        rows = self._database.execute(MEANINGS).fetchall()
        near = meaning.nearness(question, [row[3] for row in rows])
        best = sorted((place for place in range(len(rows)) if near[place]), key=lambda place: -near[place])
        return tuple(IndexedText(*rows[place][:3]) for place in best[:most])

    def count(self) -> int:
        return int(self._database.execute("SELECT COUNT(*) FROM texts").fetchone()[0])

    def problems(self) -> tuple[str, ...]:
        rows = self._database.execute("SELECT problem FROM sources WHERE problem IS NOT NULL ORDER BY name")
        return tuple(str(row[0]) for row in rows.fetchall())


@contextmanager
def open_index(file: Path) -> Iterator[TextIndex]:
    """An index for a block, committed as a whole or not at all. Raises StoreUnavailable if the disk refuses."""
    parts = tuple(file.parent.glob(f"{file.name}*"))
    if any(part.is_symlink() or not part.is_file() for part in parts) or file.parent.is_symlink():
        raise StoreUnavailable(
            f"The index {file.name} is a link or no file. Remove it; it is made again.", path=str(file)
        )
    try:
        # Below data/, which is private; a folder of its own stays as the umask makes it.
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_file(file)
        database = _connected(file)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailable(f"The index {file.name} cannot be opened: {error}.", path=str(file)) from error
    try:
        with database:
            yield TextIndex(database)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"The index {file.name} cannot be used: {error}.", path=str(file)) from error
    finally:
        database.close()


def _connected(file: Path) -> sqlite3.Connection:
    try:
        return _current(file)
    except sqlite3.DatabaseError:
        file.unlink(missing_ok=True)
        return _current(file)


def _current(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=30)
    try:
        if database.execute("PRAGMA user_version").fetchone()[0] not in (0, VERSION) or program_in(database):
            raise sqlite3.DatabaseError("of another version, or not ours")
        database.executescript(CREATE)
        database.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database
