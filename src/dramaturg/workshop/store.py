"""The knowledge base, on either database: current decisions and their history. The only SQL of the workshop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store.database import Database, Rows, Statement, Transaction
from dramaturg.kernel.store.transactions import storable, write_retrying
from dramaturg.workshop.book.decisions import Decision, DecisionMark, NewDecision, key_name

ATTEMPTS = 20
FIELDS = tuple(Decision.model_fields)
COLUMNS = ", ".join(FIELDS)
LAST = "SELECT COALESCE(MAX(id), 0) FROM decisions WHERE book = :book"
HOLDING = f"SELECT {COLUMNS} FROM decisions WHERE book = :book AND retired_at IS NULL ORDER BY id"
HOLDING_FROM = f"SELECT {COLUMNS} FROM decisions WHERE book = :book AND retired_at IS NULL AND id >= :first"
STATES = "SELECT id, decided_at, is_promoted FROM decisions WHERE book = :book AND retired_at IS NULL ORDER BY id"
STAMP = f"""
    SELECT ({LAST}), COALESCE((SELECT SUM(id) FROM decisions WHERE book = :book AND retired_at IS NOT NULL), 0)
"""
HOLDING_KEY = f"SELECT {COLUMNS} FROM decisions WHERE book = :book AND key = :key AND retired_at IS NULL"
HISTORY = f"SELECT {COLUMNS} FROM decisions WHERE book = :book AND key = :key ORDER BY id"
ONE = f"SELECT {COLUMNS} FROM decisions WHERE book = :book AND id = :id"
RETIRE = "UPDATE decisions SET retired_at = :at WHERE book = :book AND key = :key AND retired_at IS NULL"
ADD = f"""
    INSERT INTO decisions (book, {COLUMNS})
    VALUES (:book, {", ".join(f":{field}" for field in FIELDS)})
"""
TAKE_BACK = """
    UPDATE decisions SET retired_at = :at, taken_back = TRUE WHERE book = :book AND id = :id AND retired_at IS NULL
"""
BRING_BACK = """
    UPDATE decisions SET retired_at = NULL WHERE book = :book AND id = (
        SELECT MAX(id) FROM decisions WHERE book = :book AND key = :key AND id < :id AND NOT taken_back
    )
"""
DISOWN = "UPDATE decisions SET taken_back = TRUE WHERE book = :book AND id = :id"
PROMOTE = "UPDATE decisions SET is_promoted = :promoted WHERE book = :book AND id = :id"


class KnowledgeBase:
    """The decisions about one book."""

    def __init__(self, database: Database, book: str) -> None:
        self._database = database
        self._book = book
        self._known: dict[tuple[object, ...], Decision] = {}
        self._stamp = (0, 0)
        self._held: Mapping[DecisionMark, Decision] = {}

    async def decide(self, new: NewDecision, at: float) -> Decision:
        """Saves a decision and retires the previous one under its key; saving the same value again changes nothing."""
        key = key_name(new.key)
        if not key:
            raise InvalidConfig(f"'{new.key}' is not a valid name for a decision; use letters or digits.", key=new.key)
        clean = new.model_copy(update={"key": key, "value": storable(new.value), "source": storable(new.source)})
        return await write_retrying(
            self._database, lambda: _decide(self._book, clean, at), f"The decision '{key}'", attempts=ATTEMPTS
        )

    async def current(self) -> tuple[Decision, ...]:
        """Everything that holds, oldest first. What was read before and has not changed is not read again."""
        states = [tuple(row) for row in await self._database.read(Statement(STATES, {"book": self._book}))]
        new = [state for state in states if state not in self._known]
        if new:
            asked = {"book": self._book, "first": new[0][0]}
            rows = await self._database.read(Statement(HOLDING_FROM, asked))
            self._known |= {_state(one): one for one in _decisions(rows)}
        if not self._known.keys() >= set(states):  # another process has changed one meanwhile
            return _decisions(await self._database.read(Statement(HOLDING, {"book": self._book})))
        self._known = {state: self._known[state] for state in states}
        return tuple(self._known.values())

    async def holding(self) -> Mapping[DecisionMark, Decision]:
        """Everything that holds; what was read before is not read again. Only `current` knows what was promoted since.

        Two states never have the same stamp: the last number, and the sum of the numbers that hold no more. A new
        decision has the next number; and without a new one, the sum only rises, since an older decision is all that
        can come back for another.
        """
        found = await self._database.read(Statement(STAMP, {"book": self._book}))
        last, retired = map(int, found[0])
        known, before = self._held, self._stamp
        if (last, retired) == before:
            return known
        rows = await self._database.read(Statement(HOLDING_FROM, {"book": self._book, "first": before[0] + 1}))
        new = [one for one in _decisions(rows) if one.id <= last]
        if retired != before[1] or len(new) != last - before[0]:  # one was replaced or taken back, or is changing now
            known, new = {}, list(await self.current())
            last = max([last, *(one.id for one in new)])
            retired = last * (last + 1) // 2 - sum(one.id for one in new)
        self._stamp, self._held = (last, retired), {**known, **{one.mark: one for one in new}}
        return self._held

    async def history(self, key: str) -> tuple[Decision, ...]:
        """Every decision ever made under a key, oldest first. Raises NotFound for an unknown key."""
        asked = {"book": self._book, "key": key_name(key)}
        found = _decisions(await self._database.read(Statement(HISTORY, asked)))
        if not found:
            known = ", ".join(one.key for one in (await self.current())[-8:]) or "none yet"
            raise NotFound(f"Nothing was decided under '{key}' (the latest keys: {known}).", key=key)
        return found

    async def take_back(self, decision: int, at: float) -> None:
        """Takes a decision back and restores the previous one. One that was replaced since is never restored."""
        await self._database.write(_take_back(self._book, decision, at))


def _decide(book: str, new: NewDecision, at: float) -> Transaction[Decision]:
    holding = yield Statement(HOLDING_KEY, {"book": book, "key": new.key})
    for held in _decisions(holding):
        if held.model_dump(include=set(NewDecision.model_fields)) == new.model_dump():
            return held
    last = yield Statement(LAST, {"book": book})
    decision = Decision(**new.model_dump(), id=int(last[0][0]) + 1, decided_at=at)
    yield Statement(RETIRE, {"book": book, "key": new.key, "at": at})
    yield Statement(ADD, {"book": book, **decision.model_dump()})
    return decision


def _take_back(book: str, decision: int, at: float) -> Transaction[None]:
    found = _decisions((yield Statement(ONE, {"book": book, "id": decision})))
    if found and found[0].holds:
        yield Statement(TAKE_BACK, {"book": book, "id": decision, "at": at})
        yield Statement(BRING_BACK, {"book": book, "key": found[0].key, "id": decision})
    elif found and not found[0].taken_back:
        yield Statement(DISOWN, {"book": book, "id": decision})


def promotion(book: str, decisions: Iterable[int], promoted: bool) -> Statement:
    """Marks decisions as being in the graph, or no longer; part of the transaction that changes the graph."""
    return Statement(PROMOTE, [{"book": book, "id": one, "promoted": promoted} for one in decisions])


def _decisions(rows: Rows) -> tuple[Decision, ...]:
    return tuple(Decision.model_validate(dict(zip(FIELDS, row, strict=True))) for row in rows)


def _state(one: Decision) -> tuple[object, ...]:
    """What tells one state of a decision that holds from another; its words never change."""
    return (one.id, one.decided_at, one.is_promoted)
