"""The file of an open database, which somebody may move away, delete or replace while it is in use.

SQLite goes on writing into the file that it has open, where nobody would find it again.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from dramaturg.kernel.store import failures


class DatabaseFile:
    """Which file is at a path. Before `remember`, and where files have no identity, any is right."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None

    def remember(self) -> None:
        """The file that is there now is the one that is open. A database that is in no file has none."""
        with suppress(OSError):
            self._identity = self._found()

    def check(self) -> None:
        """Raises StoreBlocked while the open file is not at its path. It may be put back."""
        if self._identity is None:
            return
        try:
            found = self._found()
        except OSError:  # a network path that is away for a moment: SQLite says what it means
            return
        if found != self._identity:
            raise failures.displaced(self._path, is_there=found is not None)

    def _found(self) -> tuple[int, int] | None:
        try:
            about = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return (about.st_dev, about.st_ino) if about.st_ino else self._identity
