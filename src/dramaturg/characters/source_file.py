"""A file of a project as the text that its author edits: read with its digest, and written only over what was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock

from dramaturg.authored import shown_path
from dramaturg.characters.replacing import replace_file
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig
from dramaturg.kernel.files import leads_out, read_file, real_path

LONGEST_SOURCE = 200_000
_WRITING = Lock()
"""Of two who write over the same text, the second is told."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The text of a file, its path in the project, and its digest."""

    where: str
    text: str
    digest: str


def read_source_file(path: Path, project: Path) -> SourceFile:
    """Raises InvalidConfig for a file that is no text, too long for a page, or not in the project."""
    where = shown_path(path, project)
    if leads_out(path, project):
        raise InvalidConfig(f"{where} is a link out of the project. Copy the file itself there.", file=where)
    try:
        data = read_file(path, LONGEST_SOURCE)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{where} cannot be read as text: {error}.", file=where) from error
    if len(data) > LONGEST_SOURCE:
        raise InvalidConfig(f"{where} has more than {LONGEST_SOURCE:,} bytes. Open it in an editor.", file=where)
    return SourceFile(where, text, sha256(data).hexdigest()[:32])


def write_source_file(path: Path, project: Path, text: str, digest: str, check: Callable[[str], object]) -> None:
    """Replace a file's text, once `check` has let it pass, if its digest is still this one.

    Raises AlreadyUsed if it is not, InvalidConfig for a file that cannot be read, StoreUnavailable, and what `check`
    raises; then nothing was written.
    """
    with _WRITING:
        before = read_source_file(path, project)
        if before.digest != digest:
            raise AlreadyUsed(f"{before.where} has changed since it was read. Read it again; your text is not lost.")
        if len(text.encode()) > LONGEST_SOURCE:
            raise InvalidConfig(f"{before.where} would have more than {LONGEST_SOURCE:,} bytes. Shorten it.")
        check(text)
        replace_file(real_path(path), text.encode(), path.parent.name)
