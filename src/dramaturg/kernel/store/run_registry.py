"""The registry of runs, on either database."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from dramaturg.kernel.errors import RunFenced, StoreUnavailable
from dramaturg.kernel.store.database import Conflict, Database, Insert, Statement
from dramaturg.kernel.store.journal import Wakeups, insert_rows
from dramaturg.kernel.store.port import Row, RunRecord, Status
from dramaturg.kernel.store.transactions import in_sequence

FIELDS = tuple(RunRecord.model_fields)
COLUMNS = ", ".join(FIELDS)
ADD = f"INSERT INTO runs ({COLUMNS}) VALUES ({', '.join(f':{field}' for field in FIELDS)})"
GET = f"SELECT {COLUMNS} FROM runs WHERE id = :id"
FIND = f"""
    SELECT {COLUMNS} FROM runs
    WHERE (CAST(:kind AS TEXT) IS NULL OR kind = CAST(:kind AS TEXT))
      AND (CAST(:status AS TEXT) IS NULL OR status = CAST(:status AS TEXT))
      AND substr(id, 1, CAST(:length AS INTEGER)) = CAST(:prefix AS TEXT)
    ORDER BY created_at DESC, id DESC LIMIT CAST(:most AS INTEGER)
"""
MARK = "UPDATE runs SET status = :status, updated_at = :at WHERE id = :id"
ANNOTATE = "UPDATE runs SET config = :config WHERE id = :id"
ADOPT = f"""
    UPDATE runs SET adoptions = adoptions + 1, player = :player, status = 'playing', updated_at = :at
    WHERE id = :id AND (CAST(:held_by AS TEXT) IS NULL OR player = CAST(:held_by AS TEXT))
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
    """`RunRegister` in SQL."""

    def __init__(self, database: Database, wakeups: Wakeups) -> None:
        self._database = database
        self._wakeups = wakeups

    async def add(self, record: RunRecord, rows: Sequence[Row] = ()) -> None:
        statements: list[Statement | Insert] = [Statement(ADD, record.model_dump())]
        if rows:
            statements.append(insert_rows((record.id, row) for row in rows))
        try:
            await self._database.write(in_sequence(*statements))
        except Conflict as conflict:
            raise StoreUnavailable(f"A run '{record.id}' already exists.", run=record.id) from conflict

    async def get(self, run_id: str) -> RunRecord | None:
        rows = await self._database.read(Statement(GET, {"id": run_id}))
        return _record(rows[0]) if rows else None

    async def find(
        self, *, kind: str | None = None, status: Status | None = None, prefix: str = "", limit: int = 50
    ) -> list[RunRecord]:
        asked = {"kind": kind, "status": status, "prefix": prefix, "length": len(prefix), "most": limit}
        return [_record(row) for row in await self._database.read(Statement(FIND, asked))]

    async def mark(self, run_id: str, status: Status, at: float) -> None:
        await self._database.write(in_sequence(Statement(MARK, {"id": run_id, "status": status, "at": at})))
        self._wakeups.wake(run_id)

    async def annotate(self, run_id: str, config: str) -> None:
        await self._database.write(in_sequence(Statement(ANNOTATE, {"id": run_id, "config": config})))

    async def adopt(self, run_id: str, player: str, at: float, held_by: str | None = None) -> RunRecord:
        adopted = await self._database.write(
            in_sequence(Statement(ADOPT, {"id": run_id, "player": player, "at": at, "held_by": held_by}))
        )
        if not adopted:
            raise RunFenced(f"Run {run_id} is gone, or another process has taken it.", run=run_id, player=player)
        return _record(adopted[0])

    async def remove(self, run_id: str) -> None:
        await self._database.write(in_sequence(Statement(REMOVE, {"id": run_id})))
        self._wakeups.wake(run_id)


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
