"""Notes every step of the event loop that takes too long, with its name: while one runs, everybody waits.

Works with any event loop, since it asks nothing of it but `call_soon` and `call_later`: the loop is asked to report
regularly, and a thread looks whether it does. What the loop is busy with is read from its stack.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

LONGEST_STEP = 0.25
"""In seconds."""
_OURS = "dramaturg"
_log = logging.getLogger(__name__)


class Watchdog:
    """Watches the loop it is started in. `check` is one look; a thread takes one every half `longest`."""

    def __init__(self, longest: float = LONGEST_STEP, now: Callable[[], float] = time.monotonic) -> None:
        self._longest, self._now = longest, now
        self._beat = now()
        self._noted = False
        self._stopped = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread = 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begins to watch the running loop, until `stop`."""
        self.attach(asyncio.get_running_loop())
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Lets a loop report from now on. Call it in the thread of the loop."""
        self._loop, self._loop_thread = loop, threading.get_ident()
        self.report()

    def stop(self) -> None:
        self._stopped.set()
        if self._timer is not None:
            self._timer.cancel()

    def report(self) -> None:
        """The loop is alive; it reports again a little later."""
        self._beat, self._noted = self._now(), False
        if self._loop is not None and not self._stopped.is_set():
            self._timer = self._loop.call_later(self._longest / 4, self.report)

    def check(self) -> str | None:
        """The name of the step that has kept the loop too long, noted once for each; None if there is none."""
        late = self._now() - self._beat
        if self._noted or late <= self._longest + self._longest / 4:
            return None
        self._noted = True
        frame = sys._current_frames().get(self._loop_thread)
        if _is_waiting(frame):
            _log.info("The event loop has not run for %.0f ms, with nothing to do: the machine is busy.", late * 1000)
            return None
        name, level = _step(frame), logging.INFO if _is_loading(frame) else logging.WARNING
        _log.log(level, "The event loop has been busy for %.0f ms with %s; everything else waits.", late * 1000, name)
        return name

    def _watch(self) -> None:
        while not self._stopped.wait(self._longest / 2):
            self.check()


@contextmanager
def watched_loop() -> Iterator[Watchdog]:
    """The running loop is watched for the time of a block."""
    dog = Watchdog()
    dog.start()
    try:
        yield dog
    finally:
        dog.stop()


def _step(frame: FrameType | None) -> str:
    """What runs in a thread: the innermost function of ours, else the innermost of all."""
    innermost = frame
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] == _OURS:
            return f"{module}.{frame.f_code.co_qualname} (line {frame.f_lineno})"
        frame = frame.f_back
    return innermost.f_code.co_qualname if innermost is not None else "something unknown"


def _is_waiting(frame: FrameType | None) -> bool:
    """Whether no step runs at all: the loop waits, and the machine gives it no time to report."""
    return frame is not None and frame.f_globals.get("__name__") == "selectors"


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: that happens once, and on a slow machine takes its time."""
    while frame is not None:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            return True
        frame = frame.f_back
    return False
