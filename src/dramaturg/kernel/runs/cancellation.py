"""Stopping a run, whichever process plays it."""

from __future__ import annotations

import asyncio

from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.runs.engines.adoption import is_played_here
from dramaturg.kernel.runs.engines.port import Engine
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.store.port import RunRecord

PATIENCE = 5.0
"""How much longer than a lease somebody waits for another process to stop a run."""


async def cancel_run(library: RunLibrary, engine: Engine, run_id: str) -> RunRecord:
    """Stops a run and returns its record; one that is over stays as it is.

    Another process is asked to stop it, and does so within a second. If it has died, the run is taken and stopped as
    soon as its lease is over. Raises RunFenced if it lives and does not stop.
    """
    record = await library.get(run_id)
    if await engine.cancel(record.id):
        return await library.get(record.id)
    loop = asyncio.get_running_loop()
    until = loop.time() + library.leases.seconds + PATIENCE
    while (record := await library.get(record.id)).status == "playing":
        if not library.may_be_held(record) or (library.holds(record) and not is_played_here(record.id)):
            await _stop_abandoned(library, engine, record)
        elif loop.time() > until:
            raise RunFenced(f"Run {record.id} is held by {record.player}, which does not stop it.", run=record.id)
        else:
            await library.ask_to_stop(record)
    return record


async def _stop_abandoned(library: RunLibrary, engine: Engine, record: RunRecord) -> None:
    """Stops a run that nobody plays, as if it had been cancelled before its next step."""
    if not library.can_play(record):
        await library.mark_record(record, "stopped")
        return
    try:
        engine.start(await engine.adopt(record.id))
    except RunFenced:
        return  # somebody else takes it
    await engine.cancel(record.id)
