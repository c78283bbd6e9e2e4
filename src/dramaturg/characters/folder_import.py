"""Characters and worlds of a SillyTavern folder as files of the project. Nothing is overwritten."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from os.path import lexists
from pathlib import Path

from dramaturg.characters.exchange import checked_import, file_name_of, import_card
from dramaturg.characters.fields import unreadable
from dramaturg.characters.load import FOREIGN_SUFFIXES, MAX_FOREIGN, file_bytes, foreign_file, known_cards
from dramaturg.characters.lorebook import Lorebook, book_as, read_book
from dramaturg.characters.lorebook.files import BOOKS, MAX_BOOK
from dramaturg.characters.names import free_name
from dramaturg.characters.tavern.card import TavernCard, tavern_card
from dramaturg.characters.tavern.file import CardFile, json_file, png_file, read_card_file
from dramaturg.characters.tavern.folder import FolderFile, TavernFolder, TavernSettings
from dramaturg.characters.tavern.jsontext import is_object
from dramaturg.kernel.errors import AuthorError, CharacterLoadError, InvalidConfig
from dramaturg.kernel.files import create_file, leads_out
from dramaturg.kernel.store.failures import unwritable

UNUSED = f"{BOOKS}/unused"
CARD_ENDINGS = (*FOREIGN_SUFFIXES, ".webp")


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of a file: its target in the project, and remarks. `is_new` if it was not here before."""

    target: str
    is_new: bool = True
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkedWorlds:
    """The worlds of the folder by name, and those that cannot be read."""

    books: Mapping[str, Lorebook]
    data: Mapping[str, bytes] = field(repr=False)
    problems: Mapping[str, str]
    users: dict[str, list[str]] = field(default_factory=dict)
    """The characters whose book a world has become."""

    def book_of(self, card: TavernCard) -> tuple[str, Lorebook] | None:
        """The world that a card is linked to; the other program reads it instead of the book in the card."""
        named = card.data.extensions.get("world")
        return (named, self.books[named]) if isinstance(named, str) and named in self.books else None


def read_worlds(folder: TavernFolder) -> LinkedWorlds:
    """Every world of a folder."""
    books: dict[str, Lorebook] = {}
    data: dict[str, bytes] = {}
    problems: dict[str, str] = {}
    for file in folder.files("worlds", ".json"):
        try:
            data[file.stem] = file.read(MAX_BOOK)
            books[file.stem] = read_book(data[file.stem], lambda reason, remedy: InvalidConfig(f"{reason}. {remedy}"))
        except AuthorError as error:
            problems[file.stem] = error.message
    return LinkedWorlds(books, data, problems)


class CardShelf:
    """The cards of a project while more are brought; a dry run brings none, and counts their names."""

    def __init__(self, project: Path, *, dry_run: bool) -> None:
        self._project, self._dry_run = project, dry_run
        self._taken = set[str]()
        with suppress(CharacterLoadError):  # a folder that is a link out: each card is refused for that when it comes
            self._taken.update(name.casefold() for name in known_cards(project))

    def content(self, file: FolderFile, worlds: LinkedWorlds) -> tuple[CardFile, bytes]:
        """The card in a file and what is kept of it: the file itself, or with the world it is linked to as its book.

        Raises AuthorError.
        """
        refuse = partial(unreadable, file.stem)
        data = file.read(MAX_FOREIGN)
        card = read_card_file(data, refuse)
        linked = worlds.book_of(card.card)
        if linked is None or card.form == "charx":
            return card, data
        book = dict(book_as(linked[1], "card"))
        inner = card.card.source.get("data")
        if not is_object(inner) or inner.get("character_book") == book:
            return card, data
        whole = tavern_card({**card.card.source, "data": {**inner, "character_book": book}}, refuse)
        written = png_file(whole, data, refuse) if card.form == "png" else json_file(whole)
        return read_card_file(written, refuse), written

    def bring(self, file: FolderFile, card: CardFile, data: bytes) -> Brought:
        """Writes a card to the project under a name that is free. Raises CharacterLoadError."""
        wanted = file_name_of(card.card, file.stem)
        if self._is_here(wanted, data):
            return Brought(wanted, is_new=False)
        name = free_name(wanted, lambda one: one.casefold() not in self._taken)
        remarks: tuple[str, ...] = (
            () if name == wanted else (f"There is another '{wanted}' here; this one is '{name}'.",)
        )
        bring = checked_import if self._dry_run else import_card
        remarks = (*remarks, *bring(self._project, data, stem=file.stem, name=name).remarks)
        self._taken.add(name.casefold())
        return Brought(name, remarks=remarks)

    def _is_here(self, name: str, data: bytes) -> bool:
        try:
            path = foreign_file(self._project, name)
            return path is not None and file_bytes(self._project, name, path, MAX_FOREIGN) == data
        except CharacterLoadError:
            return False


def bring_world(project: Path, name: str, worlds: LinkedWorlds, settings: TavernSettings, *, dry_run: bool) -> Brought:
    """Writes a world to the project's lorebooks; one that was not active goes where no book is searched.

    A world that is the book of a card, and nothing else, stays with the card. Raises InvalidConfig, StoreUnavailable.
    """
    users, active = worlds.users.get(name, ()), settings.active_worlds
    if users and (active is None or name not in active):
        return Brought(f"the card of {', '.join(users)}")
    is_aside = active is not None and name not in active
    folder = project / (UNUSED if is_aside else BOOKS)
    data = worlds.data[name]
    same = folder / f"{name}.json"
    if leads_out(same, project):
        raise InvalidConfig(f"{BOOKS} is a link out of the project")
    if _holds(same, data):
        return Brought(same.relative_to(project).as_posix(), is_new=False)
    path = folder / f"{free_name(name, lambda one: not lexists(folder / f'{one}.json'))}.json"
    if not dry_run:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            create_file(path, data)
        except OSError as error:
            raise unwritable(error, path.relative_to(project)) from error
    why = "It was not active there. Move it to lorebooks/ to use it." if is_aside else ""
    return Brought(path.relative_to(project).as_posix(), remarks=tuple(filter(None, (why,))))


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False
