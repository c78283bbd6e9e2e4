"""Taking a run over from another process: when it may be had, how that is logged, and when it is given up."""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakSet

from dramaturg.kernel.runs.engines.port import Engine
from dramaturg.kernel.runs.events import RunAdopted, RunReleased, RunStopped
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.store.port import RunRecord

MOST_ADOPTIONS = 3
"""A run that brought down that many processes without a new answer in its log is not taken up again by itself."""
REST_SECONDS = 3.0
"""How long a command waits for another process that is at a turn of the run."""
_FIRST_LOOK_SECONDS, _LAST_LOOK_SECONDS = 0.02, 0.25


ENGINES: WeakSet[Engine] = WeakSet()
"""The engines of this process: one for each of its studios."""


def is_played_here(run_id: str) -> bool:
    """Whether a task of this process plays a run, in whichever of its studios."""
    return any(one.is_playing(run_id) for one in list(ENGINES))


async def at_rest(library: RunLibrary, run_id: str) -> RunRecord:
    """A run's record, once no other process plays a turn of it or a moment has passed.

    The end of a turn is in the log, and shown, before its process lets go of the run.
    """
    loop, pause = asyncio.get_running_loop(), _FIRST_LOOK_SECONDS
    until = loop.time() + REST_SECONDS
    while True:
        record = await library.get(run_id)
        played = library.is_held_elsewhere(record) or (library.holds(record) and is_played_here(record.id))
        in_a_turn = played and library.kind_of(record).rests
        if not in_a_turn or loop.time() > until:
            return record
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LAST_LOOK_SECONDS)


async def take_over(library: RunLibrary, record: RunRecord) -> Run[Any]:
    # In the log before its state is folded, in case that is what brings down the process.
    return await library.adopt(record, RunAdopted(player=str(library.holder)))


def adoptions_without_progress(run: Run[Any]) -> int:
    """How often the run was taken up since it last got further, or was stopped, other than after an orderly end."""
    adoptions, released = 0, False
    for entry in run.entries:
        if entry.event.is_progress:
            adoptions, released = 0, False
        elif isinstance(entry.event, RunAdopted):
            adoptions, released = adoptions + (not released), False
        else:
            released = released or isinstance(entry.event, RunReleased)
    return adoptions


def gave_up(run: Run[Any]) -> RunStopped:
    return RunStopped(
        reason=f"Its process died {adoptions_without_progress(run)} times without a new answer; "
        "resume it by hand if it should go on.",
        code="GAVE_UP",
    )
