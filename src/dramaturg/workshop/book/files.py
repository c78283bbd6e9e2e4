"""Changes to the writer's files: planned, written down, made; and taken back where nobody changed them since."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value


class PlannedChange(Value):
    """A change to a file, before it is made. `kept_at` is where its text goes if the writer's own must stay."""

    path: str = Field(description="below the project")
    before: str | None = Field(None, description="the text there is now; None for no file")
    text: str
    kept_at: str | None = None

    @property
    def digest(self) -> str:
        """Of what the file will hold."""
        return digest_of(self.before or "") if self.kept_at else digest_of(self.text)


class FileChange(Value):
    """A file that was written, or that was not: then `kept_at` is where the new text lies beside the writer's."""

    path: str
    before: str | None = Field(None, description="the text it replaced; None for a new file")
    digest: str
    kept_at: str | None = None


class ProjectFiles:
    """The files of one project that the Foreman may change."""

    def __init__(self, project: Path) -> None:
        self._files = Artifacts(project)

    def text(self, path: str, most: int) -> str | None:
        """The text of a file; None if there is none. Raises InvalidConfig where it is too large or no text."""
        place = self._files.path(path)
        try:
            if place.stat().st_size > most:
                raise InvalidConfig(f"{path} is larger than {most // 1000} kB.", path=path)
            return place.read_text(encoding="utf-8").replace("\r\n", "\n").replace("\r", "\n")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidConfig(f"{path} cannot be read: {error}. Save it as UTF-8 text.", path=path) from error

    def holds(self, path: str, digest: str) -> bool:
        """Whether a file holds the text of this digest."""
        place = self._files.path(path)
        return place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == digest

    def put(self, planned: PlannedChange) -> FileChange:
        """Make a change. Making it again changes nothing."""
        self._files.write_text(planned.kept_at or planned.path, planned.text)
        return FileChange(path=planned.path, before=planned.before, digest=planned.digest, kept_at=planned.kept_at)

    def restore(self, written: FileChange) -> None:
        """Take a change back. Refused where the file was changed since; done already is done."""
        if written.kept_at:
            self._files.path(written.kept_at).unlink(missing_ok=True)
            return
        place = self._files.path(written.path)
        now = place.read_bytes() if place.is_file() else None
        if now == (None if written.before is None else written.before.encode()):
            return
        if now is None or hashlib.sha256(now).hexdigest() != written.digest:
            raise InvalidConfig(
                f"{written.path} was changed since; it is left as it is. The text before is in the log.",
                path=written.path,
            )
        if written.before is None:
            place.unlink()
        else:
            self._files.write_text(written.path, written.before)

    def free(self, stem: str) -> str:
        """The first of `stem-1.md`, `stem-2.md` … that is not there."""
        number = 1
        while self._files.path(f"{stem}-{number}.md").exists():
            number += 1
        return f"{stem}-{number}.md"


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
