"""Batches, conflicts and texts on either database. A batch is written with its facts in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from dramaturg.kernel.store.database import Database, Statement, Transaction
from dramaturg.kernel.store.transactions import storable, write_retrying
from dramaturg.workshop.consolidation.merge import Ledger, MergePlan
from dramaturg.workshop.consolidation.values import Batch, FactConflict, ReadText
from dramaturg.workshop.graph.store import apply_change, name_again, settle_facts, withdraw
from dramaturg.workshop.store import promotion

CONFLICT = (
    "id", "batch", "rule", "said", "old_fact", "new_fact", "further", "found_at", "resolution", "reason", "note",
    "resolved_at",
)  # fmt: skip
BATCHES = "SELECT id, run, body, merged_at, undone_at FROM graph_batches WHERE book = :book ORDER BY id"
BATCH_OF_RUN = "SELECT id FROM graph_batches WHERE book = :book AND run = :run"
CONFLICTS = f"SELECT {', '.join(CONFLICT)} FROM graph_conflicts WHERE book = :book ORDER BY id"
TEXTS = "SELECT path, digest FROM consolidated_texts WHERE book = :book"
ADD_BATCH = """
    INSERT INTO graph_batches (book, id, run, body, merged_at, undone_at)
    VALUES (:book, :id, :run, :body, :merged_at, NULL)
"""
UNDO_BATCH = "UPDATE graph_batches SET undone_at = :at WHERE book = :book AND id = :id"
UNDONE = "SELECT undone_at FROM graph_batches WHERE book = :book AND id = :id"
ADD_CONFLICT = f"""
    INSERT INTO graph_conflicts (book, {", ".join(CONFLICT)}) VALUES (:book, {", ".join(f":{one}" for one in CONFLICT)})
"""
RESOLVED = "SELECT resolution FROM graph_conflicts WHERE book = :book AND id = :id"
RESOLVE = """
    UPDATE graph_conflicts SET resolution = :resolution, reason = :reason, note = :note, resolved_at = :resolved_at
    WHERE book = :book AND id = :id
"""
DROP_TEXT = "DELETE FROM consolidated_texts WHERE book = :book AND path = :path"
ADD_TEXT = "INSERT INTO consolidated_texts (book, path, digest, batch) VALUES (:book, :path, :digest, :batch)"
_STORED_APART = {"id", "run", "merged_at", "undone_at"}


class ConsolidationStore:
    """The batches and conflicts of one book."""

    def __init__(self, database: Database, book: str) -> None:
        self._database = database
        self._book = book

    async def ledger(self) -> Ledger:
        """Everything that was merged, found and read so far."""
        asked = {"book": self._book}
        batches = await self._database.read(Statement(BATCHES, asked))
        conflicts = await self._database.read(Statement(CONFLICTS, asked))
        texts = await self._database.read(Statement(TEXTS, asked))
        return Ledger(
            tuple(_batch(row) for row in batches),
            tuple(_conflict(row) for row in conflicts),
            {str(path): str(digest) for path, digest in texts},
        )

    async def merge(self, plan: MergePlan, last: tuple[int, int]) -> bool:
        """Stores a batch whole or not at all; False if the graph, or the batches, have grown since it was planned.

        A run merges once: a second attempt is taken for done.
        """
        return await write_retrying(self._database, lambda: _merge(self._book, plan, last), "The knowledge graph")

    async def resolve(
        self, before: FactConflict, after: FactConflict, *, aside: Iterable[int], restored: Iterable[int], at: float
    ) -> bool:
        """Stores what the writer says about a conflict; False if another process was quicker."""
        work = lambda: _resolve(self._book, before, after, tuple(aside), tuple(restored), at)  # noqa: E731
        return await write_retrying(self._database, work, f"Conflict {after.id}")

    async def undo(self, batch: Batch, undoing: Undoing, at: float) -> bool:
        """Takes a batch out of the graph; False if another process was quicker."""
        return await write_retrying(
            self._database, lambda: _undo(self._book, batch, undoing, at), "The knowledge graph"
        )


class Undoing:
    """What undoing a batch does to facts, entities and conflicts beside those that the batch names."""

    def __init__(self, restored: Sequence[int], withdrawn: Sequence[int], conflicts: Sequence[FactConflict]) -> None:
        self.restored, self.withdrawn, self.conflicts = tuple(restored), tuple(withdrawn), tuple(conflicts)


def _merge(book: str, plan: MergePlan, last: tuple[int, int]) -> Transaction[bool]:
    batch = plan.batch
    if (yield Statement(BATCH_OF_RUN, {"book": book, "run": batch.run})):
        return True
    if not (yield from apply_change(book, plan.change, last, batch.merged_at)):
        return False
    yield from settle_facts(book, batch.merged_at, aside=batch.aside, restored=batch.restored)
    body = storable(batch.model_dump_json(exclude=_STORED_APART))
    row = {"book": book, "id": batch.id, "run": batch.run, "body": body, "merged_at": batch.merged_at}
    yield Statement(ADD_BATCH, row)
    if plan.conflicts:
        yield Statement(ADD_CONFLICT, [{"book": book, **_row(one)} for one in plan.conflicts])
    if batch.closed:
        gone = {"book": book, "resolution": "gone", "reason": "", "note": "", "resolved_at": batch.merged_at}
        yield Statement(RESOLVE, [{**gone, "id": number} for number in batch.closed])
    yield from _texts(book, batch.id, batch.texts)
    if batch.promoted:
        yield promotion(book, batch.promoted, True)
    return True


def _resolve(
    book: str, before: FactConflict, after: FactConflict, aside: tuple[int, ...], restored: tuple[int, ...], at: float
) -> Transaction[bool]:
    held = yield Statement(RESOLVED, {"book": book, "id": after.id})
    if not held or held[0][0] != before.resolution:
        return False
    yield from settle_facts(book, at, aside=aside, restored=restored)
    yield Statement(RESOLVE, _resolved(book, after))
    return True


def _undo(book: str, batch: Batch, undoing: Undoing, at: float) -> Transaction[bool]:
    held = yield Statement(UNDONE, {"book": book, "id": batch.id})
    if not held or held[0][0] is not None:
        return False
    restored = (*batch.aside, *batch.retired, *undoing.restored)
    yield from settle_facts(book, at, aside=batch.restored, restored=restored, retired=batch.added)
    yield from withdraw(book, undoing.withdrawn)
    yield from name_again(book, batch.aliases_before)
    if undoing.conflicts:
        yield Statement(RESOLVE, [_resolved(book, one) for one in undoing.conflicts])
    yield from _texts(book, batch.id, [ReadText(path=one.path, digest=one.before) for one in batch.texts])
    if batch.promoted:
        yield promotion(book, batch.promoted, False)
    yield Statement(UNDO_BATCH, {"book": book, "id": batch.id, "at": at})
    return True


def _texts(book: str, batch: int, texts: Sequence[ReadText]) -> Transaction[None]:
    if texts:
        yield Statement(DROP_TEXT, [{"book": book, "path": storable(one.path)} for one in texts])
    kept = [one for one in texts if one.digest]
    if kept:
        rows = [{"book": book, "path": storable(one.path), "digest": one.digest, "batch": batch} for one in kept]
        yield Statement(ADD_TEXT, list(rows))


def _resolved(book: str, one: FactConflict) -> dict[str, object]:
    return {
        "book": book,
        "id": one.id,
        "resolution": one.resolution,
        "reason": one.reason,
        "note": storable(one.note),
        "resolved_at": one.resolved_at,
    }


def _row(one: FactConflict) -> dict[str, object]:
    held = one.model_dump()
    old, new = held.pop("old"), held.pop("new")
    further = orjson.dumps(one.further).decode()
    return {**held, "old_fact": old, "new_fact": new, "further": further, "said": storable(one.said)}


def _conflict(row: Sequence[Any]) -> FactConflict:
    held = dict(zip(CONFLICT, row, strict=True))
    old, new, further = held.pop("old_fact"), held.pop("new_fact"), orjson.loads(held.pop("further"))
    return FactConflict.model_validate({**held, "old": old, "new": new, "further": tuple(further)})


def _batch(row: Sequence[Any]) -> Batch:
    number, run, body, merged_at, undone_at = row
    held = orjson.loads(body)
    return Batch.model_validate({**held, "id": number, "run": run, "merged_at": merged_at, "undone_at": undone_at})
