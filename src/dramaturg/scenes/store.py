"""What characters keep, on either database. The only place in scenes with SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import orjson

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store.database import Database, Rows, Statement, Transaction
from dramaturg.kernel.store.transactions import in_sequence, storable_row, write_retrying
from dramaturg.scenes.memories import Aftermath, BondChange, Memory, Past, Shift, Trace, past_of

T = TypeVar("T", bound=Trace)

TRACE = ("character", "scene", "run", "line", "at", "moment")
MEMORY = ("id", *TRACE, "text", "kind", "importance", "about", "quote", "edited")
SHIFT = (*TRACE, "valence", "arousal", "cause")
CHANGE = (*TRACE, "toward", "trust", "affection", "tension", "cause")
TABLES = ("memories", "moods", "bonds")
SHORTEST_ID = 4


def _columns(fields: Sequence[str]) -> str:
    return ", ".join("run_id" if field == "run" else field for field in fields)


def _insert(table: str, fields: Sequence[str]) -> str:
    values = ", ".join(f":{field}" for field in fields)
    return f"INSERT INTO {table} ({_columns(fields)}, forgotten) VALUES ({values}, FALSE) ON CONFLICT DO NOTHING"


def _select(table: str, fields: Sequence[str]) -> str:
    kept = "character = :character AND NOT forgotten"
    return f"SELECT {_columns(fields)} FROM {table} WHERE {kept} ORDER BY at, line, moment"


# Edits and deletions by people persist, however often the run is recorded.
CLEAR = {
    "memories": "DELETE FROM memories WHERE run_id = :run AND NOT forgotten AND NOT edited",
    "moods": "DELETE FROM moods WHERE run_id = :run AND NOT forgotten",
    "bonds": "DELETE FROM bonds WHERE run_id = :run AND NOT forgotten",
}
KNOWN = (
    "SELECT DISTINCT character FROM memories WHERE NOT forgotten UNION SELECT character FROM bonds WHERE NOT forgotten"
)
FIND = """
    SELECT id FROM memories WHERE character = :character AND NOT forgotten
      AND substr(id, 1, CAST(:length AS INTEGER)) = CAST(:prefix AS TEXT) ORDER BY id LIMIT 3
"""
EDIT = "UPDATE memories SET text = :text, edited = TRUE WHERE id = :id"
FORGET = "UPDATE memories SET text = '', quote = '', about = '[]', forgotten = TRUE WHERE id = :id"
RESET = (
    "UPDATE memories SET text = '', quote = '', about = '[]', forgotten = TRUE WHERE character = :character",
    "UPDATE moods SET cause = '', valence = 0, arousal = 0, forgotten = TRUE WHERE character = :character",
    "UPDATE bonds SET cause = '', trust = 0, affection = 0, tension = 0, forgotten = TRUE WHERE character = :character",
)


class MemoryStore:
    """Memories, moods and bonds of a story project, by character (the name of the card)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, left: Aftermath) -> None:
        """Store what a run left, replacing what was stored for it before. A moment counts once across all runs."""
        await write_retrying(self._database, lambda: _record(left), f"The memories of run {left.run}")

    async def past(self, character: str, also: Sequence[Aftermath] = ()) -> Past:
        """Everything a character has kept; empty for an unknown one. `also` is of later runs that are not stored."""
        asked = {"character": character}
        memories = await self._database.read(Statement(_select("memories", MEMORY), asked))
        shifts = await self._database.read(Statement(_select("moods", SHIFT), asked))
        changes = await self._database.read(Statement(_select("bonds", CHANGE), asked))
        kept = Aftermath(
            run="",
            memories=tuple(_memory(row) for row in memories),
            shifts=_traces(Shift, SHIFT, shifts),
            changes=_traces(BondChange, CHANGE, changes),
        )
        return past_of(character, (kept, *also))

    async def characters(self) -> tuple[str, ...]:
        """The characters that have kept something."""
        return tuple(sorted(str(row[0]) for row in await self._database.read(Statement(KNOWN, {}))))

    async def edit(self, character: str, memory: str, text: str) -> Memory:
        """Change the text of a memory, by its id or a prefix of it. The edit survives re-recording."""
        said = " ".join(text.split())
        if not said:
            raise InvalidConfig("A memory cannot be empty; forget it instead.", character=character, memory=memory)
        found = await self._find(character, memory)
        await self._database.write(in_sequence(Statement(EDIT, {"id": found, "text": said})))
        past = await self.past(character)
        return next(one for one in past.memories if one.id == found)

    async def forget(self, character: str, memory: str) -> str:
        """Forget one memory for good; its id is returned and its text deleted."""
        found = await self._find(character, memory)
        await self._database.write(in_sequence(Statement(FORGET, {"id": found})))
        return found

    async def reset(self, character: str) -> None:
        """Forget everything so far: memories, mood and bonds. Runs already recorded do not bring it back."""
        await self._database.write(in_sequence(*(Statement(sql, {"character": character}) for sql in RESET)))

    async def _find(self, character: str, memory: str) -> str:
        wanted = memory.strip().casefold()
        asked = {"character": character, "prefix": wanted, "length": len(wanted)}
        found = await self._database.read(Statement(FIND, asked)) if len(wanted) >= SHORTEST_ID else ()
        if len(found) == 1:
            return str(found[0][0])
        several = f"'{memory}' is the beginning of several memories; give more of it."
        missing = f"{character} has no memory '{memory}'. 'dramaturg character show {character}' lists them."
        raise NotFound(several if found else missing, character=character, memory=memory)


def _record(left: Aftermath) -> Transaction[None]:
    for table in TABLES:
        yield Statement(CLEAR[table], {"run": left.run})
    memories = [{**memory.model_dump(include=set(MEMORY)), **_packed(memory)} for memory in left.memories]
    for table, fields, rows in (
        ("memories", MEMORY, memories),
        ("moods", SHIFT, [shift.model_dump() for shift in left.shifts]),
        ("bonds", CHANGE, [change.model_dump() for change in left.changes]),
    ):
        if rows:
            # Always in the same order, so that concurrent writers cannot deadlock.
            ordered = sorted(rows, key=lambda row: (str(row["moment"]), str(row["character"])))
            yield Statement(_insert(table, fields), [storable_row(row) for row in ordered])


def _packed(memory: Memory) -> dict[str, object]:
    return {"id": memory.id, "about": orjson.dumps(memory.about).decode()}


def _memory(row: Sequence[object]) -> Memory:
    fields = dict(zip(MEMORY, row, strict=True))
    del fields["id"]
    fields["about"] = tuple(orjson.loads(str(fields["about"])))
    return Memory.model_validate(fields)


def _traces(kind: type[T], fields: Sequence[str], rows: Rows) -> tuple[T, ...]:
    return tuple(kind.model_validate(dict(zip(fields, row, strict=True))) for row in rows)
