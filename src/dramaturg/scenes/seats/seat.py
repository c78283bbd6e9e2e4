"""Who holds a seat: a fold over its messages, the same for those who send and for the scene that reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dramaturg.kernel.store import InboxMessage
from dramaturg.scenes.seats.events import SeatAnswered, SeatChange, SeatLeft, SeatTaken
from dramaturg.scenes.seats.message import LeaveSeat, SayWords, TakeSeat, seat_message


@dataclass(frozen=True, slots=True)
class Seat:
    """A part that a person plays. `read` is the last message that was heeded, `holder` is empty while nobody plays.

    `answer` is the last one that was taken. A seat was `left` if somebody played and nobody does now.
    """

    read: int = 0
    holder: str = ""
    left: bool = False
    answer: SeatAnswered | None = None

    def after(self, event: SeatChange) -> Seat:
        seat = replace(self, read=max(self.read, event.number))
        match event:
            case SeatTaken():
                return replace(seat, holder=event.holder, left=False)
            case SeatLeft():
                return replace(seat, holder="", left=True)
            case SeatAnswered():
                return replace(seat, answer=event)

    def forked(self) -> Seat:
        """The seat of a run that goes on from here with an inbox of its own: nobody has come yet."""
        return OPEN_SEAT


OPEN_SEAT = Seat()


def heeded(message: InboxMessage, seat: Seat, *, character: str, beat: int) -> SeatChange | None:
    """What a message leads to; None if it is not heeded: the second to come, or one who holds no seat."""
    sent = seat_message(message)
    if sent is None or message.number <= seat.read:
        return None
    number = message.number
    if isinstance(sent, TakeSeat) and not seat.holder:
        return SeatTaken(number=number, beat=beat, character=character, holder=sent.holder, author=message.author)
    if not seat.holder or sent.holder != seat.holder:
        return None
    match sent:
        case SayWords():
            return SeatAnswered(number=number, beat=beat, character=character, text=sent.text, at=message.at)
        case LeaveSeat():
            return SeatLeft(number=number, beat=beat, character=character)
        case _:
            return None


def seat_after(messages: Iterable[InboxMessage]) -> Seat:
    """The seat once all of these are heeded."""
    seat = OPEN_SEAT
    for message in messages:
        change = heeded(message, seat, character="", beat=0)
        seat = seat if change is None else seat.after(change)
    return seat
