"""The health of a book as it came in: a report without a model."""

from __future__ import annotations

from contextlib import suppress

from dramaturg.kernel.errors import RunFenced
from dramaturg.workshop.health.archive import HEALTH
from dramaturg.workshop.works.front import BookWorks


async def first_report(works: BookWorks) -> tuple[str, ...]:
    """Checks the book, and what there is to tell; nothing while somebody checks it already."""
    with suppress(RunFenced):
        run = await works.start(HEALTH, works.read(HEALTH, {}))
        await works.wait(run.id)
        return ((await works.detail(run.id)).said,)
    return ()
