"""What was known when a prompt was written, as the log has it: what has come and gone since the prompt before.

A log that repeated everything that a prompt leaves out would grow with the square of a conversation. What a prompt
left out is worked out from these changes when somebody asks for its receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256

from pydantic import Field

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.book import NOWHERE, ActiveContext
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.ranked_knowledge import Place

BIBLE, DECISION, SERIES, NEAR = range(4)
_LETTERS = "bdsn"


class KnownChange(Value):
    """What was known for a prompt, as a change since the last one, and which of it the prompt tells.

    An entry is named by where it comes from, its number there, and a digest of it: `d17:…` is decision 17.
    """

    learned: Mapping[str, KnowledgeEntry] = Field(default_factory=dict)
    forgotten: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    untold: int = Field(0, description="how many entries the prompt leaves out")
    active: ActiveContext = Field(NOWHERE, description="what the writer was working on")

    def after(self, before: frozenset[str]) -> frozenset[str]:
        """The names of what is known once this has happened."""
        kept = before.difference(self.forgotten) if self.forgotten else before
        return kept.union(self.learned) if self.learned else kept


def name_of(place: Place, entry: KnowledgeEntry) -> str:
    return f"{_LETTERS[place[0]]}{place[1]}:{digest_of(entry)}"


def place_of(name: str) -> Place:
    return _LETTERS.index(name[0]), int(name[1:].partition(":")[0])


def digest_of(one: KnowledgeEntry) -> str:
    """A digest of what an entry says; its number in the graph is no part of it."""
    return _digest(
        one.category,
        one.key,
        one.value,
        one.kind,
        one.source,
        one.decision,
        one.at,
        one.is_core,
        one.distance,
        one.book,
    )


@lru_cache(maxsize=8192)
def _digest(*parts: object) -> str:
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
