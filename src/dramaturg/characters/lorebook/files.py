"""The lorebooks of a story project: `lorebooks/*.json`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dramaturg.characters.lorebook.entry import Lorebook
from dramaturg.characters.lorebook.forms import read_book
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import leads_out, read_file, shown_name

BOOKS = "lorebooks"
MAX_BOOK = 32 * 1024 * 1024


def load_books(project: Path) -> tuple[Lorebook, ...]:
    """The project's lorebooks, sorted by file name. Raises InvalidConfig if one cannot be read."""
    try:
        paths = sorted(path for path in (project / BOOKS).iterdir() if path.suffix.lower() == ".json")
    except OSError:
        return ()
    for path in paths:
        if leads_out(path, project):
            raise _unreadable(path.name, "it is a link out of the project", "Copy the file itself there.")
    return tuple(load_book(path) for path in paths)


def load_book(path: Path) -> Lorebook:
    """The lorebook in a file; a book without a name takes the file's. Raises InvalidConfig."""
    refuse = partial(_unreadable, shown_name(path))
    try:
        data = read_file(path, MAX_BOOK)
    except OSError as error:
        raise refuse(error.strerror or str(error), "Check the file and its permissions.") from error
    if len(data) > MAX_BOOK:
        raise refuse(f"it is over {MAX_BOOK // 2**20} MB", "Split it into several books.")
    book = read_book(data, refuse)
    return book if book.name else book.model_copy(update={"name": Path(shown_name(path)).stem})


def _unreadable(name: str, reason: str, remedy: str) -> InvalidConfig:
    return InvalidConfig(f"Lorebook '{name}' cannot be read: {reason}. {remedy}", book=name, reason=reason)
