"""The registry of runs, on either database."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pydantic import ValidationError

from dramaturg.kernel.errors import RunFenced, StoreUnavailable
from dramaturg.kernel.store.database import Conflict, Database, Insert, Rows, Statement, Transaction
from dramaturg.kernel.store.journal import Wakeups, insert_rows
from dramaturg.kernel.store.notices import standings
from dramaturg.kernel.store.port import LEASE_SECONDS, LONGEST_LEASE, Lease, Row, RunRecord, Status
from dramaturg.kernel.store.transactions import in_sequence, write_retrying

FIELDS = tuple(RunRecord.model_fields)
STORED = FIELDS[:-1]
"""All but how much is left of the lease, which the database works out."""
IS_OVER = f"(lease_until <= {{now}} OR lease_until > {{now}} + {LONGEST_LEASE})"
COLUMNS = f"{', '.join(STORED)}, CASE WHEN {IS_OVER} THEN 0 ELSE lease_until - {{now}} END"
ADD = f"""
    INSERT INTO runs ({", ".join(STORED)}, lease_until)
    VALUES ({", ".join(f":{field}" for field in STORED)}, {{now}} + CAST(:lease AS DOUBLE PRECISION))
"""
GET = f"SELECT {COLUMNS} FROM runs WHERE id = :id"
FIND = f"""
    SELECT {COLUMNS} FROM runs
    WHERE (CAST(:kind AS TEXT) IS NULL OR kind = CAST(:kind AS TEXT))
      AND (CAST(:status AS TEXT) IS NULL OR status = CAST(:status AS TEXT))
      AND substr(id, 1, CAST(:length AS INTEGER)) = CAST(:prefix AS TEXT)
      AND (CAST(:before AS TEXT) IS NULL OR created_at < CAST(:before_at AS DOUBLE PRECISION)
        OR (created_at = CAST(:before_at AS DOUBLE PRECISION) AND id < CAST(:before AS TEXT)))
    ORDER BY created_at DESC, id DESC LIMIT CAST(:most AS INTEGER)
"""
UNHELD = f"""
    SELECT {COLUMNS} FROM runs WHERE status = 'playing' AND (CAST(:local AS INTEGER) = 1 OR {IS_OVER})
    ORDER BY created_at DESC, id DESC
"""
IS_OF = "(CAST(:generation AS INTEGER) IS NULL OR generation = CAST(:generation AS INTEGER))"
MARK = f"""
    UPDATE runs SET status = :status, updated_at = :at, stop_asked = FALSE,
      lease_until = CASE WHEN CAST(:lease AS DOUBLE PRECISION) > 0
        THEN {{now}} + CAST(:lease AS DOUBLE PRECISION) ELSE 0 END
    WHERE id = :id AND {IS_OF} RETURNING id
"""
RELEASE = f"UPDATE runs SET player = '', lease_until = 0, stop_asked = FALSE WHERE id = :id AND {IS_OF}"
RENEW = """
    UPDATE runs SET lease_until = {now} + CAST(:lease AS DOUBLE PRECISION)
    WHERE player = :player AND status = 'playing' AND id IN ({ids}) RETURNING id, generation, stop_asked
"""
ASK_TO_STOP = "UPDATE runs SET stop_asked = TRUE WHERE id = :id AND status = 'playing'"
ASKED_TO_STOP = "SELECT id FROM runs WHERE stop_asked AND id IN ({ids})"
ANNOTATE = "UPDATE runs SET config = :config WHERE id = :id"
ADOPT = f"""
    UPDATE runs SET adoptions = adoptions + 1, generation = generation + 1, player = :player, status = 'playing',
      updated_at = :at, stop_asked = FALSE, lease_until = {{now}} + CAST(:lease AS DOUBLE PRECISION)
    WHERE id = :id AND {IS_OF}
      AND (CAST(:dead AS INTEGER) = 1 OR status <> 'playing' OR player = :player OR {IS_OVER})
    RETURNING {COLUMNS}
"""
DAMAGED = {
    "id": "(damaged)",
    "kind": "(damaged)",
    "name": "(damaged)",
    "status": "failed",
    "created_at": 0.0,
    "updated_at": 0.0,
}
REMOVE = "DELETE FROM runs WHERE id = :id"


class SqlRunRegistry:
    """`RunRegistry` in SQL."""

    def __init__(self, database: Database, wakeups: Wakeups) -> None:
        self._database = database
        self._wakeups = wakeups

    async def add(self, record: RunRecord, rows: Sequence[Row] = ()) -> None:
        fields = {field: getattr(record, field) for field in FIELDS}
        statements: list[Statement | Insert] = [self._statement(ADD, fields)]
        if rows:
            statements.append(insert_rows((record.id, row) for row in rows))
        try:
            await self._database.write(in_sequence(*statements))
        except Conflict as conflict:
            raise StoreUnavailable(f"A run '{record.id}' already exists.", run=record.id) from conflict

    async def get(self, run_id: str) -> RunRecord | None:
        rows = await self._database.read(self._statement(GET, {"id": run_id}))
        return _record(rows[0]) if rows else None

    async def find(
        self,
        *,
        kind: str | None = None,
        status: Status | None = None,
        prefix: str = "",
        before: RunRecord | None = None,
        limit: int = 50,
    ) -> list[RunRecord]:
        asked: dict[str, str | int | float | None] = {"kind": kind, "status": status, "most": limit}
        asked |= {"prefix": prefix, "length": len(prefix)}
        asked |= {"before": before.id if before else None, "before_at": before.created_at if before else None}
        return [_record(row) for row in await self._database.read(self._statement(FIND, asked))]

    async def unheld(self) -> list[RunRecord]:
        asked = {"local": int(self._database.is_local)}
        return [_record(row) for row in await self._database.read(self._statement(UNHELD, asked))]

    async def mark(
        self, run_id: str, status: Status, at: float, *, generation: int | None = None, lease: float = 0.0
    ) -> None:
        values = {"id": run_id, "status": status, "at": at, "generation": generation, "lease": lease}
        marked = await self._write(self._statement(MARK, values))
        if generation is not None and not marked:
            raise _taken(run_id)
        self._wakeups.wake(run_id)

    async def renew(self, player: str, run_ids: Collection[str], lease: float) -> list[Lease]:
        renewing = self._statement(RENEW, {"player": player, "lease": lease}, run_ids)
        return [Lease(row[0], row[1], bool(row[2])) for row in await self._write(renewing)]

    async def ask_to_stop(self, run_id: str) -> None:
        await self._write(Statement(ASK_TO_STOP, {"id": run_id}))

    async def asked_to_stop(self, run_ids: Collection[str]) -> list[str]:
        return [row[0] for row in await self._database.read(self._statement(ASKED_TO_STOP, {}, run_ids))]

    async def release(self, run_id: str, generation: int) -> None:
        await self._write(Statement(RELEASE, {"id": run_id, "generation": generation}))
        self._wakeups.wake(run_id)

    async def annotate(self, run_id: str, config: str) -> None:
        await self._write(Statement(ANNOTATE, {"id": run_id, "config": config}))

    async def adopt(
        self,
        run_id: str,
        player: str,
        at: float,
        *,
        lease: float = LEASE_SECONDS,
        generation: int | None = None,
        dead: bool = False,
        last: int | None = None,
        rows: Sequence[Row] = (),
    ) -> RunRecord:
        free = int(dead or generation is None)
        values = {"id": run_id, "player": player, "at": at, "lease": lease, "generation": generation, "dead": free}
        try:
            taken = await self._database.write(_adopt(run_id, self._statement(ADOPT, values), rows, last))
        except Conflict:  # whoever held it wrote at the same moment, and was quicker
            taken = None
        if taken is None:
            raise _taken(run_id)
        self._wakeups.wake(run_id)
        return _record(taken)

    async def remove(self, run_id: str) -> None:
        await self._write(Statement(REMOVE, {"id": run_id}))
        self._wakeups.wake(run_id)

    async def _write(self, statement: Statement) -> Rows:
        """Executes a statement that may be repeated; two that lock the same rows in another order are tried again."""
        return await write_retrying(self._database, lambda: in_sequence(statement), "The registry of runs")

    def _statement(self, sql: str, values: Mapping[str, object], run_ids: Collection[str] = ()) -> Statement:
        """SQL with the database's clock in it, and the names of these ids."""
        ids = {f"id{place}": run_id for place, run_id in enumerate(run_ids)}
        filled = sql.replace("{now}", self._database.now).replace("{ids}", ", ".join(f":{name}" for name in ids))
        return Statement(filled, {**values, **ids})


def _adopt(
    run_id: str, taking: Statement, rows: Sequence[Row], last: int | None
) -> Transaction[Sequence[object] | None]:
    """Takes a run and says so in its log, so that whoever held it cannot write any more."""
    taken = yield taking
    if taken and last is not None:
        [(_, found, _)] = yield standings([run_id])
        if int(found) != last:
            raise _taken(run_id)
    if taken and rows:
        yield insert_rows((run_id, row) for row in rows)
    return taken[0] if taken else None


def _taken(run_id: str) -> RunFenced:
    return RunFenced(f"Run {run_id} is gone, or another process has taken it.", run=run_id)


def _record(row: Sequence[object]) -> RunRecord:
    fields = dict(zip(FIELDS, row, strict=True))
    try:
        for value in row:
            if isinstance(value, str) and not value.isascii():
                value.encode()
        return RunRecord.model_validate(fields)
    except (ValidationError, UnicodeEncodeError):
        return _damaged(fields)


def _damaged(fields: dict[str, object]) -> RunRecord:
    """What is left of a record with unreadable fields, so that one run does not hide the others."""
    kept: dict[str, object] = {name: DAMAGED[name] for name in DAMAGED}
    for name, value in fields.items():
        text = value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        try:
            RunRecord.model_validate({**kept, name: text})
        except ValidationError:
            continue
        kept[name] = text
    return RunRecord.model_validate(kept)
