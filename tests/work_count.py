"""Work counted in function calls or in lines, which are the same on any machine however busy it is."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

Tracer: TypeAlias = "Callable[[FrameType, str, object], Tracer | None]"


class WorkCount:
    """Counts the function calls of this thread and of those that are started while it is installed.

    With packages only what is called in them counts: how often an event loop wakes up depends on the machine.
    """

    def __init__(self, *packages: str) -> None:
        self._folders = _folders(packages)
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
            self.calls += not self._folders or any(one in frame.f_code.co_filename for one in self._folders)


class LineCount:
    """Counts the lines of some packages that this thread runs, and those that are started while it is installed.

    Every round of a loop counts, also in one line and without a call: a pass over all of a long list is seen. What a
    process does beside (leases, looks at the store) is in other packages, and takes more lines on a busy machine.
    """

    def __init__(self, *packages: str) -> None:
        self._folders = _folders(packages)
        self.lines = 0
        self._is_on = False

    @contextmanager
    def installed(self) -> Iterator[LineCount]:
        before = sys.gettrace()
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            yield self
        finally:
            sys.settrace(before)
            threading.settrace(None)  # type: ignore[arg-type]

    @contextmanager
    def counting(self) -> Iterator[None]:
        self.lines, self._is_on = 0, True
        try:
            yield
        finally:
            self._is_on = False

    def _called(self, frame: FrameType, event: str, arg: object) -> Tracer | None:
        counts = self._is_on and any(folder in frame.f_code.co_filename for folder in self._folders)
        return self._ran if counts else None

    def _ran(self, frame: FrameType, event: str, arg: object) -> Tracer | None:
        if self._is_on and event == "line":
            self.lines += 1
        return self._ran


def _folders(packages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"/{package.replace('.', '/')}/" for package in packages)
