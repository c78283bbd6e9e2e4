"""Writing the files of a bundle: all of them or none, inside the project."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable
from dramaturg.kernel.files import is_inside
from dramaturg.kernel.store import Artifacts
from dramaturg.workshop.book.files import FileChange, PlannedChange, ProjectFiles
from dramaturg.workshop.book.voice_files import FOLDER, MOST_BYTES

_TAKEN = ("story-bible", "manuscript", "notebooks", "data", "scaffolds", "prompts", ".claude", ".git")


def bundle_folder(project: Path, output_dir: str) -> str:
    """The folder of a bundle below the project. Raises InvalidConfig for one outside it, or one that is taken.

    The last part must be `Voice Bundle`, where prompts look for it; `content/Voice Bundle/` is that folder too.
    """
    named = output_dir.strip().replace("\\", "/").rstrip("/")
    path = PurePosixPath(named or FOLDER)
    outside = path.is_absolute() or ".." in path.parts or ":" in named or named.startswith("~")
    if outside or not is_inside(project / path, project):
        raise InvalidConfig(
            f"'{output_dir}' does not lie in the project; the bundle goes to '{FOLDER}/'.", output_dir=output_dir
        )
    if path.parts[0] in _TAKEN:
        raise InvalidConfig(f"'{path.parts[0]}/' is for other files; the bundle goes to '{FOLDER}/'.", output_dir=named)
    if path.name != FOLDER or len(path.parts) > 2 or (len(path.parts) == 2 and path.parts[0] != "content"):
        raise InvalidConfig(
            f"Prompts look for the voice in '{FOLDER}/', and would not find it in '{path}'.", output_dir=output_dir
        )
    return FOLDER


def plan_bundle(project: Path, folder: str, texts: Mapping[str, str]) -> tuple[PlannedChange, ...]:
    """The changes that a bundle makes."""
    files = ProjectFiles(project)
    return tuple(
        PlannedChange(path=f"{folder}/{name}", before=files.exact(f"{folder}/{name}", MOST_BYTES), text=text)
        for name, text in texts.items()
    )


def put_bundle(project: Path, changes: Sequence[PlannedChange]) -> tuple[FileChange, ...]:
    """Makes all changes, or none: every text is on the disk under another name before the first file is replaced.

    Raises StoreUnavailable if the disk refuses; then no file has changed and nothing is left over.
    """
    artifacts, token = Artifacts(project), secrets.token_hex(4)
    places = [artifacts.path(change.path) for change in changes]
    drafts = [place.with_name(f".{place.name}.{token}.part") for place in places]
    new = [place.parent for place in places if not place.parent.exists()]
    try:
        for change, draft in zip(changes, drafts, strict=True):
            draft.parent.mkdir(parents=True, exist_ok=True)
            _write(draft, change.text)
    except OSError as error:
        _clear(drafts, new)
        raise StoreUnavailable(
            f"The voice bundle cannot be written: {error.strerror}. Nothing was changed; make room and try again.",
            path=changes[0].path,
        ) from error
    for draft, place in zip(drafts, places, strict=True):
        draft.replace(place)
    return tuple(FileChange(path=one.path, before=one.before, digest=one.digest) for one in changes)


def _write(path: Path, text: str) -> None:
    with path.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def _clear(drafts: Sequence[Path], folders: Sequence[Path]) -> None:
    for path in drafts:
        with suppress(OSError):
            path.unlink()
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
