"""Work counted in function calls, which are the same on any machine however busy it is."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class WorkCount:
    """Counts the function calls of this thread and of those that are started while it is installed."""

    def __init__(self) -> None:
        self.calls = 0
        self._is_on = False

    @contextmanager
    def installed(self) -> Iterator[WorkCount]:
        before = sys.getprofile()
        threading.setprofile(self._count)
        sys.setprofile(self._count)
        try:
            yield self
        finally:
            sys.setprofile(before)
            threading.setprofile(None)  # type: ignore[arg-type]

    @contextmanager
    def counting(self) -> Iterator[None]:
        self.calls, self._is_on = 0, True
        try:
            yield
        finally:
            self._is_on = False

    def _count(self, frame: FrameType, event: str, arg: object) -> None:
        if self._is_on and event in ("call", "c_call"):
            self.calls += 1
