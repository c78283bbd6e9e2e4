"""How a scene is steered at the moment: who is muted, who came and went by hand, whether it waits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from dramaturg.scenes.directions import direction as ask
from dramaturg.scenes.directions.events import DirectionTaken


class Move(NamedTuple):
    """A character is on stage from a beat on, or off it."""

    who: str
    beat: int
    here: bool


@dataclass(frozen=True, slots=True)
class Steering:
    """What the author's directions have changed so far. `taken` is the number of the last one.

    `followed` counts those that change what is played, and `first_goal` is the goal before it was changed.

    A scene that is `pausing` waits after each beat, unless it is `released` for the next. `notes` are for characters
    that have not been asked since; characters are named as their cards are.
    """

    taken: int = 0
    followed: int = 0
    first_goal: str = ""
    pausing: bool = False
    released: bool = False
    ending: bool = False
    next_speaker: str = ""
    muted: frozenset[str] = frozenset()
    moves: tuple[Move, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        """Whether the next beat has to wait."""
        return self.pausing and not self.released and not self.ending

    def is_moved(self, who: str, beat: int) -> bool:
        """Whether a character was sent on or off stage by hand for this beat."""
        return any(move.who == who and move.beat == beat for move in self.moves)

    def after(self, taken: DirectionTaken, beat: int) -> Steering:
        """The steering after a direction; `beat` is the next to be played."""
        steered = replace(self, taken=max(self.taken, taken.number))
        if taken.refused:
            return steered
        if not isinstance(taken.direction, ask.Pause | ask.Step | ask.Go):
            steered = replace(steered, followed=steered.followed + 1)
        change = _CHANGES.get(type(taken.direction))
        return change(steered, taken.direction, beat) if change else steered

    def noted(self, who: Collection[str], text: str) -> Steering:
        """The steering with a note for these characters, after those they have not been given yet."""
        given = {name: " ".join(filter(None, [self.notes.get(name, ""), text])) for name in who}
        return replace(self, notes={**self.notes, **given})

    def played(self, cued: Collection[str]) -> Steering:
        """The steering after a beat at which these were asked."""
        if self is UNSTEERED:
            return self
        kept = {name: text for name, text in self.notes.items() if name not in cued}
        return replace(self, released=False, next_speaker="", notes=kept)

    def forked(self) -> Steering:
        """The steering of a run that goes on from here with an inbox of its own."""
        return replace(self, taken=0, pausing=False, released=False, ending=False)


UNSTEERED = Steering()

_Change = Callable[[Steering, Any, int], Steering]


def _moved(steering: Steering, direction: ask.Entrance | ask.Exit, beat: int, *, here: bool) -> Steering:
    return replace(steering, moves=(*steering.moves, Move(direction.who, beat, here)))


_CHANGES: Mapping[type, _Change] = {
    ask.Pause: lambda now, asked, beat: replace(now, pausing=True, released=False),
    ask.Step: lambda now, asked, beat: replace(now, pausing=True, released=True),
    ask.Go: lambda now, asked, beat: replace(now, pausing=False),
    ask.End: lambda now, asked, beat: replace(now, ending=True),
    ask.NextSpeaker: lambda now, asked, beat: replace(now, next_speaker=asked.who),
    ask.Mute: lambda now, asked, beat: replace(now, muted=now.muted | {asked.who}),
    ask.Unmute: lambda now, asked, beat: replace(now, muted=now.muted - {asked.who}),
    ask.Entrance: partial(_moved, here=True),
    ask.Exit: partial(_moved, here=False),
}
