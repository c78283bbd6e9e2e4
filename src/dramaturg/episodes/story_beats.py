"""The five steps of a story, and which one a talk has reached by its length alone."""

from __future__ import annotations

from enum import StrEnum

NOMINAL_TURNS = 12
"""The assumed length of a talk if none is given."""
_BEGINS_AT = (0.0, 0.25, 0.5, 0.75, 0.9)


class StoryBeat(StrEnum):
    """A named step of the drama, in order."""

    ESTABLISHMENT = "establishment"
    COMPLICATION = "complication"
    ESCALATION = "escalation"
    PIVOT = "pivot"
    RESOLUTION = "resolution"

    @property
    def place(self) -> int:
        """The position, 0 for the first."""
        return _ORDER.index(self)

    @classmethod
    def at(cls, place: int) -> StoryBeat:
        """The beat at a position; the last one beyond the end."""
        return _ORDER[min(max(place, 0), len(_ORDER) - 1)]

    def before(self) -> tuple[StoryBeat, ...]:
        return _ORDER[: self.place]


_ORDER = tuple(StoryBeat)


def beat_by_turn(turn: int, budget: int | None, stretch: float = 1.0) -> StoryBeat:
    """The beat that a turn belongs to by its position: a quarter each, and the last tenth for the resolution.

    Without a budget a talk of twelve turns is assumed. `stretch` above 1 lets the beats come later.
    """
    whole = (budget if budget and budget > 0 else NOMINAL_TURNS) * max(stretch, 0.01)
    progress = max(turn, 0) / whole
    return StoryBeat.at(sum(progress >= begin for begin in _BEGINS_AT) - 1)
