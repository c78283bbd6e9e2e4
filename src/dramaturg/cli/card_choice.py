"""Which character `--card` means: one in a file, or one of the project."""

from __future__ import annotations

from pathlib import Path

from dramaturg.characters import known_cards, load_card
from dramaturg.characters.exchange import CharacterFiles, read_character
from dramaturg.characters.load import FOLDER, FOREIGN, MAX_FOREIGN
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig, NotFound
from dramaturg.kernel.files import at_home, read_file, real_path, shown_name

_ENDINGS = (".md", ".markdown", ".json", ".png", ".apng", ".charx", ".jpg", ".jpeg", ".webp")


def chosen_character(project: Path, card: str) -> tuple[CharacterFiles, bool]:
    """The character, and whether it is the project's own. Raises AuthorError."""
    path = at_home(card)
    if path.is_file():
        homes = [real_path(project / folder) for folder in (FOLDER, FOREIGN)]
        if real_path(path).parent in homes:
            return CharacterFiles(load_card(project, path.stem)), True
        return read_character(foreign_bytes(path), shown_name(path)), False
    if path.is_dir():
        raise InvalidConfig(f"{path} is a folder. Give the file of a card, or the name of a character.", file=card)
    if path.suffix.lower() in _ENDINGS or len(path.parts) > 1:
        raise NotFound(f"There is no file {path}.", file=card)
    try:
        return CharacterFiles(load_card(project, card)), True
    except CharacterLoadError as error:
        if known_cards(project) or error.context.get("reason") != "not found":
            raise
        raise NotFound(
            f"There is no file '{card}', and no character of that name: this folder has no cards. "
            "Give the file of a card: PNG, JSON, CharX or Markdown.",
            card=card,
        ) from None


def foreign_bytes(path: Path) -> bytes:
    """The bytes of a file from elsewhere that the user named. Raises AuthorError."""
    try:
        data = read_file(path, MAX_FOREIGN)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.", file=str(path)) from None
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror or error}.", file=str(path)) from error
    if len(data) > MAX_FOREIGN:
        raise InvalidConfig(f"{path} is over {MAX_FOREIGN // 2**20} MB. Use a smaller one.", file=str(path))
    return data
