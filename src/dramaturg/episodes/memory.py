"""What a character keeps of a player, from episode to episode. Frozen values that know nothing of storage."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value

Scope = Literal["character", "series"]
ID_DIGITS = 12
FADED = 0.5
"""What is left of the tension between two when they meet again."""


class MemoryNote(Value):
    """Something worth keeping, with the player's or the character's own words for it."""

    text: str = Field(min_length=1, max_length=500)
    quote: str = Field("", max_length=1000)
    importance: float = Field(0.5, ge=0, le=1)
    scope: Scope = "character"


class RecalledNote(MemoryNote):
    """The same, with the id by which it can be forgotten and where it comes from."""

    id: str
    kind: Literal["memory", "hook"]
    session: str
    message: str
    at: float = 0.0


class BondShift(Value):
    """What one exchange did between the two: by how much trust and tension changed, and the tone it had."""

    tone: str = Field("", max_length=60)
    tension: float = Field(0.0, ge=-1, le=1)
    trust: float = Field(0.0, ge=-1, le=1)
    quote: str = Field("", max_length=1000)


class Relationship(Value):
    """How a character stands to a player."""

    tone: str = "new to each other"
    tension: float = Field(0.0, ge=0, le=1)
    trust: float = Field(0.0, ge=-1, le=1)

    def shifted(self, shift: BondShift) -> Relationship:
        return Relationship(
            tone=shift.tone or self.tone,
            tension=round(min(1.0, max(0.0, self.tension + shift.tension)), 3),
            trust=round(min(1.0, max(-1.0, self.trust + shift.trust)), 3),
        )

    def rested(self) -> Relationship:
        """The same when the two meet again: what was tense has worn off in part."""
        return self.model_copy(update={"tension": round(self.tension * FADED, 3)})


class SessionRecollection(Value):
    """What comes back to a character when a session is opened."""

    memories: tuple[RecalledNote, ...] = ()
    hooks: tuple[RecalledNote, ...] = ()
    relationship: Relationship = Relationship()
    previously: str = Field("", description="what happened in the episode before")

    @property
    def is_empty(self) -> bool:
        return not self.memories and not self.hooks and not self.previously


def kept_id(root: str, message: str, kind: str, place: int) -> str:
    """A moment is kept once, whichever branch of a conversation it is kept from."""
    return sha256(f"{root}/{message}/{kind}/{place}".encode()).hexdigest()[:ID_DIGITS]


def relationship_after(shifts: Iterable[BondShift], start: Relationship | None = None) -> Relationship:
    relationship = start or Relationship()
    for shift in shifts:
        relationship = relationship.shifted(shift)
    return relationship
