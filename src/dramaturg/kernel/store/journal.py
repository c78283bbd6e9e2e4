"""The logs of all runs, on either database, with many appends per commit.

Appends that arrive while a transaction is in progress are collected; the next transaction takes them all. It reads
the last sequence number of every log concerned, refuses appends that do not continue their log, and writes the rest.

While the disk is full or the database away, appends keep their places and are tried again, each for as long as the
journal is told to wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from dramaturg.kernel.errors import RunFenced, StoreBlocked, StoreUnavailable
from dramaturg.kernel.store.database import (
    LOG_COLUMNS,
    Append,
    Conflict,
    Database,
    Insert,
    LogInsert,
    Statement,
    Transaction,
)
from dramaturg.kernel.store.notices import Signal, number_of, standings
from dramaturg.kernel.store.notices import Wakeups as Wakeups
from dramaturg.kernel.store.port import Look, Row

MOST_IN_A_COMMIT = 500
FEW_ROWS = 64
"""Batches up to this size may be written inline, where that is faster than waking a thread."""

FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 0.05, 1.0
"""How soon a blocked store is tried again: the pause doubles from the first to the last."""

READ = """
    SELECT seq, at, type, hidden, body FROM events
    WHERE run_id = :id AND seq > :after ORDER BY seq LIMIT CAST(:most AS BIGINT)
"""
LOOK = """
    SELECT r.status, COALESCE((SELECT MAX(seq) FROM events WHERE run_id = r.id), 0),
        e.seq, e.at, e.type, e.hidden, e.body
    FROM runs r LEFT JOIN (
        SELECT seq, at, type, hidden, body FROM events
        WHERE run_id = :id AND seq > :after ORDER BY seq LIMIT CAST(:most AS BIGINT)
    ) e ON 1 = 1
    WHERE r.id = :id ORDER BY e.seq
"""
SELECT = """
    SELECT run_id, seq, at, type, hidden, body FROM events
    WHERE run_id IN ({ids}) AND type IN ({types}) ORDER BY run_id, seq
"""
NO_LIMIT = 2**62


class SqlJournal:
    """`Journal` in SQL."""

    def __init__(self, database: Database, wakeups: Wakeups, patience: float = 0.0) -> None:
        self._database = database
        self._wakeups = wakeups
        self._patience = patience
        self._waiting: list[Append] = []
        self._retry: asyncio.TimerHandle | None = None
        self._pause = FIRST_RETRY_SECONDS
        self.blocked: StoreBlocked | None = None
        self._under_way = False
        self._drained: asyncio.Event | None = None
        self._closed = False
        self.commits = 0

    def append(self, run_id: str, after: int, rows: Sequence[Row], *, again: bool = False) -> asyncio.Future[None]:
        if [row.seq for row in rows] != list(range(after + 1, after + 1 + len(rows))):
            raise ValueError(f"rows after {after} must be numbered from {after + 1} without a gap")
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._closed:
            written.set_exception(StoreUnavailable("The store is closed; nothing more can be written to it."))
            return written
        self._waiting.append(Append(run_id, after, rows, written, again))
        if not self._under_way:
            # In the next loop iteration, so that everything appended in this one shares the transaction.
            self._under_way = True
            asyncio.get_running_loop().call_soon(self._write)
        return written

    async def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Row]:
        most = NO_LIMIT if limit is None else limit
        rows = await self._database.read(Statement(READ, {"id": run_id, "after": after, "most": most}))
        return [_row(row) for row in rows]

    async def select(self, run_ids: Sequence[str], types: Collection[str]) -> Mapping[str, list[Row]]:
        found: dict[str, list[Row]] = {run_id: [] for run_id in run_ids}
        if not found or not types:
            return found
        ids = {f"id{place}": run_id for place, run_id in enumerate(found)}
        kinds = {f"type{place}": type_ for place, type_ in enumerate(types)}
        sql = SELECT.format(ids=", ".join(f":{name}" for name in ids), types=", ".join(f":{name}" for name in kinds))
        for run_id, *row in await self._database.read(Statement(sql, {**ids, **kinds})):
            found[run_id].append(_row(row))
        return found

    def signal(self, run_id: str) -> Signal:
        return self._wakeups.signal(run_id)

    async def look(self, run_id: str, after: int, limit: int) -> Look:
        rows = await self._database.read(Statement(LOOK, {"id": run_id, "after": after, "most": limit}))
        found = Look("", 0, [])
        for status, last, *row in rows:
            found = Look(str(status), number_of(last), found.rows)
            if row[0] is not None:
                found.rows.append(_row(row))
        return found

    async def close(self) -> None:
        """Returns when everything queued is written, or refused once more by a blocked store."""
        self._closed = True
        self.hurry()
        if self._under_way:
            self._drained = asyncio.Event()
            await self._drained.wait()

    def hurry(self) -> None:
        """From now on nothing waits for a blocked store; what waits already is tried a last time."""
        self._patience = 0.0
        if self._retry is not None:
            self._retry.cancel()
            self._write_again()

    def _write(self) -> None:
        """Writes what is queued, one transaction after another; a small one may already be done on return."""
        while self._waiting:
            batch = self._waiting[:MOST_IN_A_COMMIT]
            del self._waiting[:MOST_IN_A_COMMIT]
            small = sum([len(append.rows) for append in batch]) <= FEW_ROWS
            writing = self._database.write(write_batch(batch), small=small)
            if not writing.done():
                writing.add_done_callback(partial(self._written_later, batch))
                return
            self._written(batch, writing)
            if self._retry is not None:
                return
        self._under_way = False
        if self._drained is not None:
            self._drained.set()

    def _written_later(self, batch: list[Append], writing: asyncio.Future[dict[Append, RunFenced]]) -> None:
        self._written(batch, writing)
        if self._retry is None:
            self._write()

    def _written(self, batch: list[Append], writing: asyncio.Future[dict[Append, RunFenced]]) -> None:
        """Settles every append, whatever the outcome of the transaction."""
        error = _interrupted() if writing.cancelled() else writing.exception()
        if isinstance(error, Conflict):
            # Another process wrote between our read and our write; the next read will see it.
            self._waiting[:0] = batch
            return
        if isinstance(error, StoreBlocked):
            self._keep_waiting(batch, error)
            return
        if error is not None:
            for append in batch:
                _settle(append, error)
            return
        self.commits += 1
        self.blocked, self._pause = None, FIRST_RETRY_SECONDS
        refused = writing.result()
        for append in batch:
            _settle(append, refused.get(append))
        for append in batch:
            if append not in refused:
                self._wakeups.wake(append.run_id, append.after + len(append.rows))

    def _keep_waiting(self, batch: list[Append], error: StoreBlocked) -> None:
        """Puts a batch back in its place, without the appends that have waited long enough, and plans another try."""
        loop = asyncio.get_running_loop()
        self.blocked = error
        kept: list[Append] = []
        for append in batch:
            append.again = True
            if append.until is None:
                append.until = loop.time() + self._patience
            if self._patience and loop.time() < append.until:
                kept.append(append)
            else:
                _settle(append, error)
        self._waiting[:0] = kept
        if self._waiting:
            self._retry = loop.call_later(self._pause, self._write_again)
            self._pause = min(2 * self._pause, LAST_RETRY_SECONDS)

    def _write_again(self) -> None:
        self._retry = None
        self._write()


def write_batch(batch: Sequence[Append]) -> Transaction[dict[Append, RunFenced]]:
    """Writes the appends that continue their log, and returns the others with the reason."""
    if (yield LogInsert(batch, checked=False)):
        return {}
    rows = yield standings({append.run_id for append in batch})
    last = {run_id: number_of(seq) for run_id, seq, _ in rows}
    accepted: list[Append] = []
    refused: dict[Append, RunFenced] = {}
    for append in batch:
        if last.get(append.run_id) == append.after:
            accepted.append(append)
            last[append.run_id] += len(append.rows)
        elif not (append.again and (yield from _is_stored(append))):
            refused[append] = _fenced(append, last.get(append.run_id))
    if any(append.rows for append in accepted):
        yield LogInsert(accepted, checked=True)
    return refused


def _is_stored(append: Append) -> Transaction[bool]:
    """Whether the rows are in the log already: a connection may be lost after the commit and before its answer."""
    wanted = {"id": append.run_id, "after": append.after, "most": len(append.rows)}
    rows = yield Statement(READ, wanted)
    return [_row(row) for row in rows] == list(append.rows)


def insert_rows(rows: Iterable[tuple[str, Row]]) -> Insert:
    """Inserts rows into the logs of their runs."""
    return Insert("events", LOG_COLUMNS, [(run_id, *row[:-1], row.body.decode()) for run_id, row in rows])


def _row(stored: Sequence[Any]) -> Row:
    """A row as it is stored; SQLite holds any value in any column, and a wrong one is for the reader to name."""
    seq, at, type_, hidden, body = stored
    if not isinstance(body, bytes):
        body = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else b""
    return Row(seq, at, str(type_), bool(hidden), body)


def _fenced(append: Append, last: int | None) -> RunFenced:
    if last is None:
        return RunFenced(f"Run {append.run_id} is gone; nothing can be added to it.", run=append.run_id)
    return RunFenced(
        f"Run {append.run_id} was written to by another process (its log is at {last}, "
        f"this process at {append.after}); this process stops.",
        run=append.run_id,
        last=last,
        after=append.after,
    )


def _interrupted() -> StoreUnavailable:
    return StoreUnavailable("The store was interrupted while writing; open the run again.")


def _settle(append: Append, error: BaseException | None) -> None:
    if append.written.done():
        return
    if error is None:
        append.written.set_result(None)
    else:
        append.written.set_exception(error)
