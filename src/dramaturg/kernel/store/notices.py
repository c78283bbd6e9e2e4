"""Who in this process waits for which run, and how they learn what other processes wrote.

A notice names runs and the numbers their logs have reached, never what is in them; or it says only that something may
have changed. Whoever is woken looks after the number it knows, so a lost or doubled notice costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import cycle
from typing import Any, Literal
from weakref import WeakValueDictionary

from dramaturg.kernel.errors import StoreError
from dramaturg.kernel.store.database import Database, Statement

LOOK_AROUND = "*"
"""The notice that names nobody."""
MOST_BYTES = 7_999
LOOK_SECONDS = 2.0
"""How often logs are looked at without a notice, where notices may be lost."""
_log = logging.getLogger(__name__)

STANDINGS = """
    SELECT id, COALESCE((SELECT MAX(seq) FROM events WHERE run_id = runs.id), 0), status
    FROM runs WHERE id IN ({ids})
"""


class Signal(asyncio.Event):
    """Set at the next change of a run. `seq` is then the number its log has reached, as far as that is known.

    `standing` is what the last look found, and `looks` are the looks that those who wait for it share.
    """

    def __init__(self, wakeups: Wakeups) -> None:
        super().__init__()
        self.seq = 0
        self.standing: tuple[int, str] | None = None
        self.looks: dict[object, asyncio.Future[Any]] = {}
        self._wakeups = wakeups

    async def wait(self) -> Literal[True]:
        with self._wakeups.watched():
            return await super().wait()


class Wakeups:
    """Wakes those who wait for a run in this process, and watches for other processes while somebody waits."""

    def __init__(self, database: Database | None = None) -> None:
        """Without a database they hear of this process alone."""
        self._database = database
        self._signals: WeakValueDictionary[str, Signal] = WeakValueDictionary()
        self._written_here: set[str] = set()
        self._unseen: set[str] = set()
        self._waiting = 0
        self._watching: asyncio.Task[None] | None = None
        self._telling: set[asyncio.Future[None]] = set()

    def signal(self, run_id: str) -> Signal:
        """Set by the next change; the caller must keep a reference to it, and take it before it looks."""
        signal = self._signals.get(run_id)
        if signal is None:
            signal = self._signals[run_id] = Signal(self)
        return signal

    @contextmanager
    def watched(self) -> Iterator[None]:
        """For the time of a block somebody waits, and other processes are listened to."""
        self._waiting += 1
        if self._database is not None and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._watch(self._database), name="notices")
        try:
            yield
        finally:
            self._waiting -= 1

    def wake(self, run_id: str, seq: int = 0) -> None:
        """The run changed here. A change without a number is in no log, so the other processes are told of it."""
        self._wake(run_id, seq)
        if self._waiting:
            self._written_here.add(run_id)
        if self._database is not None and not seq:
            telling = asyncio.ensure_future(self._database.tell(f"{run_id}:0"))
            self._telling.add(telling)
            telling.add_done_callback(self._told)

    async def close(self) -> None:
        for task in filter(None, (self._watching, *self._telling)):
            task.cancel()
            await asyncio.wait([task])

    def _told(self, telling: asyncio.Future[None]) -> None:
        self._telling.discard(telling)
        if not telling.cancelled():
            telling.exception()  # a notice that is lost costs nothing

    def _wake(self, run_id: str, seq: int) -> None:
        if (signal := self._signals.pop(run_id, None)) is not None:
            signal.seq = seq
            signal.set()

    async def _watch(self, database: Database) -> None:
        while self._waiting:
            try:
                with suppress(StoreError):  # those who look are told; it is looked at again when the store is back
                    await self._hear(database, await database.notice())
            except Exception:  # noqa: BLE001  # reason: whoever waits would wait for good
                _log.exception("What other processes wrote could not be heard of. It is looked at again.")
                self._unseen.update(self._signals)
                await asyncio.sleep(LOOK_SECONDS)
            self._written_here.clear()

    async def _hear(self, database: Database, notice: str) -> None:
        if notice == LOOK_AROUND:
            self._unseen.update(self._signals)
        else:
            for name in notice.split():
                run_id, _, number = name.rpartition(":")
                seq, signal = int(number) if number.isdecimal() else 0, self._signals.get(run_id)
                if not (seq and signal and signal.standing and signal.standing[0] >= seq):
                    self._wake(run_id, seq)
        # What this process just wrote it knows; that another wrote to the same run as well is seen a moment later.
        signals = {name: one for name in self._unseen - self._written_here if (one := self._signals.get(name))}
        self._unseen &= self._written_here
        if not signals:
            return
        rows = await database.read(standings(signals))
        found = {run_id: (number_of(seq), str(status)) for run_id, seq, status in rows}
        for run_id, signal in signals.items():
            standing = found.get(run_id, (0, ""))
            if signal.standing != standing:
                self._wake(run_id, standing[0])


def notice_of(reached: Mapping[str, int]) -> str:
    """The notice for logs that have reached these numbers."""
    text = " ".join(f"{run_id}:{seq}" for run_id, seq in reached.items())
    return text if len(text.encode()) <= MOST_BYTES else LOOK_AROUND


def number_of(stored: object) -> int:
    """A number in the log; 0 for what a damaged one has instead."""
    return stored if isinstance(stored, int) else 0


def standings(run_ids: Collection[str]) -> Statement:
    """The id, last sequence number and status of each run; a deleted run has no row."""
    # Padded to a power of two, so that the database sees few different statements and prepares each once.
    names, sql = _asking_for(1 << (len(run_ids) - 1).bit_length())
    return Statement(sql, dict(zip(names, cycle(run_ids), strict=False)))


@cache
def _asking_for(room: int) -> tuple[tuple[str, ...], str]:
    names = tuple(f"id{i}" for i in range(room))
    return names, STANDINGS.format(ids=", ".join(f":{name}" for name in names))
