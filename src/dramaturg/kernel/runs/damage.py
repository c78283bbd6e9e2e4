"""A log with an entry that cannot be read: which one, why, and everything before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import orjson
from pydantic import JsonValue, TypeAdapter, ValidationError

from dramaturg.kernel.errors import StoreBlocked, StoreUnavailable
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.runs.events import Audience, Entry, Event
from dramaturg.kernel.store.port import Journal, Row
from dramaturg.kernel.text.escape import cleaned, one_line
from dramaturg.kernel.values import Value


class UnknownEvent(Event):
    """What this version does not know: a newer one wrote it. Such a run is shown, and played by that version only."""

    type: str
    unknown: Literal[True] = True
    body: Mapping[str, JsonValue]


class HiddenUnknownEvent(UnknownEvent):
    audience: ClassVar[Audience] = "hidden"


class Damage(Value):
    """The first entry of a log that cannot be read. What precedes it is intact."""

    run: str
    seq: int
    what: str
    type: str = ""

    @property
    def message(self) -> str:
        way_out = f"fork the run at entry {self.seq - 1} to play on from there" if self.seq > 1 else "restore a backup"
        type_ = f" ('{self.type}')" if self.type else ""
        return (
            f"Entry {self.seq} of run {self.run}{type_} cannot be read: {self.what}. "
            f"Another version of dramaturg wrote it, or it is damaged; upgrade, or {way_out}."
        )

    def error(self) -> StoreUnavailable:
        """For those who need the whole log."""
        return StoreUnavailable(self.message, run=self.run, seq=self.seq)


def unopened(what: str) -> StoreUnavailable:
    """The error for a log that does not tell what is played: its beginning is lost, or from a newer version."""
    return StoreUnavailable(
        f"The log of this {what} does not tell what is played: its first entries are missing, or a newer dramaturg "
        "wrote them. Restore a backup, or upgrade dramaturg."
    )


async def read_rows(journal: Journal, run_id: str, limit: int | None = None) -> tuple[list[Row], Damage | None]:
    """The rows of a log; where the database is damaged, those that can still be read, and what cannot."""
    try:
        return await journal.read(run_id, limit=limit), None
    except StoreBlocked:
        raise
    except StoreUnavailable as error:
        first = error
    rows: list[Row] = []
    while limit is None or len(rows) < limit:
        try:
            following = await journal.read(run_id, len(rows), 1)
        except StoreUnavailable as error:
            return rows, Damage(run=run_id, seq=len(rows) + 1, what=error.message.rstrip("."))
        if not following:
            break
        rows += following
    if not rows:
        raise first
    return rows, None


def read_entries(
    run_id: str, rows: Iterable[Row], events: TypeAdapter[Any], after: int = 0
) -> tuple[list[Entry[Any]], Damage | None]:
    """The entries that follow number `after`, up to the first that is damaged, and that damage."""
    entries: list[Entry[Any]] = []
    for row in rows:
        expected = after + len(entries) + 1
        if row.seq != expected:
            return entries, Damage(run=run_id, seq=expected, what=f"it is missing; number {row.seq} follows")
        found = read_entry(run_id, row, events)
        if isinstance(found, Damage):
            return entries, found
        entries.append(found)
    return entries, None


def check_known(run_id: str, entries: Iterable[Entry[Any]]) -> None:
    """Raises StoreUnavailable if a log has entries of a newer version: this one cannot play it on."""
    for entry in entries:
        if isinstance(entry.event, UnknownEvent):
            raise StoreUnavailable(
                f"Entry {entry.seq} of run {run_id} ('{_shown(entry.event.type)}') was written by a newer dramaturg, "
                "which plays it on. Here it can be read, but not played or forked from there.",
                run=run_id,
                seq=entry.seq,
            )


def read_entry(run_id: str, row: Row, events: TypeAdapter[Any]) -> Entry[Any] | Damage:
    """One entry of a log, or what is wrong with it."""
    try:
        entry = Entry[Any](seq=row.seq, at=row.at, event=events.validate_json(row.body))
    except ValidationError as error:
        if all(one["type"] in ("union_tag_invalid", "extra_forbidden") for one in error.errors()):
            kind, body = HiddenUnknownEvent if row.hidden else UnknownEvent, _loaded(row.body)
            if isinstance(body, dict) and body.get("type") == row.type:
                return Entry[Any](seq=row.seq, at=row.at, event=kind(type=row.type, body=body))
        what = first_problem(error, _loaded(row.body))
        return Damage(run=run_id, seq=row.seq, type=_shown(row.type), what=_shown(what))
    if entry.event.type != row.type:
        what = f"it holds '{entry.event.type}'"
        return Damage(run=run_id, seq=row.seq, type=_shown(row.type), what=what)
    return entry


def _loaded(body: str | bytes) -> object:
    try:
        return orjson.loads(body)
    except ValueError:
        return None


def _shown(text: str) -> str:
    """Damaged text as far as it can be shown."""
    return one_line(cleaned(text.encode("utf-8", "replace").decode()))
