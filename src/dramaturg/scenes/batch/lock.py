"""A file that one command at a time writes: whoever opened it first, until it is closed or the process is gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

Opener = Callable[[str, int], int]
CAN_LOCK = sys.platform != "win32"


def open_locked(path: Path, opener: Opener | None = None) -> IO[bytes] | None:
    """The file, made if it is missing, to be added to; None if another command has it. Raises OSError.

    Where files cannot be locked, nobody is kept out.
    """
    while True:
        file = open(path, "ab", opener=opener)  # noqa: SIM115 - reason: whoever asked for it closes it
        if not _lock(file):
            file.close()
            return None
        if _is_at(file, path):
            return file
        file.close()  # replaced by whoever had it until now


def _is_at(file: IO[bytes], path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


if sys.platform == "win32":

    def _lock(file: IO[bytes]) -> bool:
        return True

else:
    import fcntl

    def _lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
        return True
