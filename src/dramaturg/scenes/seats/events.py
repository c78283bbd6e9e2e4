"""What happened at a seat, as the log of the scene has it. `number` is the place of the message in the run's inbox."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from dramaturg.kernel.runs.events import Audience, Event


class SeatTaken(Event):
    """A person plays the part from here on; `holder` is how the seat knows them again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["seat.taken"] = "seat.taken"
    number: int
    beat: int
    character: str
    holder: str
    author: str = ""


class SeatLeft(Event):
    """The person who played the part has left."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["seat.left"] = "seat.left"
    number: int
    beat: int
    character: str


class SeatAnswered(Event):
    """The person answered the cue of a beat. `text` is what they typed, `at` when."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["seat.answered"] = "seat.answered"
    number: int
    beat: int
    character: str
    text: str
    at: float


SeatChange: TypeAlias = SeatTaken | SeatLeft | SeatAnswered
