"""The bookshelf of a character: the lorebooks that are searched for it, its own first, then the project's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import orjson

from dramaturg.characters.exchange import CharacterFiles, kept_original, load_character_files
from dramaturg.characters.load import FOREIGN, foreign_file
from dramaturg.characters.lorebook import Lorebook, load_books, read_book
from dramaturg.characters.lorebook.files import BOOKS, book_name, named_book, unreadable_book
from dramaturg.characters.lorebook.scan import LoreSurroundings
from dramaturg.characters.tavern.card import TavernCard
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.values import WireValue

_SHARE, _LEAST, _MOST = 8, 400, 16_000
MAX_SHELVES = 8 * 1024 * 1024
"""Characters of lorebooks in one run: they are kept in its log."""


@dataclass(frozen=True, slots=True)
class Bookshelf:
    """The books that are searched for a character, and the facts about its card that entries may refer to.

    `problem` says why they could not be read.
    """

    books: tuple[Lorebook, ...] = ()
    original: TavernCard | None = None
    problem: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.books and not self.problem

    @property
    def facts(self) -> LoreSurroundings:
        """What the original card says, for entries that refer to it; all of it empty if there is none."""
        return facts_of(self.original)


NO_BOOKS = Bookshelf()


def lore_budget(asked: int | None, context_window: int) -> int:
    """The tokens of lore in one prompt: as asked, or else an eighth of the model's window, within reason."""
    return asked if asked is not None else min(max(context_window // _SHARE, _LEAST), _MOST)


def facts_of(original: TavernCard | None) -> LoreSurroundings:
    """What entries may refer to in the card of another program."""
    if original is None:
        return LoreSurroundings()
    data = original.data
    return LoreSurroundings(
        tags=tuple(data.tags or ()),
        description=data.description or "",
        personality=data.personality or "",
        scenario=data.scenario or "",
        creator_notes=data.creator_notes or "",
        depth_prompt=data.depth_prompt.prompt,
    )


def shelf_of(project: Path, character: str) -> Bookshelf:
    """The books for a character: its own first, then the project's. Raises AuthorError if one cannot be read."""
    stamps = tuple(_stamps(project, character))
    return _shelf(project, character, stamps) if stamps else NO_BOOKS


def shelf_with(project: Path, files: CharacterFiles) -> Bookshelf:
    """The books for a character with these files: its own first, then the project's. Raises AuthorError."""
    own = (files.book,) if files.book is not None else ()
    return Bookshelf((*own, *load_books(project)), files.original)


def kept_shelf(project: Path, character: str, original: str) -> Bookshelf:
    """The same for a session in progress, with the original that its log has."""
    try:
        files = kept_original(original, character)
        return shelf_with(project, files) if files is not None else Bookshelf(load_books(project))
    except AuthorError as error:
        return Bookshelf(problem=error.message)


def shelf_or_problem(project: Path, character: str) -> Bookshelf:
    """The same for a session in progress: if a book can no longer be read, its lore is missing and the log says so."""
    try:
        return shelf_of(project, character)
    except AuthorError as error:
        return Bookshelf(problem=error.message)


def group_greetings(project: Path, character: str) -> tuple[str, ...]:
    """The first words that the original of a card has for groups only."""
    original = shelf_of(project, character).original if foreign_file(project, character) is not None else None
    return tuple(text for text in original.data.group_only_greetings or () if text.strip()) if original else ()


def _stamps(project: Path, character: str) -> Iterable[tuple[str, int]]:
    """The files the books are read from, and when each was last changed."""
    paths = sorted((project / BOOKS).glob("*.json"))
    own = foreign_file(project, character) if (project / FOREIGN).is_dir() else None
    for path in (*paths, *((own,) if own is not None else ())):
        yield str(path), _changed(path)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _shelf(project: Path, character: str, _: tuple[tuple[str, int], ...]) -> Bookshelf:
    files = load_character_files(project, character)
    return shelf_with(project, files)


class ShelvedBook(WireValue):
    """A lorebook as it was when a run was opened: its JSON, and those of the cast it is searched for."""

    name: str
    raw: str
    readers: tuple[str, ...]

    def book(self) -> Lorebook:
        """The book itself."""
        refuse = partial(unreadable_book, self.name)
        return read_book(self.raw.encode(), refuse).model_copy(update={"name": self.name})


@dataclass(frozen=True, slots=True)
class CastShelves:
    """The books of a cast, in order of precedence, and what each member's original card says."""

    books: tuple[ShelvedBook, ...]
    facts: Mapping[str, LoreSurroundings]


def shelve(
    project: Path,
    cast: Mapping[str, str],
    shared: Iterable[str],
    private: Mapping[str, Sequence[str]],
    *,
    shares_private: bool,
) -> CastShelves:
    """The books of a cast: the cards' own, each for its character alone, then the project's. Raises AuthorError.

    `cast` has the card's name of each member. `shared` books are for everybody, unless they are also in `private`, the
    books of single members, and `shares_private` is false.
    """
    files = {
        member: load_character_files(project, card) for member, card in cast.items() if foreign_file(project, card)
    }
    books = [
        ShelvedBook(name=own.book.name, raw=_raw(own.book), readers=(member,))
        for member, own in files.items()
        if own.book is not None
    ]
    readers: dict[str, list[str]] = {}
    for member, names in private.items():
        for name in names:
            readers.setdefault(book_name(project, name), []).append(member)
    for name in (book_name(project, name) for name in shared):
        if shares_private or name not in readers:
            readers[name] = [*private]
    for name, members in readers.items():
        book = named_book(project, name)
        books.append(ShelvedBook(name=book.name, raw=_raw(book), readers=tuple(members)))
    if sum(len(book.raw) for book in books) > MAX_SHELVES:
        raise InvalidConfig(
            f"The lorebooks of this cast have over {MAX_SHELVES // 2**20} MB. Name those it needs under 'lorebooks:'."
        )
    facts = {member: facts_of(own.original) for member, own in files.items() if own.original is not None}
    return CastShelves(tuple(books), facts)


def _raw(book: Lorebook) -> str:
    return orjson.dumps(dict(book.source)).decode()
