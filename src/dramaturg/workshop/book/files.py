"""Changes to the writer's files: planned, logged, made, and undone unless the file has changed since."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from pydantic import Field

from dramaturg.kernel.errors import AuthorError, InvalidConfig, StoreError
from dramaturg.kernel.files import read_file
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.plain_text import line_break_of, plain_text

MARK, NEWLINE = "\ufeff", "\n"
LONGEST_NAME = 120
_NAME = re.compile(r"[\w][\w .,'’()/-]*")


class PlannedChange(Value):
    """A change to a file, before it is made. If the writer's text must stay, the new one goes to `kept_at`."""

    path: str = Field(description="below the project")
    before: str | None = Field(None, description="the current text as it stands; None if there is no file")
    text: str
    kept_at: str | None = None

    @property
    def digest(self) -> str:
        """The digest of the file after the change."""
        return digest_of(self.before or "") if self.kept_at else digest_of(self.text)


class FileChange(Value):
    """A change that was made. If the writer's own text had to stay, the new one was saved at `kept_at` instead.

    Without a digest, the file was removed.
    """

    path: str
    before: str | None = Field(None, description="the text it replaced, as it stood; None for a new file")
    digest: str
    kept_at: str | None = None


class ProjectFiles:
    """The files of one project that the Foreman may change."""

    def __init__(self, project: Path) -> None:
        self._files = Artifacts(project)

    def text(self, path: str, most: int) -> str | None:
        """The text of a file with plain line breaks; None if there is none. Raises as `exact` does."""
        exact = self.exact(path, most)
        return None if exact is None else plain_lines(exact)

    def exact(self, path: str, most: int) -> str | None:
        """The text of a file as it stands; None if there is none. Raises InvalidConfig if too large or not text."""
        place = self._files.path(path)
        try:
            data = read_file(place, most)
        except FileNotFoundError:
            return None
        except OSError as error:
            problem = f"{path} cannot be read: {error.strerror}. Put a text file there."
            raise InvalidConfig(problem, path=path) from error
        if len(data) > most:
            raise InvalidConfig(f"{path} is larger than {most // 1000} kB. Split it.", path=path)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InvalidConfig(f"{path}, line {line}: not UTF-8 text. Save it as UTF-8.", path=path) from error

    def holds(self, path: str, digest: str) -> bool:
        """Whether a file has this digest."""
        place = self._files.path(path)
        return place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == digest

    def put(self, planned: PlannedChange) -> FileChange:
        """Makes a change. Idempotent."""
        self._files.write_text(planned.kept_at or planned.path, planned.text)
        return FileChange(path=planned.path, before=planned.before, digest=planned.digest, kept_at=planned.kept_at)

    def put_all(self, planned: Sequence[PlannedChange]) -> tuple[FileChange, ...]:
        """Makes all changes or none: if one fails, those before it are taken back."""
        with self._all_or_none([one.kept_at or one.path for one in planned]):
            return tuple([self.put(one) for one in planned])

    def restore_all(self, changes: Sequence[FileChange], made: Mapping[str, str]) -> None:
        """Undoes all changes or none, as `restore` does; `made` has the digest of each new text by its path."""
        for one in changes:
            self._check_restorable(one, made.get(one.path))
        with self._all_or_none([one.kept_at or one.path for one in changes]):
            for one in reversed(changes):
                self.restore(one, made=made.get(one.path))

    @contextmanager
    def _all_or_none(self, paths: Sequence[str]) -> Iterator[None]:
        """If the block fails, these files are as they were before it."""
        places = {path: self._files.path(path) for path in paths}
        before = {path: place.read_bytes() if place.is_file() else None for path, place in places.items()}
        try:
            yield
        except (StoreError, AuthorError, OSError):
            for path, held in before.items():
                now = places[path].read_bytes() if places[path].is_file() else None
                if now != held and held is None:
                    places[path].unlink(missing_ok=True)
                elif now != held and held is not None:
                    self._files.write_bytes(path, held)
            raise

    def restore(self, written: FileChange, *, made: str | None = None) -> None:
        """Undoes a change. Idempotent; raises InvalidConfig if the file has changed since.

        `made` is the digest of the new text, by which one that was saved elsewhere is known again.
        """
        self._check_restorable(written, made)
        if written.kept_at:
            self._files.path(written.kept_at).unlink(missing_ok=True)
            return
        place = self._files.path(written.path)
        if written.before is None:
            place.unlink(missing_ok=True)
        else:
            self._files.write_text(written.path, written.before)

    def _check_restorable(self, written: FileChange, made: str | None) -> None:
        if written.kept_at:
            there = self._files.path(written.kept_at).exists()
            if made is not None and there and not self.holds(written.kept_at, made):
                raise _changed(written.kept_at)
        elif self.is_changed(written):
            raise _changed(written.path)

    def is_changed(self, written: FileChange) -> bool:
        """Whether a change can no longer be undone, since the file has changed since."""
        if written.kept_at:
            return False
        place = self._files.path(written.path)
        now = place.read_bytes() if place.is_file() else None
        if now == (None if written.before is None else written.before.encode()):
            return False
        return (hashlib.sha256(now).hexdigest() if now is not None else "") != written.digest

    def free(self, stem: str) -> str:
        """The first of `stem-1.md`, `stem-2.md` … that does not exist."""
        number = 1
        while self._files.path(f"{stem}-{number}.md").exists():
            number += 1
        return f"{stem}-{number}.md"


def _changed(path: str) -> InvalidConfig:
    return InvalidConfig(
        f"{path} has changed since and was left alone; the earlier text is in the log. "
        "To leave it so and undo what came before: dramaturg foreman undo --keep-file",
        path=path,
    )


def plain_lines(text: str) -> str:
    """The text with every line break as a newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def written_like(text: str, exact: str | None) -> str:
    """The text with the line breaks and the byte order mark of another; unchanged if there is no other."""
    if not exact:
        return text
    mark = MARK if exact.startswith(MARK) and not text.startswith(MARK) else ""
    return f"{mark}{plain_lines(text).replace(NEWLINE, line_break_of(exact))}"


def rewritten(exact: str | None, text: str) -> str:
    """A whole new text in place of another. What both begin and end with stays to the byte, and so does a byte order
    mark; what is new gets the line breaks of the old text."""
    new = plain_lines(text).removeprefix(MARK)
    if not exact:
        return new
    mark = MARK if exact.startswith(MARK) else ""
    body = exact.removeprefix(MARK)
    old = plain_text(body)
    first = _shared(old.plain, new)
    last = _shared(old.plain[first:][::-1], new[first:][::-1])
    start, end = old.exact(first), old.exact(len(old.plain) - last)
    middle = new[first : len(new) - last].replace(NEWLINE, line_break_of(body))
    return f"{mark}{body[:start]}{middle}{body[end:]}"


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def name_below(folder: str, target: str, such_as: str) -> str:
    """The name of a Markdown file below a folder, without its suffix, from what a writer or a model calls it.

    Raises InvalidConfig for anything outside that folder, and for what is no name of a file.
    """
    named = target.strip().replace("\\", "/").removeprefix("./")
    if named.startswith(("/", "~")) or ".." in PurePosixPath(named).parts or re.match(r"[A-Za-z]:", named):
        raise InvalidConfig(f"'{target}' does not lie in {folder}/. Give a name such as {such_as}.", path=target)
    return named.removeprefix(f"{folder}/").removesuffix(".md").strip()


def path_below(folder: str, name: str, target: str, such_as: str) -> str:
    """The path of the file with this name. Raises InvalidConfig if no file should be called so."""
    parts = name.split("/")
    is_name = len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None
    if not is_name or any(not part.strip() or part.startswith(".") for part in parts):
        raise InvalidConfig(f"'{target}' is no name for a file of {folder}/. Use one such as {such_as}.")
    return f"{folder}/{name}.md"


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
