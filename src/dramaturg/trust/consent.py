"""Consent, remembered in the user's own folder: one file per project, with the digests of what was allowed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.files import is_inside, part_of
from dramaturg.kernel.values import Value
from dramaturg.trust.own_folder import LARGEST_FILE, is_ours, own_folder, private_own_folder
from dramaturg.trust.wishes import Wish


class Consent(Value):
    """What a project may do: each wish's digest, and its sentence for people.

    `programs` are the files that its programs had then, by name, with their digests; None if nobody noted them.
    """

    project: str
    wishes: Mapping[str, str] = Field(default_factory=dict)
    programs: Mapping[str, str] | None = None


class ConsentBook:
    """Every consent of one user. Files that somebody else could have written do not count."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @classmethod
    def of(cls, env: Mapping[str, str]) -> ConsentBook:
        """The book in `$XDG_CONFIG_HOME/dramaturg/trust`, else in `~/.config`. Without a home there is none."""
        return cls(own_folder(env, "trust"))

    def allows(self, project: Path, wish: Wish) -> bool:
        return not self.missing(project, (wish,))

    def missing(self, project: Path, wishes: Iterable[Wish]) -> tuple[Wish, ...]:
        """Those that are not allowed. A program that was allowed before says which of its files changed since."""
        found = self._read(self._file(project))
        if found is None or found.project != _name(project):
            return tuple(wishes)
        return tuple(_with_changes(wish, found) for wish in wishes if wish.digest not in found.wishes)

    def remember(self, project: Path, wishes: Iterable[Wish]) -> Path:
        """Allows a project exactly these wishes and none of earlier ones. Raises StoreUnavailable."""
        file = self._file(project)
        if file is None:
            raise StoreUnavailable(
                "Consent cannot be remembered: there is no folder of your own outside the project (HOME or "
                "XDG_CONFIG_HOME). Use --trust, or set DRAMATURG_TRUST=1."
            )
        text = _written(_name(project), tuple(wishes))
        try:
            private_own_folder(file.parent)
            part = part_of(file)
            try:
                with os.fdopen(
                    os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
                ) as written:
                    written.write(text + "\n")
                part.replace(file)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(
                f"{file.parent} cannot be written: {error.strerror}. Use --trust, or set DRAMATURG_TRUST=1."
            ) from error
        return file

    def revoke(self, project: Path) -> bool:
        """Forgets what a project may do; False if there was nothing."""
        file = self._file(project)
        if file is None or not file.exists():
            return False
        try:
            file.unlink()
        except OSError as error:
            raise StoreUnavailable(f"{file} cannot be removed: {error.strerror}.") from error
        return True

    def all(self) -> tuple[Consent, ...]:
        """Every consent, by project."""
        files = sorted(self._folder.glob("*.json")) if self._folder is not None and self._folder.is_dir() else []
        found = (consent for file in files if (consent := self._read(file)) is not None)
        return tuple(sorted(found, key=lambda consent: consent.project))

    def _file(self, project: Path) -> Path | None:
        """A project does not bring its own consent: a folder inside it does not count."""
        if self._folder is None or is_inside(self._folder, project):
            return None
        return self._folder / f"{hashlib.sha256(os.fsencode(project.resolve())).hexdigest()}.json"

    def _read(self, file: Path | None) -> Consent | None:
        if file is None or not is_ours(file):
            return None
        try:
            return Consent.model_validate(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, ValidationError):
            return None


def _name(project: Path) -> str:
    """Where a project is, as text; bytes that are no text are shown as escapes."""
    return os.fsencode(project.resolve()).decode("utf-8", "backslashreplace")


def _written(project: str, wishes: Sequence[Wish]) -> str:
    """A consent as its file holds it. Names of very many files are left out, or it would not be read again."""
    allowed = {wish.digest: wish.sentence for wish in wishes}
    programs = {file.name: file.digest for wish in wishes for file in wish.files}
    text = Consent(project=project, wishes=allowed, programs=programs).model_dump_json(indent=2)
    if len(text.encode()) < LARGEST_FILE:
        return text
    return Consent(project=project, wishes=allowed).model_dump_json(indent=2)


def _with_changes(wish: Wish, given: Consent) -> Wish:
    if wish.sentence not in given.wishes.values() or given.programs is None:
        return wish
    before, now = set(given.programs.items()), {(file.name, file.digest) for file in wish.files}
    return wish.model_copy(update={"changed": tuple(sorted({name for name, _ in before ^ now}))})
