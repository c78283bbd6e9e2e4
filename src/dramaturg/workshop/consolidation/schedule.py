"""Consolidation without being asked each time: regularly, and after a scene was saved, if the settings say so."""

from __future__ import annotations

import logging
from contextlib import suppress

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import DramaturgError, RunFenced
from dramaturg.workshop.book.manuscript import FOLDER
from dramaturg.workshop.consolidation.work import NAME, WORK, ConsolidationRequest
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import Consultation
from dramaturg.workshop.works.front import BookWorks

_log = logging.getLogger(__name__)


async def consolidate_regularly(book: BookSources, works: BookWorks, clock: Clock) -> None:
    """Starts a consolidation every so many minutes if something waits; returns at once if the settings want none."""
    minutes = book.resources.settings.workshop.consolidate_minutes
    while minutes and NAME in works.names:
        await clock.sleep(60.0 * minutes)
        try:
            await consolidate_waiting(book, works)
        except DramaturgError as error:
            _log.warning("The scheduled consolidation did not start: %s", error.message)


async def consolidate_waiting(book: BookSources, works: BookWorks, *, act: str = "") -> str | None:
    """Starts a consolidation unless nothing waits, or one is under way; returns its run."""
    if any(one.work == NAME and one.status == "playing" for one in await works.rows()):
        return None
    plan = await WORK.plan(book, ConsolidationRequest())
    waiting = [one for one in await book.knowledge.current() if not one.is_promoted and one.kind == "fact"]
    if not plan.cells and not waiting:
        return None
    with suppress(RunFenced):
        return (await works.start(NAME, ConsolidationRequest(), act=act)).id
    return None


async def after_turn(book: BookSources, works: BookWorks, turn: Consultation) -> None:
    """Reads a scene that was saved in a turn, if the settings want it."""
    if not book.resources.settings.workshop.consolidate_after_scene or NAME not in works.names:
        return
    if any(change.path.startswith(f"{FOLDER}/") for one in turn.done for change in one.outcome.files):
        with suppress(DramaturgError):
            await consolidate_waiting(book, works, act=f"scene-{turn.spoke.turn}")
