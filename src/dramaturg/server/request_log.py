"""What is logged of requests that any stranger can send: it must not fill the disk."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

from dramaturg.server.open_files import SAID_EVERY

REPEATED = ("Invalid HTTP request received.", "Unsupported upgrade request.")
"""What uvicorn says of each such request, without saying whose it was."""


class RepeatedWarnings(logging.Filter):
    """Lets one of these lines through once in a while, with how many there were meanwhile; everything else as usual."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._said = dict.fromkeys(REPEATED, float("-inf"))
        self._left_out = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.msg
        if line not in REPEATED:
            return True
        if self._now() - self._said[line] < SAID_EVERY:
            self._left_out[line] += 1
            return False
        self._said[line] = self._now()
        if more := self._left_out.pop(line, 0):
            record.msg = f"{line} ({more} more since this was last logged.)"
        return True
