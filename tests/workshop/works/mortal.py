"""A store whose process dies at its n-th write: just before it, or just after. Nothing is written from then on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

from dramaturg.kernel.store import Store
from dramaturg.kernel.store.port import Row


class Death(BaseException):
    """What nobody catches."""


class Life:
    """Counts the writes of a process, and ends it. `writes` is how many there were."""

    def __init__(self, at: int = 0, *, before: bool = False, kill: bool = False) -> None:
        self._at, self._before, self._kill = at, before, kill
        self.writes = 0
        self.over = asyncio.Event()

    def begin(self) -> None:
        """A write is about to be made."""
        self._check()
        self.writes += 1
        if self.writes == self._at and self._before:
            self._end()

    def end(self) -> None:
        """A write was made."""
        if self.writes == self._at and not self._before:
            self._end()

    def _check(self) -> None:
        if self.over.is_set():
            raise Death

    def _end(self) -> None:
        if self._kill:
            os.kill(os.getpid(), signal.SIGKILL)
        self.over.set()
        raise Death


class Mortal:
    """A part of the store whose named methods are writes; whatever else it has is as it was."""

    def __init__(self, inner: Any, life: Life, writes: Sequence[str]) -> None:
        self._inner, self._life, self._writes = inner, life, writes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._mortal(found) if name in self._writes else found

    def _mortal(self, write: Callable[..., Any]) -> Callable[..., asyncio.Future[Any]]:
        def made(*given: Any, **named: Any) -> asyncio.Future[Any]:
            return asyncio.ensure_future(self._made(write, given, named))

        return made

    async def _made(self, write: Callable[..., Any], given: Sequence[Any], named: dict[str, Any]) -> Any:
        try:
            self._life.begin()
        except Death:
            if given and hasattr(given[0], "close"):
                given[0].close()  # a transaction that never began
            raise
        done = await write(*given, **named)
        self._life.end()
        return done


class MortalStore:
    """A store whose every write counts: entries of a log, the state of a run, rows of a capability's tables."""

    def __init__(self, store: Store, life: Life) -> None:
        self._store = store
        self.runs = Mortal(store.runs, life, ("add", "mark", "adopt"))
        self.journal = Mortal(store.journal, life, ("append",))
        self.database = Mortal(store.database, life, ("write",))
        self.inbox = store.inbox

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def types(rows: Sequence[Row]) -> list[str]:
    return [row.type for row in rows]
