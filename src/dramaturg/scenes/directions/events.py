"""What an author asked of a scene, as its log has it."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.scenes.directions.direction import Direction
from dramaturg.scenes.director.goals import Goal


class DirectionTaken(Event):
    """The author asked something of the scene. `number` is its place in the run's inbox, `beat` the one played last.

    What comes of it follows in the log. `refused` says why nothing does.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["direction.taken"] = "direction.taken"
    number: int
    beat: int
    author: str = ""
    direction: Direction
    refused: str = Field("", exclude_if=lambda reason: not reason)


class GoalChanged(Event):
    """The scene has other sub-goals from here on; those that it had before keep the words that met them."""

    type: Literal["goal.changed"] = "goal.changed"
    text: str
    goals: tuple[Goal, ...]
