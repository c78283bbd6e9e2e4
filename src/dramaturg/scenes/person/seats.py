"""The seats of scenes: taken, answered from, followed and left, from any process."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Literal, NamedTuple

from dramaturg.characters import Card
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.text.control import plain
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.author.names import called, member_called
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.person.shown import SeatEvent, SeatShown
from dramaturg.scenes.scene import PartSheet, PersonsPart, SceneConfig
from dramaturg.scenes.seats.events import SeatLeft
from dramaturg.scenes.seats.message import (
    LONGEST_WORDS,
    LeaveSeat,
    SayWords,
    SeatMessage,
    TakeSeat,
    seat_message,
    seat_topic,
)
from dramaturg.scenes.seats.seat import Seat, seat_after
from dramaturg.scenes.state import SceneState, scene_state


class SeatStatus(WireValue):
    """A person's part: whether somebody plays it, and who does while nobody does."""

    part: str
    name: str
    taken: bool
    otherwise: Literal["silence", "model"]
    waits: bool


class SentAnswer(WireValue):
    """An answer that is stored: it is taken at the character's next turn, in the order in which they were sent."""

    number: int
    waiting: int


class NumberedEvent(NamedTuple):
    """An event that a person is shown, and its place in all of them."""

    number: int
    event: SeatEvent


class Seats:
    """The seats of all runs of scenes. A seat belongs to whoever took it first, until they leave."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def of(self, run: SceneRun) -> tuple[SeatStatus, ...]:
        """The parts of a run that people play."""
        state = scene_state(run.entries)
        found = []
        for member in state.cast:
            sheet = state.scene.sheet(member.name)
            if sheet.by_person:
                seat = await self.seat(run.id, member.name)
                found.append(_status(member.name, member.display_name, sheet, seat))
        return tuple(found)

    async def seat(self, run_id: str, part: str) -> Seat:
        """A seat as it will be once everything that was sent is read."""
        return seat_after(await self._resources.runs.inboxes.read(run_id, seat_topic(part)))

    async def take(self, run: SceneRun, name: str, *, holder: str = "", author: str = "") -> tuple[str, str]:
        """Take the seat of a character, named as people name it: the name of its card, and the holder of the seat.

        A holder who comes back has the seat still. Raises AlreadyUsed if somebody else holds it, and InvalidConfig for
        a run that has ended, a name that is no part and a part that no person plays.
        """
        state = scene_state(run.entries)
        part = open_part(name, state)
        if state.ended is not None or run.record.status == "ended":
            raise InvalidConfig(f"Run {run.id} has ended; fork it to play on.", run=run.id)
        holder = holder or secrets.token_hex(8)
        if (await self.seat(run.id, part)).holder != holder:
            await self._send(run, part, TakeSeat(holder=holder), author=author)
        if (await self.seat(run.id, part)).holder != holder:
            shown = state.member(part).display_name
            raise AlreadyUsed(f"Somebody plays {shown} already. The seat is free once they leave.", part=part)
        return part, holder

    async def say(
        self, run: SceneRun, part: str, holder: str, text: str, *, author: str = "", key: str = "", most: int = 0
    ) -> SentAnswer:
        """Store what the holder of a seat says; it is spoken at the character's next turn.

        Raises InvalidConfig for no words or too many, NotFound for somebody who does not hold the seat. With `most`,
        only so many may wait.
        """
        words = plain(text).strip()
        if not words or len(words) > LONGEST_WORDS:
            raise InvalidConfig(f"An answer has 1 to {LONGEST_WORDS} characters; [SILENT] says nothing.")
        await self.check_holder(run.id, part, holder)
        before = await self._waiting(run, part)
        if most and len(before) >= most and not (key and _key(part, key) in before):
            raise InvalidConfig(f"{most} answers wait to be spoken already. Wait for your turn.", waiting=most)
        number = await self._send(run, part, SayWords(holder=holder, text=words), author=author, key=key)
        return SentAnswer(number=number, waiting=len(before))

    async def leave(self, run: SceneRun, part: str, holder: str = "", *, author: str = "") -> None:
        """Give up a seat, also of a run that has ended; without a holder, whoever holds it loses it.

        Nothing happens if nobody does.
        """
        held = (await self.seat(run.id, part)).holder
        if held and (not holder or holder == held):
            await self._send(run, part, LeaveSeat(holder=held), author=author)

    async def check_holder(self, run_id: str, part: str, holder: str) -> None:
        """Raises NotFound if somebody does not hold a seat, or no longer."""
        if not holder or (await self.seat(run_id, part)).holder != holder:
            raise NotFound("This seat is not yours, or no longer. Ask the author for a new one.", part=part)

    def part_of(self, run: SceneRun, name: str) -> str:
        """The card of a part that a person plays, by any unambiguous name. Raises InvalidConfig."""
        return open_part(name, scene_state(run.entries))

    async def follow(self, run_id: str, part: str, after: int = 0, *, holder: str = "") -> AsyncIterator[NumberedEvent]:
        """What the person in a seat is shown after so many events; it ends with the run.

        With a holder, it also ends where they have lost the seat.
        """
        shown, number = SeatShown(part), 0
        async for entry in self._resources.runs.tail(run_id, audience="hidden"):
            lost = holder and isinstance(entry.event, SeatLeft) and entry.event.character == part
            if lost and (await self.seat(run_id, part)).holder != holder:
                return
            for event in shown.after(entry):
                number += 1
                if number > after:
                    yield NumberedEvent(number, event)

    async def _waiting(self, run: SceneRun, part: str) -> list[str]:
        """The keys of the answers that no beat has taken yet."""
        read = scene_state(run.entries).seat(part).read
        sent = await self._resources.runs.inboxes.read(run.id, seat_topic(part), read)
        return [message.key for message in sent if isinstance(seat_message(message), SayWords)]

    async def _send(self, run: SceneRun, part: str, message: SeatMessage, *, author: str = "", key: str = "") -> int:
        inboxes = self._resources.runs.inboxes
        keyed = _key(part, key) if key else ""
        body = message.model_dump_json(by_alias=True)
        left = isinstance(message, LeaveSeat)
        sent = await inboxes.send(run.record, seat_topic(part), body, author=author, key=keyed, once_ended=left)
        return sent.number


def with_people(config: SceneConfig, cards: Sequence[Card], person: PersonsPart) -> SceneConfig:
    """The scene with a person in one more part. Raises InvalidConfig."""
    names = {card.name: name for name, card in zip(config.characters, cards, strict=True)}
    seated = [name for name in names.values() if config.sheet(name).by_person]
    if person.name is not None:
        seated.append(names[called(person.name, {card.display_name: card.name for card in cards})])
    if person.wait and not seated:
        raise InvalidConfig("Nobody has to be waited for: no part is played by a person. Name one with --as NAME.")
    for name in seated:
        config = config.with_person(name, wait=person.wait)
    return config


def open_part(name: str, state: SceneState) -> str:
    """The card of a part that a person plays, by any unambiguous name. Raises InvalidConfig."""
    part = member_called(name, state)
    if not state.scene.sheet(part).by_person:
        shown = state.member(part).display_name
        raise InvalidConfig(
            f"A model plays {shown}. Give the part to a person with 'played_by: person' in the scene, or --as.",
            part=part,
        )
    return part


def _key(part: str, key: str) -> str:
    return f"{seat_topic(part)}/{key}"


def _status(part: str, name: str, sheet: PartSheet, seat: Seat) -> SeatStatus:
    return SeatStatus(part=part, name=name, taken=bool(seat.holder), otherwise=sheet.otherwise, waits=sheet.wait)
