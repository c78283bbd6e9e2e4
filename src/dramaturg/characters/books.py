"""The lorebooks of a project as their author edits them: in cards and in `lorebooks/`, written over what was read."""

from __future__ import annotations

import hashlib
import unicodedata
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from pydantic import Field, JsonValue

from dramaturg.authored import write_new_file
from dramaturg.characters.exchange import book_of, original_file
from dramaturg.characters.fields import unreadable
from dramaturg.characters.load import FOREIGN, NAMES, card_file, foreign_file, name_problem, written_card
from dramaturg.characters.lorebook import Lorebook, book_from, card_book, read_book
from dramaturg.characters.lorebook.dialect import STANDALONE
from dramaturg.characters.lorebook.editing import EntryEdit, EntryForm, LoreProblem, RawBook, book_in
from dramaturg.characters.lorebook.entry import BookForm
from dramaturg.characters.lorebook.fields import LoreFields
from dramaturg.characters.lorebook.files import BOOKS, book_bytes, book_file, no_such_book, unreadable_book
from dramaturg.characters.lorebook.forms import MAX_ENTRIES
from dramaturg.characters.replacing import replace_file
from dramaturg.characters.tavern.card import tavern_card
from dramaturg.characters.tavern.file import CardFile, json_file, read_card_file
from dramaturg.characters.tavern.jsontext import JsonObject, Refuse, is_object, raw_object, write_json, write_like
from dramaturg.characters.tavern.markdown import tavern_of
from dramaturg.characters.tavern.rewriting import with_changed_card
from dramaturg.characters.tavern.versions import converted
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound
from dramaturg.kernel.files import shown_name
from dramaturg.kernel.values import WireValue

_KEY = "character_book"
WRITING = Lock()
"""Who changes a file of a card reads it first; nobody else of this process writes in between."""

RawObject: TypeAlias = dict[str, JsonValue]


class LorebookEdit(WireValue):
    """A book as it shall be: all its entries in their order, and the digest of the book that they were made from."""

    digest: str = Field(max_length=64, description="of the book as it was read; empty if there was none")
    name: str | None = Field(None, max_length=200, description="a new name for the book", examples=["The coast"])
    entries: tuple[EntryEdit, ...] = Field(
        max_length=MAX_ENTRIES, examples=[[{"at": 0, "fields": {"content": "It burned in 1904."}}, {"at": 1}]]
    )


@dataclass(frozen=True, slots=True)
class BookEntry:
    """An entry: what people call it, how its file writes it, and its fields."""

    label: str
    form: EntryForm
    fields: LoreFields


@dataclass(frozen=True, slots=True)
class OpenBook:
    """A book to edit. `file` is where it is, or would be written; a character without a book has an empty digest."""

    name: str
    file: str
    form: BookForm
    digest: str
    entries: tuple[BookEntry, ...]


@dataclass(frozen=True, slots=True)
class DraftedBook:
    """A book that is not written yet, and what is wrong with it."""

    book: Lorebook
    problems: tuple[LoreProblem, ...]


def unchanged(book: OpenBook) -> LorebookEdit:
    """The edit that leaves a book as it is."""
    return LorebookEdit(digest=book.digest, entries=tuple(EntryEdit(at=place) for place in range(len(book.entries))))


def open_card_book(project: Path, name: str) -> OpenBook:
    """The book in a character's card. Raises CharacterLoadError."""
    refuse = partial(unreadable, name)
    file = original_file(project, name)
    where = f"{FOREIGN}/{_place(project, name).name}"
    book = book_of(name, file.card) if file else None
    if file is None or book is None:
        return OpenBook("", where, "card", "", ())
    return _opened(book, where, deepcopy(dict(file.card.data.character_book or {})), refuse)


def drafted_card_book(project: Path, name: str, edit: LorebookEdit) -> DraftedBook:
    """The book in a character's card as an edit would make it; nothing is written. Raises AuthorError."""
    refuse = partial(unreadable, name)
    file = original_file(project, name)
    found = file.card.data.character_book if file else None
    _check_digest(edit, found)
    book = _begun(deepcopy(dict(found or {})))
    problems = RawBook(book, refuse).draft(edit.entries)
    return DraftedBook(card_book(book, refuse), tuple(problems))


def write_card_book(project: Path, name: str, edit: LorebookEdit) -> OpenBook:
    """Write the book in a character's card; a card of ours without an original gets one. Raises AuthorError.

    AlreadyUsed if the book was changed meanwhile. Whatever else the file has stays as it is.
    """
    refuse = partial(unreadable, name)
    with WRITING:
        file = original_file(project, name) or made_original(project, name)
        _check_digest(edit, file.card.data.character_book)
        data = with_changed_card(file, partial(_change_card, edit=edit, refuse=refuse), refuse)
        book_of(name, read_card_file(data, refuse).card)  # raises if it could not be read again
        replace_file(_place(project, name), data, FOREIGN)
    return open_card_book(project, name)


def begin_project_book(project: Path, name: str, title: str = "") -> OpenBook:
    """A new book without entries in `lorebooks/`, in the form that other programs read too.

    Raises InvalidConfig for a name that no file can have, AlreadyUsed if a book has it.
    """
    plain = unicodedata.normalize("NFC", name).strip().removesuffix(".json")
    if problem := name_problem(plain):
        raise InvalidConfig(f"'{name}' cannot name a lorebook: {problem}. {NAMES}", name=name)
    book: RawObject = {"spec": STANDALONE, "data": {"name": title.strip() or plain, "extensions": {}, "entries": []}}
    with WRITING:
        if book_file(project, plain) is not None:
            raise AlreadyUsed(f"There is a lorebook '{plain}' already. Choose another name.", name=plain)
        write_new_file(project, f"{BOOKS}/{plain}.json", write_json(book, indent=2).decode() + "\n")
    return open_project_book(project, plain)


def open_project_book(project: Path, name: str) -> OpenBook:
    """A book of `lorebooks/`. Raises NotFound, or InvalidConfig if it cannot be read."""
    path = _known_file(project, name)
    refuse = partial(unreadable_book, shown_name(path))
    data = book_bytes(project, path)
    book = read_book(data, refuse)
    named = book if book.name else book.model_copy(update={"name": Path(shown_name(path)).stem})
    return _opened(named, f"{BOOKS}/{shown_name(path)}", book_in(raw_object(data, refuse)), refuse)


def drafted_project_book(project: Path, name: str, edit: LorebookEdit) -> DraftedBook:
    """A book of `lorebooks/` as an edit would make it; nothing is written. Raises AuthorError."""
    path = _known_file(project, name)
    refuse = partial(unreadable_book, shown_name(path))
    source = raw_object(book_bytes(project, path), refuse)
    _check_digest(edit, book_in(source))
    problems = RawBook(book_in(source), refuse).draft(edit.entries)
    return DraftedBook(book_from(source, refuse), tuple(problems))


def write_project_book(project: Path, name: str, edit: LorebookEdit) -> OpenBook:
    """Write a book of `lorebooks/`. Raises AuthorError; AlreadyUsed if it was changed meanwhile."""
    path = _known_file(project, name)
    refuse = partial(unreadable_book, shown_name(path))
    with WRITING:
        data = book_bytes(project, path)
        _check_digest(edit, book_in(raw_object(data, refuse)))
        written = write_like(_changed_source(data, edit, refuse), data)
        read_book(written, refuse)
        replace_file(path, written, BOOKS)
    return open_project_book(project, name)


def made_original(project: Path, name: str) -> CardFile:
    """What a card of ours is for other programs: a file that can have a book, and a picture."""
    refuse = partial(unreadable, name)
    return read_card_file(json_file(tavern_of(written_card(project, name), refuse)), refuse)


def _place(project: Path, name: str) -> Path:
    """The original of a card, or where it would be."""
    found = foreign_file(project, name)
    return found if found is not None else project / FOREIGN / f"{card_file(project, name).stem}.json"


def _known_file(project: Path, name: str) -> Path:
    path = book_file(project, name)
    if path is None:
        raise NotFound(no_such_book(project, name), book=name)
    return path


def _opened(book: Lorebook, where: str, raw: RawObject, refuse: Refuse) -> OpenBook:
    digest, source = _digest(raw), RawBook(raw, refuse)
    entries = (
        BookEntry(entry.label, source.form_of(place), fields)
        for place, (entry, fields) in enumerate(zip(book.entries, source.fields, strict=True))
    )
    return OpenBook(book.name, where, book.form, digest, tuple(entries))


def _digest(book: JsonObject | None) -> str:
    return hashlib.sha256(write_json(book)).hexdigest() if book is not None else ""


def _check_digest(edit: LorebookEdit, book: JsonObject | None) -> None:
    if edit.digest != _digest(book):
        raise AlreadyUsed(
            "The lorebook was changed since you opened it. Open it again, and put your changes into that."
        )


def _change_card(source: RawObject, *, edit: LorebookEdit, refuse: Refuse) -> None:
    card = tavern_card(source, refuse)
    if card.version == 1:  # which has no place for a book
        source.update(converted(card, 2, refuse).source)
    data = source["data"]
    assert is_object(data)
    book = data.get(_KEY) or source.get(_KEY)
    data[_KEY] = _edited(book if is_object(book) else {}, edit, refuse)


def _changed_source(data: bytes, edit: LorebookEdit, refuse: Refuse) -> RawObject:
    source = raw_object(data, refuse)
    _edited(book_in(source), edit, refuse)
    return source


def _edited(book: RawObject, edit: LorebookEdit, refuse: Refuse) -> RawObject:
    """The book, changed in place."""
    RawBook(_begun(book), refuse).edit(edit.entries)
    if edit.name is not None and edit.name != book.get("name", ""):
        book["name"] = edit.name
    return book


def _begun(book: RawObject) -> RawObject:
    """The book; a new one with what the specification wants of it."""
    if "entries" not in book:
        book.update({"extensions": {}, **book, "entries": []})
    return book
