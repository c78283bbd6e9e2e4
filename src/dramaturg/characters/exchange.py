"""Import and export: cards of other programs as files of the project, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dramaturg.characters.card import Card, parse_card
from dramaturg.characters.fields import unreadable
from dramaturg.characters.load import (
    FOLDER,
    FOREIGN,
    MAX_FOREIGN,
    MAX_NAME,
    checked_length,
    checked_name,
    decode,
    file_bytes,
    foreign_file,
    known_cards,
    load_card,
    played_card,
    written_card,
)
from dramaturg.characters.lorebook import Lorebook, card_book
from dramaturg.characters.names import free_name
from dramaturg.characters.tavern.card import TavernCard, Version, tavern_card
from dramaturg.characters.tavern.file import (
    MAIN_ICON,
    CardFile,
    CardFormat,
    charx_file,
    json_file,
    members_of,
    picture_of,
    png_file,
    read_card_file,
    with_icon,
    without_archive,
)
from dramaturg.characters.tavern.jsontext import Refuse, is_object, read_object, write_json
from dramaturg.characters.tavern.macros import SOMEBODY
from dramaturg.characters.tavern.markdown import markdown_of, remarks_on, revised, tavern_of
from dramaturg.characters.tavern.png import read_chunks
from dramaturg.characters.tavern.versions import converted
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig
from dramaturg.kernel.files import create_file, link_out
from dramaturg.kernel.store.failures import unwritable


@dataclass(frozen=True, slots=True)
class CharacterFiles:
    """A character's card, the original it was imported from and the original's lorebook; None if there is none."""

    card: Card
    original: TavernCard | None = None
    book: Lorebook | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardImport:
    """The result of an import: the Markdown file, the original kept beside it, and remarks for the author."""

    card: Card
    file: CardFile
    written: Path
    kept: Path
    remarks: tuple[str, ...] = ()

    @property
    def book(self) -> Lorebook | None:
        return book_of(self.card.name, self.file.card)


@dataclass(frozen=True, slots=True)
class CardExport:
    """A card as a file for other programs, and remarks for the author."""

    data: bytes
    card: TavernCard
    remarks: tuple[str, ...] = ()


def load_character_files(project: Path, name: str, *, user: str = SOMEBODY) -> CharacterFiles:
    """The card, original and lorebook of one character. Raises CharacterLoadError."""
    card = load_card(project, name, user=user)
    original = original_file(project, card.name)
    if original is None:
        return CharacterFiles(card)
    return CharacterFiles(card, original.card, book_of(card.name, original.card))


def read_character(data: bytes, file_name: str) -> CharacterFiles:
    """The character in the bytes of a file that is no part of a project: Markdown, JSON, PNG or CharX.

    Raises CharacterLoadError.
    """
    stem, _, suffix = file_name.rpartition(".")
    if suffix.lower() in ("md", "markdown"):
        name = _file_name(stem, stem)
        text = checked_length(name, decode(stem, data))
        card = parse_card(name, text)
        return CharacterFiles(played_card(card), remarks=_model_remarks(card, file_name))
    file = read_card_file(data, partial(unreadable, file_name))
    name = file_name_of(file.card, stem or file_name)
    card = parse_card(name, checked_length(name, markdown_of(file.card, name)))
    remarks = (*file.remarks, *_model_remarks(card, file_name))
    return CharacterFiles(played_card(card), file.card, book_of(name, file.card), remarks)


def kept_original(raw: str, name: str) -> CharacterFiles | None:
    """The original and its lorebook, from what `original_json` wrote; None if it wrote nothing."""
    if not raw:
        return None
    refuse = partial(unreadable, name)
    card = tavern_card(read_object(raw.encode(), refuse), refuse)
    return CharacterFiles(parse_card(name, markdown_of(card, name)), card, book_of(name, card))


def original_json(card: TavernCard | None) -> str:
    """A card of another program as JSON, without its pictures; empty if there is none."""
    if card is None:
        return ""
    source = dict(card.source)
    data = source.get("data")
    if is_object(data):
        source["data"] = {key: value for key, value in data.items() if key != "assets"}
    return write_json(source).decode()


def import_card(
    project: Path, data: bytes, *, stem: str, name: str | None = None, rename: str = "with --name"
) -> CardImport:
    """Import a card of another program: write a Markdown file to play and edit, and keep the original.

    A card whose own name no file can have is called as its file, `stem`, with a number if that is taken. `rename` tells
    how another `name` is given. Raises CharacterLoadError if the file cannot be read or the project already has a
    character of that name, and StoreUnavailable; then nothing was written.
    """
    imported = checked_import(project, data, stem=stem, name=name, rename=rename)
    _write_both(project, imported.card.name, (imported.kept, data), (imported.written, imported.card.raw.encode()))
    return imported


def checked_import(
    project: Path, data: bytes, *, stem: str, name: str | None = None, rename: str = "with --name"
) -> CardImport:
    """The same without writing anything: what an import would be, or the error that it would raise."""
    file = read_card_file(data, partial(unreadable, stem))
    known = {one.casefold(): one for one in known_cards(project)}
    is_named = name is not None or bool(_plain_name(file.card.data.called))
    chosen = checked_name(name) if name is not None else file_name_of(file.card, stem)
    if not is_named:
        chosen = free_name(chosen, lambda one: one.casefold() not in known)
    if taken := known.get(chosen.casefold()):
        raise CharacterLoadError(
            f"This project already has a character '{taken}'. Choose another name {rename}, or rename that one first.",
            character=chosen,
            reason="already here",
        )
    text = checked_length(chosen, markdown_of(file.card, chosen))
    card = parse_card(chosen, text)
    written, kept = project / FOLDER / f"{chosen}.md", project / FOREIGN / f"{chosen}.{file.form}"
    named = () if is_named else (_unnamed(file.card.data.called, chosen, rename),)
    remarks = (*named, *file.remarks, *remarks_on(file.card), *_model_remarks(card))
    imported = CardImport(card, file, written, kept, remarks)
    _ = imported.book  # raises for a book that cannot be read, before anything is written
    for path in (kept, written):
        if link := link_out(path, project):
            remedy = "Remove it." if link == path else "Replace it with a folder."
            where = link.relative_to(project).as_posix()
            raise unreadable(chosen, f"{where} is a link out of the project", remedy)
    return imported


def _unnamed(called: str, chosen: str, rename: str) -> str:
    why = f"No file can have its name, {called!a:.60}" if called.strip() else "It has no name"
    return f"{why}: it is '{chosen}' here. Import it {rename} to call it something else."


def _model_remarks(card: Card, where: str = "") -> tuple[str, ...]:
    """A card that chooses who plays it says so, since playing it may cost money or go to another provider."""
    if card.model is None:
        return ()
    return (
        f"This card names its own model, {card.model!a}, and is played by it. Remove 'model' from "
        f"{where or f'{FOLDER}/{card.name}.md'} to use the project's.",
    )


def export_card(
    project: Path, name: str, form: CardFormat, *, version: Version | None = None, image: bytes | None = None
) -> CardExport:
    """A character of the project as a file for other programs. Raises CharacterLoadError or InvalidConfig.

    An imported character is exported as its original plus whatever was changed since.
    """
    card = written_card(project, name)
    refuse = partial(unreadable, card.name)
    file = original_file(project, card.name)
    tavern = revised(file.card, card, refuse) if file else tavern_of(card, refuse)
    remarks = ["The file contains the character's secrets, under extensions.dramaturg."] if card.secrets else []
    wanted: Version = version or (3 if form == "charx" else tavern.version)
    if form == "charx" and wanted != 3:
        raise InvalidConfig("CharX files hold V3 cards. Omit --spec, or export JSON or PNG.")
    if image is not None:
        read_chunks(image, partial(_unusable_picture, card.name))
        remarks += ["JSON holds no picture; --image was not used."] if form == "json" else []
    tavern = converted(tavern, wanted, refuse)
    remarks += tavern.remarks
    picture = image if image is not None else picture_of(file, refuse) if file else None
    members = members_of(file, refuse) if file else ()
    if form == "charx":
        return _as_charx(tavern, members, picture, tuple(remarks), refuse)
    tavern = without_archive(tavern, members, refuse)
    remarks += [remark for remark in tavern.remarks if remark not in remarks]
    data = png_file(tavern, picture, refuse) if form == "png" else json_file(tavern)
    return CardExport(data, tavern, tuple(remarks))


def _unusable_picture(name: str, reason: str, remedy: str) -> CharacterLoadError:
    message = f"The picture for '{name}' cannot be used: {reason}. {remedy}"
    return CharacterLoadError(message, character=name, reason=reason)


def _as_charx(
    tavern: TavernCard,
    members: tuple[tuple[str, bytes], ...],
    picture: bytes | None,
    remarks: tuple[str, ...],
    refuse: Refuse,
) -> CardExport:
    if picture is not None and not members:
        tavern = with_icon(tavern, refuse)
        members = ((MAIN_ICON, picture),)
    return CardExport(charx_file(tavern, members), tavern, remarks)


def original_file(project: Path, name: str) -> CardFile | None:
    """The file of another program under that name; None if there is none. Raises CharacterLoadError."""
    path = foreign_file(project, name)
    if path is None:
        return None
    return read_card_file(file_bytes(project, name, path, MAX_FOREIGN), partial(unreadable, name))


def book_of(name: str, card: TavernCard) -> Lorebook | None:
    """The lorebook in a card; one without a name takes the character's. Raises CharacterLoadError."""
    source = card.data.character_book
    if source is None:
        return None
    book = card_book(source, partial(unreadable, name))
    return book if book.name else book.model_copy(update={"name": card.data.called or name})


def file_name_of(card: TavernCard, stem: str) -> str:
    """The name that a card gets in a project unless another is chosen; `stem` is its file's."""
    return _file_name(card.data.called, stem)


def _file_name(called: str, stem: str) -> str:
    """A file name made from the character's name, or else from the file's."""
    return _plain_name(called) or _plain_name(stem) or "character"


def _plain_name(words: str) -> str:
    """A file name made from other words; empty if none can be."""
    plain = re.sub(r"[^\w'’-]+", "-", words.lower()).replace("_", "-").strip("-'’")[:MAX_NAME].strip("-'’")
    try:
        return checked_name(plain)
    except CharacterLoadError:
        return ""


def _write_both(project: Path, name: str, *files: tuple[Path, bytes]) -> None:
    """Write all of the files or none; existing files are never overwritten."""
    made: list[Path] = []
    try:
        for path, data in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            create_file(path, data)
            made.append(path)
    except OSError as error:
        for one in made:
            one.unlink(missing_ok=True)
        if isinstance(error, FileExistsError) and path.parent.is_dir():
            raise CharacterLoadError(
                f"Character '{name}' cannot be written: {path.name}: it already exists. Nothing was changed.",
                character=name,
                reason="it already exists",
            ) from error
        raise unwritable(error, path.relative_to(project)) from error
