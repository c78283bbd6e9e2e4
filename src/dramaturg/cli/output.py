"""What is printed on: a stream that may be closed, full, or know few letters."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

_REFUSED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextmanager
def checked_output(code: int) -> Iterator[None]:
    """Letters that a terminal lacks are printed as escapes; output that is refused ends the process with `code`."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # reason: never closed
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if not is_refused(error):
            raise
        _end_without_output(error, code)


def is_refused(error: BaseException) -> bool:
    """Whether a disk or a device did not take what was written to it."""
    return isinstance(error, OSError) and error.errno in _REFUSED


def _end_without_output(error: OSError, code: int) -> NoReturn:
    sys.stderr.write(
        f"dramaturg: The output cannot be written: {error.strerror}. Make room, or send it elsewhere. "
        "Everything played so far is saved.\n"
    )
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
