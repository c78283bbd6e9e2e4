"""What finished works propose, on its way into the book's log: each pass, each retcon is a set, taken in once."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.workshop.patches.review import ProposedSet
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.work import WorkResult

PROPOSING = ("enhancement", "retcon")
"""The works whose results propose patches."""
MOST_LOOKED = 20


async def finished_sets(book: BookSources) -> Sequence[ProposedSet]:
    """The sets of the newest works of a book that propose patches, oldest first."""
    runs = book.resources.runs
    records = [record for name in PROPOSING for record in await runs.find(kind=name, limit=MOST_LOOKED)]
    sets: list[ProposedSet] = []
    for record in sorted(records, key=lambda one: (one.created_at, one.id)):
        if record.name != book.name or record.status != "ended" or not runs.can_play(record):
            continue
        run, kind = await runs.open_with_kind(record.id)
        result = kind.result(run)
        if isinstance(result, WorkResult):
            sets += result.proposed_sets(record.id)
    return sets
