"""The cards of a story project: `.claude/agents/<name>.md`, and `characters/` for cards of other programs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from dramaturg.characters.card import Card, parse_card
from dramaturg.characters.fields import unreadable
from dramaturg.characters.tavern.macros import SOMEBODY, has_macros
from dramaturg.kernel.errors import CharacterLoadError
from dramaturg.kernel.files import is_inside, link_out, read_file
from dramaturg.kernel.text.shortened import shortened

FOLDER = ".claude/agents"
FOREIGN = "characters"
FOREIGN_SUFFIXES = (".json", ".png", ".apng", ".charx", ".jpg", ".jpeg")
MAX_NAME = 64
MAX_BYTES = 256 * 1024
MAX_FOREIGN = 128 * 1024 * 1024

NAMES = "Use letters, digits, spaces and - _ ' ."
"""What to say to who has given a name that no file can have."""

RESERVED = "some systems reserve that file name"
_JOINTS = " -_'’."
_IN_WORDS = {"/": "a slash", "\\": "a backslash"}
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def known_cards(project: Path) -> tuple[str, ...]:
    """The names of the project's cards, sorted. Raises CharacterLoadError if a folder is a link out of the project."""
    return _names(_files(project))


def load_card(project: Path, name: str, *, user: str = SOMEBODY) -> Card:
    """The card with that name, ignoring case and Unicode form. Raises CharacterLoadError.

    `user` is the name that `{{user}}` stands for.
    """
    return played_card(written_card(project, name), user)


def load_cast(project: Path, names: Iterable[str], *, user: str = SOMEBODY) -> tuple[Card, ...]:
    """A card for each name, in order. Raises CharacterLoadError if two have the same name on stage."""
    files = _files(project)
    cast: dict[str, Card] = {}
    for name in names:
        card = played_card(_load(project, name, files), user)
        key = _key(card.display_name)
        if key in cast:
            reason = _same(cast[key], card)
            raise CharacterLoadError(
                f"Character '{name}' is in the cast twice: {reason}", character=name, reason=reason
            )
        cast[key] = card
    return tuple(cast.values())


def written_card(project: Path, name: str) -> Card:
    """The card as it is written, with its macros unexpanded."""
    return _load(project, name, _files(project))


def card_file(project: Path, name: str) -> Path:
    """The file that a character is played from. Raises CharacterLoadError if there is none."""
    return _chosen(checked_name(name), _files(project))


def foreign_file(project: Path, name: str) -> Path | None:
    """The file of another program under that name, imported or not; None if there is none."""
    wanted = checked_name(name)
    files = _found(project, FOREIGN, FOREIGN_SUFFIXES)
    return _chosen(wanted, files) if _key(wanted) in files else None


def _load(project: Path, name: str, files: dict[str, list[Path]]) -> Card:
    wanted = checked_name(name)
    path = _chosen(wanted, files)
    stem = unicodedata.normalize("NFC", path.stem)
    if path.suffix.lower() == ".md":
        return parse_card(stem, _text(project, wanted, path))
    return parse_card(stem, _rendered(project, stem, path))


def _rendered(project: Path, name: str, path: Path) -> str:
    """A card of another program, as the Markdown an import would write."""
    from functools import partial

    from dramaturg.characters.tavern.file import read_card_file
    from dramaturg.characters.tavern.markdown import markdown_of

    file = read_card_file(file_bytes(project, name, path, MAX_FOREIGN), partial(unreadable, name))
    return checked_length(name, markdown_of(file.card, name))


def checked_length(name: str, text: str) -> str:
    """The text, unless it is too long for a card. Raises CharacterLoadError."""
    if len(text.encode()) > MAX_BYTES:
        raise unreadable(name, "its text is over 256 kB", "Shorten it in the program it comes from.")
    return text


def played_card(card: Card, user: str = SOMEBODY) -> Card:
    """The card as it is played: with its macros expanded."""
    if not has_macros(card.text):
        return card
    from dramaturg.characters.tavern.markdown import expanded_card

    return expanded_card(card, user)


def checked_name(name: str) -> str:
    """The name in composed Unicode form. Raises CharacterLoadError for a name that no card can have."""
    plain = unicodedata.normalize("NFC", name).strip()
    problem = name_problem(plain)
    if problem:
        shown = shortened(plain, MAX_NAME)
        raise CharacterLoadError(
            f"{shown!r} cannot be the name of a character: {problem}. {NAMES}",
            character=shown,
            reason=problem,
        )
    return plain


def name_problem(name: str) -> str:
    """Why no file can have this name in every system, after "it"; empty if one can."""
    if not name:
        return "it is empty"
    if len(name) > MAX_NAME:
        return f"it is over {MAX_NAME} characters"
    if name[0] in _IN_WORDS:  # over HTTP, a message shows such a name without its beginning, as any path
        return f"it was given with {_IN_WORDS[name[0]]} in front, like a path"
    strange = next((char for char in name if char not in _JOINTS and not _is_letter(char)), None)
    if strange is not None:
        return f"it contains {_IN_WORDS.get(strange, ascii(strange))}"
    if not name[0].isalnum() or name[-1] == ".":
        return "it begins or ends with punctuation"
    return RESERVED if is_reserved(name) else ""


def is_reserved(name: str) -> bool:
    """Whether some systems have a device of this name, so that no file can be called so."""
    return name.partition(".")[0].strip().lower() in _RESERVED


def _is_letter(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


def same_name(one: str, other: str) -> bool:
    """Whether two names mean the same card: case and Unicode form do not count."""
    return _key(one.strip()) == _key(other.strip())


def own_model(models: Mapping[str, str], character: str) -> str | None:
    """The model that the settings name for a character, whose name is written as freely as elsewhere."""
    return next((model for name, model in models.items() if same_name(name, character)), None)


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _files(project: Path) -> dict[str, list[Path]]:
    """The card files by normalised name; our Markdown takes precedence over files of other programs."""
    return _found(project, FOREIGN, FOREIGN_SUFFIXES) | _found(project, FOLDER, (".md",))


def _found(project: Path, folder: str, suffixes: tuple[str, ...]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    if link := link_out(project / folder, project):
        where = link.relative_to(project).as_posix()
        raise CharacterLoadError(
            f"{where} is a link out of the project, and no card is read there. Replace it with a folder.",
            reason="a link out of the project",
        )
    try:
        entries = sorted((project / folder).iterdir())
    except OSError:
        return {}
    for path in entries:
        if path.suffix.lower() in suffixes and not name_problem(unicodedata.normalize("NFC", path.stem)):
            found.setdefault(_key(path.stem), []).append(path)
    return found


def _names(files: dict[str, list[Path]]) -> tuple[str, ...]:
    return tuple(
        sorted(unicodedata.normalize("NFC", path.stem) for paths in files.values() for path in paths if path.is_file())
    )


def _chosen(name: str, files: dict[str, list[Path]]) -> Path:
    paths = files.get(_key(name), [])
    exact = [path for path in paths if unicodedata.normalize("NFC", path.stem) == name]
    if len(paths) > 1 and len(exact) != 1:
        reason = f"it could be {' or '.join(path.name for path in paths)}"
        raise unreadable(name, reason, "Write the name exactly as in the file name, or rename one.")
    if not paths:
        raise _missing(name, _names(files))
    return exact[0] if exact else paths[0]


def _missing(name: str, known: tuple[str, ...]) -> CharacterLoadError:
    near = get_close_matches(_key(name), [_key(one) for one in known], n=1)
    meant = next((f" Did you mean '{one}'?" for one in known if near and _key(one) == near[0]), "")
    here = f"known here: {', '.join(known)}" if known else "there are no cards here yet"
    return CharacterLoadError(
        f"Character '{name}' not found. Ensure {FOLDER}/{name}.md exists ({here}).{meant}",
        character=name,
        reason="not found",
    )


def _same(first: Card, second: Card) -> str:
    if first.name == second.name:
        return f"{FOLDER}/{first.name}.md is listed more than once. List each character once."
    return (
        f"{first.name}.md and {second.name}.md are both called '{second.display_name}'. "
        "Change the name in the first line of one of them."
    )


def _text(project: Path, name: str, path: Path) -> str:
    """The whole text of a file. Raises CharacterLoadError unless it is a UTF-8 file of this project."""
    data = file_bytes(project, name, path, MAX_BYTES)
    return decode(name, data)


def file_bytes(project: Path, name: str, path: Path, limit: int) -> bytes:
    """The bytes of a file. Raises CharacterLoadError if it is a link out of the project, or too large."""
    where = f"{path.parent.relative_to(project).as_posix()}/{path.name}"
    kind = "Markdown file" if path.suffix.lower() == ".md" else "card"
    try:
        if not is_inside(path, project):
            raise unreadable(name, f"{where} is a link out of the project", "Copy the file itself there.")
        if not path.is_file():
            found = "a folder" if path.is_dir() else "not a file"
            raise unreadable(name, f"{where} is {found}", f"Put a {kind} there.")
        data = read_file(path, limit)
    except OSError as error:
        raise unreadable(name, f"{where}: {error.strerror or error}", "Check the file and its permissions.") from error
    if len(data) > limit:
        size = f"{limit // 1024} kB" if limit < 2**20 else f"{limit // 2**20} MB"
        raise unreadable(name, f"{where} is over {size}", "A card is a page or two; move the rest elsewhere.")
    return data


def decode(name: str, data: bytes) -> str:
    """The text in the bytes; encoding it gives the same bytes. Raises CharacterLoadError if they are not UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise unreadable(name, "it is UTF-16 (offset 0)", "Save it as UTF-8.")
    if b"\0" in data:
        raise unreadable(
            name, f"it contains a zero byte at offset {data.index(0)}", "It is not a text file; save it as UTF-8."
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{data[error.start]:02x} at offset {error.start} (line {line}) is not UTF-8"
        raise unreadable(name, reason, "Save the file as UTF-8.") from error
