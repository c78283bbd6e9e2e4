"""A card as the text that its author edits: read with a digest, written only over what was read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dramaturg.characters.card import parse_card
from dramaturg.characters.fields import unreadable
from dramaturg.characters.load import (
    FOLDER,
    MAX_FOREIGN,
    card_file,
    checked_length,
    decode,
    file_bytes,
    foreign_file,
    written_card,
)
from dramaturg.characters.replacing import replace_file
from dramaturg.characters.tavern.file import picture_of, read_card_file
from dramaturg.characters.tavern.portrait import drawn_portrait
from dramaturg.kernel.errors import AlreadyUsed, AuthorError

MAX_TEXT = 256 * 1024


@dataclass(frozen=True, slots=True)
class CardText:
    """The Markdown of a card and its digest. A card of another program is not `editable` before it is imported."""

    name: str
    text: str
    digest: str
    editable: bool


def read_card_text(project: Path, name: str) -> CardText:
    """The text of a card's own file. Raises CharacterLoadError."""
    path = card_file(project, name)
    if path.suffix.lower() != ".md":
        return CardText(path.stem, written_card(project, name).raw, "", editable=False)
    data = file_bytes(project, name, path, MAX_TEXT)
    return CardText(path.stem, decode(name, data), hashlib.sha256(data).hexdigest(), editable=True)


def write_card_text(project: Path, name: str, text: str, digest: str) -> CardText:
    """Write a card that its author has edited. `digest` is that of the text it was made from.

    Raises CharacterLoadError if it could not be played, AlreadyUsed if the file was changed meanwhile.
    """
    now = read_card_text(project, name)
    if not now.editable:
        raise unreadable(now.name, "it is a card of another program", f"Import it to {FOLDER}/ first, and edit that.")
    if now.digest != digest:
        raise AlreadyUsed(
            f"The card '{now.name}' was changed since you opened it. Open it again, and put your changes into that.",
            character=now.name,
        )
    parse_card(now.name, checked_length(now.name, text))
    path = card_file(project, name)
    replace_file(path, text.encode(), FOLDER)
    return read_card_text(project, name)


def portrait(project: Path, name: str) -> bytes:
    """The PNG picture of a character: that of the card it was imported from, or one drawn from its name."""
    path = foreign_file(project, name)
    if path is not None:
        refuse = partial(unreadable, name)
        try:
            found = picture_of(read_card_file(file_bytes(project, name, path, MAX_FOREIGN), refuse), refuse)
        except AuthorError:  # a card that cannot be read says so where it is opened
            found = None
        if found is not None:
            return found
    return drawn_portrait(name)
