"""The lorebooks of a story project: `lorebooks/*.json`."""

from __future__ import annotations

from difflib import get_close_matches
from functools import partial
from pathlib import Path

from dramaturg.characters.lorebook.entry import Lorebook
from dramaturg.characters.lorebook.forms import NO_BOOK, card_book, read_book
from dramaturg.characters.tavern.charx import looks_like_charx
from dramaturg.characters.tavern.file import read_card_file
from dramaturg.characters.tavern.jsontext import Refuse
from dramaturg.characters.tavern.png import SIGNATURE
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import leads_out, read_file, shown_name

BOOKS = "lorebooks"
MAX_BOOK = 32 * 1024 * 1024


def load_books(project: Path) -> tuple[Lorebook, ...]:
    """The project's lorebooks, sorted by file name. Raises InvalidConfig if one cannot be read."""
    return tuple(_load_own(project, path) for path in _files(project).values())


def known_books(project: Path) -> tuple[str, ...]:
    """The names of the project's lorebooks: those of their files, without the ending."""
    return tuple(_files(project))


def book_name(project: Path, name: str) -> str:
    """The name as its file has it, ignoring case; the name itself if there is no such file."""
    plain = name.removesuffix(".json")
    return next((stem for stem in _files(project) if stem.casefold() == plain.casefold()), plain)


def named_book(project: Path, name: str) -> Lorebook:
    """The lorebook in `lorebooks/<name>.json`. Raises InvalidConfig; for an unknown name it suggests the nearest."""
    path = book_file(project, name)
    if path is None:
        raise InvalidConfig(no_such_book(project, name), book=name)
    return _load_own(project, path)


def book_file(project: Path, name: str) -> Path | None:
    """The file of a lorebook, by its name, ignoring case; None if there is none."""
    return _files(project).get(book_name(project, name))


def no_such_book(project: Path, name: str) -> str:
    """What to say of a name that no lorebook has, with the nearest that one has."""
    files = _files(project)
    near = get_close_matches(name, files, n=1)
    here = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(files) or 'none'}."
    return f"There is no lorebook '{name}' in {BOOKS}/. {here}"


def book_bytes(project: Path, path: Path) -> bytes:
    """The bytes of a lorebook of the project. Raises InvalidConfig."""
    if leads_out(path, project):
        raise unreadable_book(_shown(path), "it is a link out of the project", "Copy the file itself there.")
    return _bytes(path, _shown(path))


def _shown(path: Path) -> str:
    """A lorebook of the project, with its folder: one that cannot be read may be in nobody's mind."""
    return f"{BOOKS}/{shown_name(path)}"


def _files(project: Path) -> dict[str, Path]:
    try:
        paths = sorted(path for path in (project / BOOKS).iterdir() if path.suffix.lower() == ".json")
    except OSError:
        return {}
    return {Path(shown_name(path)).stem: path for path in paths}


def _load_own(project: Path, path: Path) -> Lorebook:
    return _book(path, book_bytes(project, path), _shown(path))


def load_book(path: Path) -> Lorebook:
    """The lorebook in a file, also in a card of any format; a book without a name takes the file's.

    Raises InvalidConfig.
    """
    return _book(path, _bytes(path, shown_name(path)), shown_name(path))


def _book(path: Path, data: bytes, shown: str) -> Lorebook:
    refuse = partial(unreadable_book, shown)
    is_card_file = data.startswith(SIGNATURE) or looks_like_charx(data)
    book = _in_card_file(data, refuse) if is_card_file else read_book(data, refuse)
    return book if book.name else book.model_copy(update={"name": Path(shown_name(path)).stem})


def _in_card_file(data: bytes, refuse: Refuse) -> Lorebook:
    book = read_card_file(data, refuse).card.data.character_book
    if book is None:
        raise refuse(*NO_BOOK)
    return card_book(book, refuse)


def _bytes(path: Path, shown: str) -> bytes:
    refuse = partial(unreadable_book, shown)
    try:
        data = read_file(path, MAX_BOOK)
    except OSError as error:
        raise refuse(error.strerror or str(error), "Check the file and its permissions.") from error
    if len(data) > MAX_BOOK:
        raise refuse(f"it is over {MAX_BOOK // 2**20} MB", "Split it into several books.")
    return data


def unreadable_book(name: str, reason: str, remedy: str) -> InvalidConfig:
    """The error for a lorebook that cannot be read."""
    return InvalidConfig(f"Lorebook '{name}' cannot be read: {reason}. {remedy}", book=name, reason=reason)
