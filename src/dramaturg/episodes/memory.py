"""What a character remembers of a player from episode to episode. Frozen values that know nothing of storage."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from operator import not_
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value

Scope = Literal["character", "series"]
ID_DIGITS = 12
FADED = 0.5
"""The share of the tension that remains when the two meet again."""


class MemoryNote(Value):
    """A memory worth keeping, with the player's or the character's own words."""

    text: str = Field(min_length=1, max_length=500)
    quote: str = Field("", max_length=1000)
    importance: float = Field(0.5, ge=0, le=1)
    scope: Scope = "character"


class RecalledNote(MemoryNote):
    """A stored note, with the id by which it can be forgotten and where it comes from."""

    id: str
    kind: Literal["memory", "hook"]
    session: str
    message: str
    at: float = 0.0


class BondShift(Value):
    """What one exchange did to a relationship: the changes in trust and tension, and its tone."""

    tone: str = Field("", max_length=60)
    tension: float = Field(0.0, ge=-1, le=1)
    trust: float = Field(0.0, ge=-1, le=1)
    quote: str = Field("", max_length=1000)


class Relationship(Value):
    """A character's relationship to a player."""

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
        """The relationship when the two meet again: some of the tension has worn off."""
        return self.model_copy(update={"tension": round(self.tension * FADED, 3)})


class CarriedClue(Value):
    """A clue that came out in an earlier episode of the series, and the words that showed it."""

    id: str
    quote: str = ""
    episode: str = Field("", description="the title of the episode it came out in")


class SessionRecollection(Value):
    """What a character remembers when a session opens."""

    memories: tuple[RecalledNote, ...] = ()
    hooks: tuple[RecalledNote, ...] = ()
    relationship: Relationship = Relationship()
    previously: str = Field("", description="what happened in the earlier episodes")
    clues: tuple[CarriedClue, ...] = Field((), exclude_if=not_)

    @property
    def is_empty(self) -> bool:
        return not self.memories and not self.hooks and not self.previously and not self.clues


def kept_id(root: str, message: str, kind: str, place: int) -> str:
    """The id of a note: a moment is kept only once, whichever branch of a conversation it comes from."""
    return sha256(f"{root}/{message}/{kind}/{place}".encode()).hexdigest()[:ID_DIGITS]


def relationship_after(shifts: Iterable[BondShift], start: Relationship | None = None) -> Relationship:
    relationship = start or Relationship()
    for shift in shifts:
        relationship = relationship.shifted(shift)
    return relationship
