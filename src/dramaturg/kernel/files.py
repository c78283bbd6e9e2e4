"""Files of other people: only regular ones are opened, never a pipe or a device that could keep us waiting for good."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = ((stat.S_ISDIR, "it is a folder"), (stat.S_ISFIFO, "it is a pipe"), (stat.S_ISSOCK, "it is a socket"))


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file, one more than `limit` if it is larger. Raises OSError, whose `strerror` is for people."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            found = next((kind for is_kind, kind in _KINDS if is_kind(mode)), "it is a device")
            raise OSError(errno.EINVAL, f"{found}, not a file", str(path))
        return file.read(limit + 1)


def real_path(path: Path) -> Path:
    """The path with its links followed. A loop of links is followed as far as it goes."""
    return Path(os.path.realpath(path))


def shown_name(path: Path) -> str:
    """A file's name as text; bytes that are no text are shown as escapes."""
    return os.fsencode(path.name).decode("utf-8", "backslashreplace")
