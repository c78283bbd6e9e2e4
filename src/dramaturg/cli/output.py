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
def checked_output() -> Iterator[None]:
    """Letters that the terminal cannot show are printed as escapes; output that cannot be written is one message."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # reason: open as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if not is_refused(error):
            raise
        end_without_output(error)


def is_refused(error: BaseException) -> bool:
    """Whether a disk or a device did not take what was written to it."""
    return isinstance(error, OSError) and error.errno in _REFUSED


def end_without_output(error: BaseException) -> NoReturn:
    """Say on stderr that the output was not written, and end with the exit code of a disk problem."""
    from dramaturg.cli.edge import STORE

    reason = error.strerror if isinstance(error, OSError) else str(error)
    sys.stderr.write(
        f"dramaturg: The output cannot be written: {reason}. Make room, or send it elsewhere. "
        "Everything played so far is saved.\n"
    )
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(STORE)
