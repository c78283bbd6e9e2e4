"""Files that only their owner can read: the project's data, whatever the umask allows others."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def private_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, for its owner only. Raises OSError.

    An existing one that others can enter is ours from an earlier version: everything in it becomes private. What a link
    leads to stays as it is.
    """
    _make_missing(folder, Path(folder.anchor))
    if not folder.is_symlink() and is_open_to_others(folder):
        _close(folder)


def private_folders(folder: Path, root: Path) -> None:
    """Makes a folder below a private root, and every folder between them, for its owner only. Raises OSError."""
    private_folder(root)
    _make_missing(folder, root)


def _make_missing(folder: Path, root: Path) -> None:
    missing = []
    while folder != root and not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=FOLDER_MODE, exist_ok=True)


def private_opener(path: str, flags: int) -> int:
    """For `open(..., opener=...)`: a new file is its owner's only."""
    return os.open(path, flags, FILE_MODE)


def private_file(path: Path) -> None:
    """Makes an empty file for its owner only, unless there is one already; that becomes private. Raises OSError."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    except FileExistsError:
        _narrow(path, FILE_MODE)


def is_open_to_others(path: Path) -> bool:
    """Whether anybody but the owner may do something with a file or folder of ours."""
    if os.name != "posix":
        return False
    about = path.stat()
    return about.st_uid == os.getuid() and bool(stat.S_IMODE(about.st_mode) & 0o077)


def _close(folder: Path) -> None:
    """Takes a folder and everything in it from others; links are left alone. The folder itself comes last."""
    for place, folders, files in os.walk(folder, followlinks=False):
        for names, mode in ((folders, FOLDER_MODE), (files, FILE_MODE)):
            for name in names:
                if not name.endswith(".key"):  # a secret that others could read is not made to look like one
                    _narrow(Path(place, name), mode)
    _narrow(folder, FOLDER_MODE)


def _narrow(path: Path, mode: int) -> None:
    """Takes from others what they may do; never gives the owner more, and never follows a link."""
    try:
        about = path.lstat()
    except FileNotFoundError:
        return
    ours = os.name == "posix" and about.st_uid == os.getuid()
    if ours and not stat.S_ISLNK(about.st_mode) and stat.S_IMODE(about.st_mode) & 0o077:
        with suppress(OSError):  # a read-only disk stays as it is, and can be read
            path.chmod(stat.S_IMODE(about.st_mode) & mode)
