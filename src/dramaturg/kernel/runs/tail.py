"""The end of a log, read once for all who follow a run in this process."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from dramaturg.kernel.runs.damage import Damage, read_entries
from dramaturg.kernel.runs.events import Audience, Entry
from dramaturg.kernel.store.notices import Signal
from dramaturg.kernel.store.port import Journal

PAGE = 500


class Tail(NamedTuple):
    """What an audience sees of a log above a number, up to its entry `last`, and how the run stood then.

    `status` is empty for a run that is gone. If it `goes_on`, the log had more.
    """

    entries: list[Entry[Any]]
    last: int
    status: str
    goes_on: bool
    damage: Damage | None = None


async def shared_tail(
    journal: Journal, run_id: str, signal: Signal, events: TypeAdapter[Any], after: int, audience: Audience
) -> Tail:
    """A look at the log; the same look serves all who wait for the same signal."""
    key = (after, audience)
    look = signal.looks.get(key)
    if look is None:
        look = signal.looks[key] = asyncio.ensure_future(_read(journal, run_id, signal, events, after, audience))
        look.add_done_callback(lambda done: _settle(signal, key, done))
    tail: Tail = await asyncio.shield(look)
    return tail


async def _read(
    journal: Journal, run_id: str, signal: Signal, events: TypeAdapter[Any], after: int, audience: Audience
) -> Tail:
    found = await journal.look(run_id, after, PAGE)
    signal.standing = (found.last, found.status)
    shown: list[Entry[Any]] = []
    for row in found.rows:
        # What is hidden is not even read for the public.
        wanted = () if row.hidden and audience == "public" and row.seq == after + 1 else (row,)
        entries, damage = read_entries(run_id, wanted, events, after)
        if damage is not None:
            return Tail(shown, after, found.status, False, damage)
        after = row.seq
        shown += [entry for entry in entries if audience in ("hidden", entry.event.audience)]
    return Tail(shown, after, found.status, len(found.rows) == PAGE)


def _settle(signal: Signal, key: object, look: asyncio.Future[Tail]) -> None:
    """Whoever comes later looks anew after a failure, and does not find pages that lie behind."""
    if look.cancelled() or look.exception() is not None or look.result().goes_on:
        signal.looks.pop(key, None)
