"""Files of other people: they lie inside their project, only regular ones are opened, and all are written whole.

A link does not lead out, a pipe or a device cannot keep us waiting for good, and a full disk leaves no half of a file.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


def create_file(path: Path, data: bytes) -> None:
    """Write a file that is not there yet: whole, or not at all. Raises FileExistsError, or another OSError."""
    with _whole_part(path, data) as part:
        try:
            os.link(part, path)
        except FileExistsError:
            raise
        except OSError:  # no hard links here, as on FAT
            _take_name(part, path)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in one step over the one that is there, if one is, with its permissions.

    Raises OSError; then nothing was changed.
    """
    with _whole_part(path, data) as part:
        with suppress(OSError):
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)


@contextmanager
def _whole_part(path: Path, data: bytes) -> Iterator[Path]:
    """The data beside its place, on the disk; what has not got its name by the end is removed."""
    part = part_of(path)
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield part
    finally:
        part.unlink(missing_ok=True)


def _take_name(part: Path, path: Path) -> None:
    """Give a part its name where nothing has it."""
    path.open("xb").close()
    try:
        part.replace(path)
    except OSError:
        path.unlink(missing_ok=True)
        raise


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


def link_out(path: Path, folder: Path) -> Path | None:
    """The link on the way from a folder to a path below it that leads out of the folder; None if none does."""
    steps = [one for one in (path, *path.parents) if one != folder and one.is_relative_to(folder)]
    return next((step for step in reversed(steps) if step.is_symlink() and not is_inside(step, folder)), None)
