"""Files of other people: they lie inside their project, and only regular ones are opened.

A link does not lead out, and a pipe or a device cannot keep us waiting for good.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

_KINDS = ((stat.S_ISDIR, "it is a folder"), (stat.S_ISFIFO, "it is a pipe"), (stat.S_ISSOCK, "it is a socket"))


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file, one more than `limit` if it is larger. Raises OSError, whose `strerror` is for people."""
    with open_file(path) as file:
        return file.read(limit + 1)


def open_file(path: Path) -> BufferedReader:
    """A file to read. Raises OSError, whose `strerror` is for people, also for what is not a regular file."""
    file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    mode = os.fstat(file.fileno()).st_mode
    if not stat.S_ISREG(mode):
        file.close()
        found = next((kind for is_kind, kind in _KINDS if is_kind(mode)), "it is a device")
        raise OSError(errno.EINVAL, f"{found}, not a file", str(path))
    return file


def part_of(path: Path) -> Path:
    """Where a file is written until it is whole, beside its place; opened with "x". Nobody knows the name before."""
    return path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")


def at_home(path: str) -> Path:
    """A path in which `~` is somebody's home; the home of somebody who is not known here is a name like others."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)


def real_path(path: Path) -> Path:
    """The path with its links followed. A loop of links is followed as far as it goes."""
    return Path(os.path.realpath(path))


def is_text(name: str) -> bool:
    """Whether the name of a file is text; one in another encoding than the system's can be neither stored nor sent."""
    return name.encode("utf-8", "ignore").decode() == name


def shown_name(path: Path) -> str:
    """A file's name as text; bytes that are no text are shown as escapes."""
    return os.fsencode(path.name).decode("utf-8", "backslashreplace")


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, with every link followed, lies in a folder. False for links that go in circles."""
    try:
        if _is_plainly_inside(path, folder):
            return True
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def _is_plainly_inside(path: Path, folder: Path) -> bool:
    """Whether a path is written as one in a folder, without any link from there on: then nothing needs following."""
    below = len(path.parts) - len(folder.parts)
    if below <= 0 or path.parts[:-below] != folder.parts or path.anchor != folder.anchor:
        return False
    if os.pardir in path.parts or "\0" in str(path):
        return False
    return not any(one.is_symlink() for one in (path, *path.parents[: below - 1]))


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a path is written as if it lay in a folder, and a link or `..` leads out of it.

    A path that does not pretend to lie there does not lead out: somebody named it.
    """
    written = Path(os.path.normpath(folder.absolute()))
    named = path.absolute()
    return (named.is_relative_to(folder.absolute()) or named.is_relative_to(written)) and not is_inside(path, folder)
