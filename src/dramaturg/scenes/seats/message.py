"""What is sent to a seat through the inbox of a run."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from dramaturg.kernel.store import InboxMessage
from dramaturg.kernel.values import WireValue

LONGEST_WORDS = 4_000
SILENT = "[SILENT]"
"""What somebody says who says nothing."""


class TakeSeat(WireValue):
    """Somebody wants to play the part. `holder` is the same whenever they come back."""

    do: Literal["take"] = "take"
    holder: str


class SayWords(WireValue):
    """What the person says or does, as it was typed."""

    do: Literal["say"] = "say"
    holder: str
    text: str = Field(max_length=LONGEST_WORDS)


class LeaveSeat(WireValue):
    """The person plays no more."""

    do: Literal["leave"] = "leave"
    holder: str


SeatMessage: TypeAlias = Annotated[TakeSeat | SayWords | LeaveSeat, Field(discriminator="do")]
SEAT_MESSAGES: TypeAdapter[SeatMessage] = TypeAdapter(SeatMessage)


def seat_topic(character: str) -> str:
    """The topic of a run's inbox for the seat of a character."""
    return f"seat/{character}"


def seat_message(message: InboxMessage) -> SeatMessage | None:
    """What a message to a seat holds; None for one of another version, which is passed over."""
    try:
        read: SeatMessage = SEAT_MESSAGES.validate_json(message.body)
    except ValidationError:
        return None
    return read
