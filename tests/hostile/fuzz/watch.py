"""Watches one reader at work: the lines of ours it executes, which ones, and a clock of CPU time as a backstop."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import dramaturg

OURS = str(Path(dramaturg.__file__).parent)
CPU_SECONDS = 2.0
"""A backstop for work that executes no lines. Inputs are a few kilobytes; what takes this long has no end in sight."""
LINE_SECONDS = 5e-6
"""What it may cost to execute a line and to watch it, which is most of it. Lines have a limit of their own."""


class TooMuchWork(BaseException):
    """Stops a reader, past every handler of `Exception`."""


@dataclass(slots=True)
class Work:
    """What one reading cost: executed lines, and which.

    `stopped` says why it was stopped, if it was: event loops swallow what is raised in a callback.
    """

    lines: int = 0
    stopped: str = ""
    places: set[tuple[CodeType, int]] = field(default_factory=set)


@contextmanager
def watched(most_lines: int) -> Iterator[Work]:
    """Counts until the block ends; raises TooMuchWork inside it when it takes more lines, or too much CPU time."""
    work = Work()
    before = sys.gettrace()
    with _cpu_limit(work):
        sys.settrace(_tracer(work, most_lines))
        try:
            yield work
        finally:
            sys.settrace(before)


def _tracer(work: Work, most_lines: int) -> Callable[..., Any]:
    ours: dict[CodeType, bool] = {}
    places = work.places

    def each_line(frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        if event == "line":
            work.lines += 1
            places.add((frame.f_code, frame.f_lineno))
            if work.lines > most_lines:
                work.stopped = f"over {most_lines:,} lines executed"
                raise TooMuchWork(work.stopped)
        return each_line

    def each_call(frame: FrameType, _: str, __: object) -> Callable[..., Any] | None:
        code = frame.f_code
        is_ours = ours.get(code)
        if is_ours is None:
            is_ours = ours[code] = code.co_filename.startswith(OURS)
        return each_line if is_ours else None

    return each_call


@contextmanager
def _cpu_limit(work: Work) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        yield
        return

    began = time.process_time()

    def stop(_: int, __: object) -> None:
        left = CPU_SECONDS + work.lines * LINE_SECONDS - (time.process_time() - began)
        if left > 0:
            signal.setitimer(signal.ITIMER_VIRTUAL, left)
            return
        work.stopped = f"over {CPU_SECONDS:g} s of CPU time"
        raise TooMuchWork(work.stopped)

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
