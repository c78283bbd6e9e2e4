"""Changes that the writer makes to files of the book without the Foreman."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from dramaturg.workshop.book.files import PlannedChange, ProjectFiles
from dramaturg.workshop.events import ActionDone, FileKept
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.turn_context import ForemanPerformance


async def change_files(
    performance: ForemanPerformance, files: ProjectFiles, planned: Sequence[PlannedChange], action: str, said: str
) -> ActionDone:
    """Makes changes as one action of the writer's, which can be undone. What the files held is in the log before."""
    act = f"w{performance.state.seq + 1}"
    await performance.write(*(FileKept.of(act, one) for one in planned))
    made = await asyncio.to_thread(files.put_all, planned)
    done = ActionDone(act=act, turn=0, action=action, outcome=Outcome.of_files(said, made), by="writer")
    await performance.write(done)
    return done
