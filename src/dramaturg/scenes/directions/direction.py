"""What an author can ask of a scene that is being played."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter

from dramaturg.kernel.text.control import plain
from dramaturg.kernel.values import WireValue

TOPIC = "directions"
"""The topic of a run's inbox that directions are sent to."""
MOST_MORE = 200


def _one_line(value: object) -> object:
    return " ".join(plain(value).split()) if isinstance(value, str) else value


def _plain(value: object) -> object:
    return plain(value).strip() if isinstance(value, str) else value


OneLine: TypeAlias = Annotated[str, BeforeValidator(_one_line), Field(min_length=1, max_length=500)]
Name: TypeAlias = Annotated[str, BeforeValidator(_one_line), Field(min_length=1, max_length=120)]
MaybeLine: TypeAlias = Annotated[str, BeforeValidator(_one_line), Field(max_length=500)]


class Happening(WireValue):
    """Something happens in the world, and everybody on stage notices it."""

    do: Literal["event"] = "event"
    text: OneLine


class Note(WireValue):
    """A note that one character, or everybody, is given with the next cue; nobody hears it."""

    do: Literal["note"] = "note"
    to: Annotated[str, BeforeValidator(_one_line), Field(max_length=120)] = Field(
        "", description="a name of the cast; empty for everybody"
    )
    text: OneLine


class NextSpeaker(WireValue):
    """Only this character is asked at the next beat."""

    do: Literal["next"] = "next"
    who: Name


class Mute(WireValue):
    """This character is not asked any more; it stays on stage and hears."""

    do: Literal["mute"] = "mute"
    who: Name


class Unmute(WireValue):
    """This character is asked again."""

    do: Literal["unmute"] = "unmute"
    who: Name


class Entrance(WireValue):
    """A character of the cast comes on stage. `text` says how; without it, that it enters."""

    do: Literal["enter"] = "enter"
    who: Name
    text: MaybeLine = ""


class Exit(WireValue):
    """A character leaves the stage. `text` says how; without it, that it leaves."""

    do: Literal["exit"] = "exit"
    who: Name
    text: MaybeLine = ""


class Pause(WireValue):
    """From now on the scene waits after each beat."""

    do: Literal["pause"] = "pause"


class Step(WireValue):
    """A scene that waits plays one more beat, and waits again."""

    do: Literal["step"] = "step"


class Go(WireValue):
    """The scene plays on without waiting."""

    do: Literal["go"] = "go"


class MoreBeats(WireValue):
    """The scene may be so many beats longer."""

    do: Literal["more"] = "more"
    beats: int = Field(ge=1, le=MOST_MORE)


class End(WireValue):
    """The scene ends after the beat that is being played."""

    do: Literal["end"] = "end"


class RaiseBudget(WireValue):
    """What the run may spend from here on, all that it has spent included."""

    do: Literal["budget"] = "budget"
    usd: float | None = Field(None, gt=0, allow_inf_nan=False)
    tokens: int | None = Field(None, ge=1, le=2**53)


class ChangeGoal(WireValue):
    """What the scene is to reach from here on; sub-goals that stay keep the words that met them."""

    do: Literal["goal"] = "goal"
    text: Annotated[str, BeforeValidator(_plain), Field(min_length=1, max_length=4000)]


Direction: TypeAlias = Annotated[
    Happening
    | Note
    | NextSpeaker
    | Mute
    | Unmute
    | Entrance
    | Exit
    | Pause
    | Step
    | Go
    | MoreBeats
    | End
    | RaiseBudget
    | ChangeGoal,
    Field(discriminator="do"),
]
DIRECTIONS: TypeAdapter[Direction] = TypeAdapter(Direction)
