"""The threads in which local engines run, so that they do not block the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

from dramaturg.kernel.errors import DramaturgError, VoiceError

T = TypeVar("T")


def thread_count(wanted: int | None = None) -> int:
    """How many lines are synthesized concurrently: as configured, else two, or one on a single core."""
    return wanted or min(cores(), 2)


def cores() -> int:
    """The cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class VoiceThreadPool:
    """A pool created on first use. One thread per line; every failure in it becomes a VoiceError."""

    def __init__(self, engine: str, count: int) -> None:
        self._engine = engine
        self.count = count

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.count, thread_name_prefix="voice")

    async def run(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except DramaturgError:
            raise
        except Exception as error:  # reason: whatever a runtime raises fails this line only
            raise VoiceError(f"{self._engine} failed on this line: {type(error).__name__}: {error}") from error

    async def aclose(self) -> None:
        """Pending lines are cancelled; a running one is awaited, since it cannot be interrupted."""
        if "_threads" in self.__dict__:
            await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)
