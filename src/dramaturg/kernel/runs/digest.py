"""Runs as a list shows them, one row each, from the few entries of their logs that say it.

The logs are not read as a whole and no capability is imported: what its runs are about is told by a `DigestReader`
of its own, which knows its events only as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from pydantic import TypeAdapter

from dramaturg.kernel.errors import StoreBlocked, StoreUnavailable
from dramaturg.kernel.runs.damage import Damage, read_entry
from dramaturg.kernel.runs.events import Entry, ModelAnswered
from dramaturg.kernel.store.port import Journal, Row, RunRecord, Store

_ANSWERED, _FORKED, _STOPPED, _ADOPTED = "model.answered", "run.forked", "run.stopped", "run.adopted"
_KERNEL_TYPES = (_ANSWERED, _FORKED, _STOPPED, _ADOPTED)
_ANSWERS = TypeAdapter(ModelAnswered)
PICKED = "picked"
"""The key, beside the log of a run, that marks a favourite."""


class LoggedEvent(NamedTuple):
    """An event as it is stored."""

    type: str
    body: Mapping[str, Any]


class RunFacts(NamedTuple):
    """What a capability tells about its run: what is to be reached, how it ended, its length, who plays.

    An empty text or None is what the log does not tell. `folder` is where its files are, below the data folder.
    """

    goal: str = ""
    goal_achieved: bool | None = None
    reason: str = ""
    beats: int | None = None
    models: tuple[str, ...] = ()
    forked_at_beat: int | None = None
    folder: str = ""


class DigestReader(NamedTuple):
    """The types of event that a kind of run is told by, and how they are read."""

    types: tuple[str, ...]
    read: Callable[[Sequence[LoggedEvent]], RunFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDigest:
    """A run in one row. `tokens` and `usd` are what it paid for itself; `usd` is null where a price is unknown.

    A dataclass, not a model: a list of runs is printed in less time than it takes to build one. `models` are those
    that play; `takes` is the batch it was played in, `take` its number there.
    """

    id: str
    kind: str
    name: str
    status: str
    created_at: float
    updated_at: float
    seed: int
    parent_id: str | None
    forked_at: int | None
    adoptions: int
    goal: str = ""
    goal_achieved: bool | None = None
    reason: str = ""
    beats: int | None = None
    models: tuple[str, ...] = ()
    forked_at_beat: int | None = None
    folder: str = ""
    tokens: int = 0
    usd: float | None = 0.0
    picked: bool = False
    takes: str = ""
    take: int | None = None


class RunDigests:
    """The runs of a store as lists show them, and which of them are favourites."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, records: Sequence[RunRecord], readers: Mapping[str, DigestReader]) -> list[RunDigest]:
        """The runs of these records, in their order. A log that cannot be read leaves its run without its facts."""
        types = {*_KERNEL_TYPES, *(type_ for reader in readers.values() for type_ in reader.types)}
        rows = await self._select(records, types)
        return [_digest(record, _logged(rows.get(record.id, ())), readers.get(record.kind)) for record in records]

    async def paid(self, records: Sequence[RunRecord]) -> dict[str, list[Entry[ModelAnswered]]]:
        """The answers that each of these runs has paid for itself; those that cannot be read are left out."""
        rows = await self._select(records, {_ANSWERED, _FORKED})
        return {record.id: _own_answers(record.id, rows.get(record.id, ())) for record in records}

    async def _select(self, records: Sequence[RunRecord], types: set[str]) -> Mapping[str, Sequence[Row]]:
        journal = self._store.journal
        try:
            return await journal.select([record.id for record in records], types)
        except StoreBlocked:
            raise
        except StoreUnavailable:
            return {record.id: await _readable(journal, record.id, types) for record in records}

    async def pick(self, record: RunRecord, *, picked: bool) -> None:
        """Mark a run as a favourite, or no longer; its log stays as it is."""
        await self._store.runs.annotate(record.id, _picked(record) if picked else unpicked(record))


async def _readable(journal: Journal, run_id: str, types: set[str]) -> list[Row]:
    """The rows of one run; none if the database is damaged there."""
    try:
        return (await journal.select([run_id], types))[run_id]
    except StoreBlocked:
        raise
    except StoreUnavailable:
        return []


def _own_answers(run_id: str, rows: Sequence[Row]) -> list[Entry[ModelAnswered]]:
    own = rows[max((place for place, row in enumerate(rows) if row.type == _FORKED), default=-1) + 1 :]
    read = (read_entry(run_id, row, _ANSWERS) for row in own)
    return [entry for entry in read if not isinstance(entry, Damage) and isinstance(entry.event, ModelAnswered)]


def about(record: RunRecord) -> dict[str, Any]:
    """What is kept beside the log of a run."""
    found = _json(record.config.encode("utf-8", "replace"))
    return dict(found) if found is not None else {}


def _picked(record: RunRecord) -> str:
    """The same as text, with the mark of a favourite."""
    return orjson.dumps({**about(record), PICKED: True}).decode()


def unpicked(record: RunRecord) -> str:
    """The same as text, without it."""
    beside = about(record)
    return orjson.dumps({key: value for key, value in beside.items() if key != PICKED}).decode() if beside else "{}"


def _digest(record: RunRecord, events: Sequence[LoggedEvent], reader: DigestReader | None) -> RunDigest:
    beside = about(record)
    facts = _facts(events, reader)
    own = events[max((place for place, one in enumerate(events) if one.type == _FORKED), default=0) :]
    answers = [_part(one.body, "answer") for one in own if one.type == _ANSWERED]
    prices = [answer.get("cost_usd") for answer in answers]
    known = [price for price in prices if isinstance(price, int | float)]
    take = beside.get("take")
    return RunDigest(
        id=record.id,
        kind=record.kind,
        name=record.name,
        status=record.status,
        created_at=record.created_at,
        updated_at=record.updated_at,
        seed=record.seed,
        parent_id=record.parent_id,
        forked_at=record.forked_at,
        adoptions=record.adoptions,
        goal=facts.goal,
        goal_achieved=facts.goal_achieved,
        reason=facts.reason or _stop(events, record),
        beats=facts.beats,
        models=facts.models or tuple(dict.fromkeys(str(answer.get("model", "")) for answer in answers)),
        forked_at_beat=facts.forked_at_beat,
        folder=facts.folder,
        tokens=sum(_count(answer, "input_tokens") + _count(answer, "output_tokens") for answer in answers),
        usd=round(sum(known), 6) if len(known) == len(prices) else None,
        picked=beside.get(PICKED) is True,
        takes=str(beside.get("takes", "")),
        take=take if isinstance(take, int) else None,
    )


def _facts(events: Sequence[LoggedEvent], reader: DigestReader | None) -> RunFacts:
    try:
        return reader.read(events) if reader is not None else RunFacts()
    except (LookupError, TypeError, AttributeError, ValueError):
        # Events of another version: the run is listed with what its record says.
        return RunFacts()


def _stop(events: Sequence[LoggedEvent], record: RunRecord) -> str:
    """Why a run that has no end of its own stopped, if it did."""
    last = next((one for one in reversed(events) if one.type in (_STOPPED, _ADOPTED)), None)
    if record.status in ("playing", "ended") or last is None or last.type != _STOPPED:
        return ""
    return str(last.body.get("code", "")).lower() or str(last.body.get("reason", ""))


def _logged(rows: Sequence[Row]) -> list[LoggedEvent]:
    return [LoggedEvent(row.type, body) for row in rows if (body := _json(row.body)) is not None]


def _json(text: bytes) -> Mapping[str, Any] | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _part(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = body.get(key)
    return found if isinstance(found, dict) else {}


def _count(answer: Mapping[str, Any], key: str) -> int:
    found = _part(answer, "usage").get(key)
    return found if isinstance(found, int) else 0
