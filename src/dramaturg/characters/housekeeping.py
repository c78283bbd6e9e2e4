"""A character's files as a whole: renamed, deleted to where they can be brought back from, and given a picture."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from dramaturg.characters.books import WRITING, made_original
from dramaturg.characters.exchange import original_file
from dramaturg.characters.fields import unreadable
from dramaturg.characters.load import (
    FOLDER,
    FOREIGN,
    MAX_FOREIGN,
    card_file,
    checked_name,
    file_bytes,
    foreign_file,
    known_cards,
    same_name,
)
from dramaturg.characters.replacing import replace_file
from dramaturg.characters.tavern.file import read_card_file
from dramaturg.characters.tavern.rewriting import with_picture
from dramaturg.kernel.errors import AlreadyUsed, CharacterLoadError, InvalidConfig, NotFound, StoreUnavailable
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.store.private_files import private_folder

DELETED = "data/deleted"
_ID = re.compile(r"(\d{8}-\d{6}-\d{6})-(.+)")
_STAMP = "%Y%m%d-%H%M%S-%f"


@dataclass(frozen=True, slots=True)
class CardFiles:
    """The files of a character, as paths in the project, and one digest of them all."""

    name: str
    files: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class DeletedCard:
    """A character that was deleted: its files wait in a folder of their own."""

    id: str
    name: str
    at: datetime
    folder: str
    files: tuple[str, ...]


def card_files(project: Path, name: str) -> CardFiles:
    """The files of a character. Raises CharacterLoadError."""
    paths = _paths(project, name)
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(file_bytes(project, name, path, MAX_FOREIGN)).digest())
    return CardFiles(paths[0].stem, tuple(_shown(project, paths)), digest.hexdigest())


def rename_card(project: Path, name: str, new_name: str, digest: str) -> CardFiles:
    """Give the files of a character another name. Raises CharacterLoadError, or AlreadyUsed if they were changed."""
    wanted = checked_name(new_name)
    with WRITING:
        _unchanged(project, name, digest)
        _check_free(project, wanted, besides=name)
        paths = _paths(project, name)
        _move(project, [(path, path.with_name(f"{wanted}{path.suffix}")) for path in paths])
    return card_files(project, wanted)


def delete_card(project: Path, name: str, digest: str, now: datetime) -> DeletedCard:
    """Move the files of a character out of the way. Raises CharacterLoadError, or AlreadyUsed if they were changed."""
    with WRITING:
        found = _unchanged(project, name, digest)
        folder = project / DELETED / f"{now.strftime(_STAMP)}-{found.name}"
        _move(project, [(path, folder / path.relative_to(project)) for path in _paths(project, name)])
    return _deleted(project, folder)


def deleted_cards(project: Path) -> tuple[DeletedCard, ...]:
    """The characters that can be brought back, the last one deleted first."""
    try:
        folders = [path for path in _inside(project, project / DELETED) if _deleted_at(path.name)]
    except OSError:
        return ()
    found = (_deleted(project, folder) for folder in sorted(folders, reverse=True))
    return tuple(card for card in found if card.files)


def restore_card(project: Path, deleted: str) -> CardFiles:
    """Bring a deleted character back. Raises NotFound, or CharacterLoadError if its name has been taken since."""
    with WRITING:
        card = next((one for one in deleted_cards(project) if one.id == deleted), None)
        if card is None:
            raise NotFound(f"There is nothing under that name in {DELETED}/.", id=deleted)
        _check_free(project, card.name)
        folder = project / card.folder
        _move(project, [(folder / file, project / file) for file in card.files])
        for emptied in (*(folder / file for file in card.files), folder / FOLDER):
            _remove_empty(emptied.parent)
        _remove_empty(folder)
    return card_files(project, card.name)


def change_portrait(project: Path, name: str, picture: bytes) -> None:
    """Give a character a picture; a card that was kept as JSON becomes a PNG. Raises CharacterLoadError."""
    refuse = partial(unreadable, name)
    with WRITING:
        old = foreign_file(project, name)
        file = original_file(project, name) or made_original(project, name)
        data = with_picture(file, picture, refuse)
        read_card_file(data, refuse)
        place = old if old is not None else project / FOREIGN / f"{card_file(project, name).stem}.json"
        if file.form != "json":
            replace_file(place, data, FOREIGN)
            return
        replace_file(place.with_suffix(".png"), data, FOREIGN)
        if old is not None:
            _drop(old, place.with_suffix(".png"))


def _drop(path: Path, instead: Path) -> None:
    """Remove a file that another has replaced; if that cannot be done, the other goes."""
    try:
        path.unlink()
    except OSError as error:
        instead.unlink(missing_ok=True)
        raise StoreUnavailable(
            f"{FOREIGN}/{path.name} cannot be replaced: {error.strerror}.", file=path.name
        ) from error


def _paths(project: Path, name: str) -> tuple[Path, ...]:
    played, foreign = card_file(project, name), foreign_file(project, name)
    return (played,) if foreign is None or foreign == played else (played, foreign)


def _shown(project: Path, paths: Sequence[Path]) -> list[str]:
    return [path.relative_to(project).as_posix() for path in paths]


def _unchanged(project: Path, name: str, digest: str) -> CardFiles:
    found = card_files(project, name)
    if found.digest != digest:
        raise AlreadyUsed(
            f"The files of '{found.name}' were changed since you looked. Look again before you go on.",
            character=found.name,
        )
    return found


def _check_free(project: Path, name: str, besides: str = "") -> None:
    taken = next((one for one in known_cards(project) if same_name(one, name) and not same_name(one, besides)), None)
    if taken is not None:
        raise CharacterLoadError(
            f"This project already has a character '{taken}'. Choose another name, or rename that one first.",
            character=name,
            reason="already here",
        )


def _move(project: Path, pairs: Sequence[tuple[Path, Path]]) -> None:
    """Move all of the files or none; nothing is overwritten, and nothing comes from or goes outside the project."""
    for here, there in pairs:
        out = next((path for path in (here, there) if leads_out(path, project)), None)
        if out is not None:
            raise InvalidConfig(
                f"{out.relative_to(project).as_posix()} leads out of the project by a link. Nothing was changed."
            )
    done: list[tuple[Path, Path]] = []
    try:
        for here, there in pairs:
            if there.is_relative_to(project / DELETED):
                private_folder(there.parent)
            there.parent.mkdir(parents=True, exist_ok=True)
            if there.exists() and not there.samefile(here):
                raise FileExistsError(0, "it already exists")
            here.rename(there)
            done.append((here, there))
    except OSError as error:
        for before, after in reversed(done):
            after.rename(before)
        raise StoreUnavailable(f"{here.name} cannot be moved: {error.strerror}. Nothing was changed.") from error


def _deleted(project: Path, folder: Path) -> DeletedCard:
    found, at = _ID.fullmatch(folder.name), _deleted_at(folder.name)
    assert found is not None
    assert at is not None
    files = [folder / where for where in (FOLDER, FOREIGN)]
    paths = [path for where in files if where.is_dir() for path in sorted(_inside(project, where)) if path.is_file()]
    return DeletedCard(
        id=folder.name,
        name=found[2],
        at=at,
        folder=folder.relative_to(project).as_posix(),
        files=tuple(_shown(folder, paths)),
    )


def _deleted_at(folder: str) -> datetime | None:
    """When the folder of a deleted card was made, by its name; None if no such folder is called so."""
    found = _ID.fullmatch(folder)
    try:
        return datetime.strptime(f"{found[1]}+0000", f"{_STAMP}%z") if found else None
    except ValueError:
        return None


def _inside(project: Path, folder: Path) -> list[Path]:
    """What is in a folder of the project; nothing, if a link leads it out, and nothing that does so itself."""
    if leads_out(folder, project):
        return []
    return [path for path in folder.iterdir() if not leads_out(path, project)]


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:  # something else is in it, or it is gone
        return
