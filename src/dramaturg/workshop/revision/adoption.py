"""What finished enhancements propose, on its way into the book's log: each pass is a set of patches, taken in once."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.workshop.patches.review import ProposedSet
from dramaturg.workshop.revision.enhancement import NAME, Enhancement, source_of
from dramaturg.workshop.sources import BookSources

MOST_LOOKED = 20


async def finished_sets(book: BookSources) -> Sequence[ProposedSet]:
    """The sets of the newest enhancements of a book, oldest first."""
    runs = book.resources.runs
    sets: list[ProposedSet] = []
    for record in reversed(await runs.find(kind=NAME, limit=MOST_LOOKED)):
        if record.name != book.name or record.status != "ended" or not runs.can_play(record):
            continue
        run, kind = await runs.open_with_kind(record.id)
        result = kind.result(run)
        if isinstance(result, Enhancement):
            sets += [
                ProposedSet(f"{record.id}/{one.name}", result.path, source_of(one), one.patches)
                for one in result.passes
                if one.patches
            ]
    return sets
