"""Files that a run produces: written atomically, inside one folder, never over those of another run."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path, PurePath
from typing import IO

import orjson

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import is_inside, part_of
from dramaturg.kernel.store import failures
from dramaturg.kernel.store.private_files import FOLDER_MODE, private_folders, private_opener

FEW = 64


class Artifacts:
    """Writes below `root` and nowhere else.

    Names are relative paths. A path that leads outside (absolute, `..`, a symbolic link) raises InvalidConfig. If the
    disk refuses, StoreUnavailable is raised, the file is unchanged and no temporary file remains. If `private`, only
    their owner can read the files; otherwise the umask decides.
    """

    def __init__(self, root: Path, *, private: bool = False) -> None:
        self.root = root
        self._private = private
        self._numbering = threading.Lock()
        self._last: dict[Path, int] = {}
        """The number given last, of each name."""

    def write_bytes(self, name: str | PurePath, data: bytes) -> Path:
        """Replaces the file atomically; a reader sees the old or the new content, never a part."""
        with self.writing(name) as file:
            file.write(data)
        return self.path(name)

    @contextmanager
    def writing(self, name: str | PurePath) -> Iterator[IO[bytes]]:
        """A file to write in pieces; it appears under its name when the block ends without an error."""
        path = self.path(name)
        with _explained(path):
            self._make(path.parent)
            with self._replacing(path) as file:
                yield file

    def write_folder(self, name: str | PurePath, files: Mapping[str, str]) -> Path:
        """Writes texts into one folder; a reader sees the old or the new content of each file, never a part.

        For files that can be regenerated at any time: unlike the other methods, it does not sync to disk.
        """
        folder = self.path(name)
        with _explained(folder):
            self._make(folder)
            for file_name, text in files.items():
                path = folder / file_name
                if path.is_symlink():
                    raise _outside(file_name, folder)
                with self._replaced(path, lasting=False) as file:
                    file.write(text.encode())
        return folder

    def write_text(self, name: str | PurePath, text: str) -> Path:
        return self.write_bytes(name, text.encode())

    def write_json(self, name: str | PurePath, value: object) -> Path:
        """Indented JSON with a trailing newline."""
        return self.write_bytes(name, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    def numbered(self, name: str | PurePath) -> Path:
        """Creates and returns a free folder of `name`, `name-2`, `name-3` …: the first, where there are few."""
        first = self.path(name)
        with _explained(first), self._numbering:
            self._make(first.parent)
            for number in count(self._next_number(first)):
                folder = _with_number(first, number)
                with suppress(FileExistsError):
                    folder.mkdir(mode=FOLDER_MODE if self._private else 0o777)
                    self._last[first] = number
                    return folder
        raise AssertionError("count() never ends")

    def _next_number(self, first: Path) -> int:
        """A number from which to look for a free one. With thousands of them, trying each would take hours."""
        last = self._last.get(first, 0)
        if last and _with_number(first, last).exists():
            return last + 1
        high = FEW
        while _with_number(first, high).exists():
            high *= 2
        if high == FEW:
            return 1
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _with_number(first, middle).exists() else (low, middle)
        return high

    @staticmethod
    def stays_inside(name: str | PurePath) -> bool:
        """Whether a name alone leads nowhere else; links are not looked at."""
        wanted = PurePath(name)
        return bool(wanted.parts) and not (wanted.is_absolute() or ".." in wanted.parts or "\0" in str(wanted))

    def path(self, name: str | PurePath) -> Path:
        """The path of an artifact, whether or not it exists."""
        if not self.stays_inside(name):
            raise _outside(name, self.root)
        path = self.root / name
        # A symbolic link anywhere in the path may lead outside.
        if not is_inside(path, self.root):
            raise _outside(name, self.root)
        return path

    def found(self, name: str | PurePath) -> Path:
        """The path of an artifact with its latest content, whether or not it exists; may block."""
        return self.path(name)

    def names(self, folder: str | PurePath) -> list[str]:
        """The files below a folder, sorted; hidden ones and links are not among them."""
        found = (path for path in sorted(self.path(folder).rglob("*")) if path.is_file() and not path.is_symlink())
        return [path.relative_to(self.root).as_posix() for path in found if not path.name.startswith(".")]

    def remove(self, name: str | PurePath) -> bool:
        """Removes a file, or a folder and everything in it. Returns whether there was one."""
        path = self.path(name)
        with _explained(path), suppress(FileNotFoundError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            return True
        return False

    def _publish(self, part: Path, path: Path) -> None:
        """Called with a file that is whole, before it gets its name."""

    def _make(self, folder: Path) -> None:
        if self._private:
            private_folders(folder, self.root)
        else:
            folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def _replacing(self, path: Path) -> Iterator[IO[bytes]]:
        """As `_replaced`, and the new name survives a crash."""
        with self._replaced(path) as file:
            yield file
        sync_folder(path.parent)

    @contextmanager
    def _replaced(self, path: Path, *, lasting: bool = True) -> Iterator[IO[bytes]]:
        """A temporary file that replaces `path` if the block succeeds and is removed if it does not."""
        part = part_of(path)
        try:
            with open(part, "xb", opener=private_opener if self._private else None) as file:
                yield file
                if lasting:
                    file.flush()
                    os.fsync(file.fileno())
            self._publish(part, path)
            part.replace(path)
        except BaseException:  # reason: the temporary file must go; re-raised
            part.unlink(missing_ok=True)
            raise


def _with_number(first: Path, number: int) -> Path:
    return first if number == 1 else first.with_name(f"{first.name}-{number}")


def _outside(name: str | PurePath, root: Path) -> InvalidConfig:
    root = root.resolve()  # a folder named "." would tell nobody which
    return InvalidConfig(
        f"'{name}' is not inside {root}. Give a relative path without '..' or symbolic links that lead outside.",
        path=str(name),
        root=str(root),
    )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise failures.unwritable(error, path) from error


def sync_folder(folder: Path) -> None:
    """Syncs the new directory entry; only POSIX can open a folder for this."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
