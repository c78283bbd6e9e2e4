"""Files that a run leaves behind: whole or not at all, inside one folder, never over another's."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path, PurePath
from typing import IO

import orjson

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import failures


class Artifacts:
    """Writes below `root` and nowhere else.

    Names are relative paths. One that leads outside (absolute, `..`, a link) raises InvalidConfig; a disk
    that refuses raises StoreUnavailable, leaves the file as it was and nothing beside it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def write_bytes(self, name: str | PurePath, data: bytes) -> Path:
        """Replaces the file in one step; a reader sees the old or the new one, never a part."""
        with self.writing(name) as file:
            file.write(data)
        return self.path(name)

    @contextmanager
    def writing(self, name: str | PurePath) -> Iterator[IO[bytes]]:
        """A file to be written piece by piece; it takes its name when the block ends well, whole."""
        path = self.path(name)
        with _explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with _replacing(path) as file:
                yield file

    def write_folder(self, name: str | PurePath, files: Mapping[str, str]) -> Path:
        """Writes texts into one folder; a reader sees the old or the new one of each, never a part.

        For what can be made again at any time: unlike the others, it does not wait for the disk.
        """
        folder = self.path(name)
        with _explained(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for file_name, text in files.items():
                path = folder / file_name
                if path.is_symlink():
                    raise _outside(file_name, folder)
                with _replaced(path, lasting=False) as file:
                    file.write(text.encode())
        return folder

    def write_text(self, name: str | PurePath, text: str) -> Path:
        return self.write_bytes(name, text.encode())

    def write_json(self, name: str | PurePath, value: object) -> Path:
        """JSON as people read it: indented, with a last newline."""
        return self.write_bytes(name, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    def numbered(self, name: str | PurePath) -> Path:
        """Makes and returns the first free folder of `name`, `name-2`, `name-3` …"""
        first = self.path(name)
        with _explained(first):
            first.parent.mkdir(parents=True, exist_ok=True)
            for number in count(1):
                folder = first if number == 1 else first.with_name(f"{first.name}-{number}")
                with suppress(FileExistsError):
                    folder.mkdir()
                    return folder
        raise AssertionError("count() ends nowhere")

    def path(self, name: str | PurePath) -> Path:
        """Where the artifact lies, whether or not it is there."""
        wanted = PurePath(name)
        if not wanted.parts or wanted.is_absolute() or ".." in wanted.parts or "\0" in str(wanted):
            raise _outside(name, self.root)
        path = self.root / wanted
        # A link anywhere on the way, or as the file itself, may lead out.
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise _outside(name, self.root)
        return path


def _outside(name: str | PurePath, root: Path) -> InvalidConfig:
    return InvalidConfig(
        f"'{name}' does not lie inside {root}. Give a relative path without '..' or links that lead out.",
        path=str(name),
        root=str(root),
    )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise failures.unwritable(error, path) from error


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """As `_replaced`, and its name lasts."""
    with _replaced(path) as file:
        yield file
    _sync_folder(path.parent)


@contextmanager
def _replaced(path: Path, *, lasting: bool = True) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when the block ends well, and goes away when it does not."""
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except BaseException:  # reason: nothing may be left behind; it is raised again
        part.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    """Makes the new name last; only POSIX opens a folder for this."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
