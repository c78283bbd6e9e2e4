"""The cast of a scene as the company's actors read their cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from dramaturg.kernel.models.rehearsal.portrait import Portrait, portrait_of
from dramaturg.scenes.rehearsal.playbook import Playbook


@lru_cache(maxsize=256)
def portraits_of(book: Playbook) -> Mapping[str, Portrait]:
    """The portrait of every member of the cast, by name. A line that somebody remembers is not said again."""
    names = tuple(part.name for part in book.cast)
    remembered = "\n".join(line for part in book.cast for line in part.memories)
    return {part.name: portrait_of(part, names, remembered) for part in book.cast}
