"""A part that a person plays: the cue waits in the log, the answer comes through the inbox of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from dramaturg.kernel.runs import RunInbox
from dramaturg.kernel.runs.pauses import unhurried
from dramaturg.kernel.store import InboxMessage
from dramaturg.kernel.text.control import plain
from dramaturg.scenes.agent import CharacterAgent, EventSink, PartContext, SceneUpdate, Thread, compose_cue
from dramaturg.scenes.person.words import read_words
from dramaturg.scenes.response import CharacterResponse, ParsedResponse
from dramaturg.scenes.seats.events import SeatAnswered
from dramaturg.scenes.seats.message import SILENT
from dramaturg.scenes.seats.seat import Seat, heeded


@dataclass(frozen=True, slots=True)
class SeatedPart:
    """What a person's part is played with. `patience` are the seconds for an answer; None waits as long as it takes.

    Nobody is waited for once `end_asked` has returned. `understudy` makes the agent that plays while nobody holds the
    seat, or is None if the part is silent then. `stored` returns once the log has everything; `thread` is what the
    character was told so far, and `now` the time of the last entry, both from the log.
    """

    role: PartContext
    inbox: RunInbox
    end_asked: Callable[[], Awaitable[None]]
    patience: float | None
    understudy: Callable[[], CharacterAgent] | None
    stored: Callable[[], Awaitable[None]]
    thread: Callable[[], Thread]
    now: Callable[[], float]


class PersonAgent:
    """Waits for what a person says, no longer than for a model unless it is asked to; their silence is silence."""

    def __init__(self, part: SeatedPart, seat: Seat, log: EventSink) -> None:
        self._part, self._seat, self._log = part, seat, log
        self._read = seat.read
        self._cued = -1

    @property
    def name(self) -> str:
        return self._part.role.name

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        answer = self._seat.answer
        if answer is None or answer.beat != update.beat:  # else it is in the log of a run that was killed
            with unhurried():
                answer = await self._answer(update)
        if answer is None and self._is_away:
            return await self._without_person(update)
        await self._cue(update)
        return self._silence() if answer is None else self._response(answer, update)

    async def _without_person(self, update: SceneUpdate) -> CharacterResponse:
        if self._part.understudy is None:
            return self._silence()
        await self._part.stored()
        return await self._part.understudy().respond_to(update)

    @property
    def _is_away(self) -> bool:
        """Whether nobody holds the seat and nobody is waited for."""
        waits = self._part.patience is None
        return not self._seat.holder and (self._seat.left or (self._part.understudy is not None and not waits))

    async def _answer(self, update: SceneUpdate) -> SeatAnswered | None:
        """What the person says at this beat; None if they are silent, or gone."""
        now, patience = asyncio.get_running_loop().time, self._part.patience
        until = None if patience is None else now() + patience
        while True:
            if self._is_away:
                found = await self._part.inbox.look(self._read, closely=True)
            else:
                await self._cue(update)
                left = None if until is None else max(0.0, until - now())
                found = await self._sent(left)
            if not found:
                return None
            if (answer := self._heed(found, update.beat)) is not None:
                return answer

    async def _sent(self, timeout: float | None) -> list[InboxMessage]:
        """What is sent to the seat; nothing after `timeout` seconds, or once the author wants the scene to end."""
        sent = asyncio.ensure_future(self._part.inbox.wait(self._read, timeout))
        ending = asyncio.ensure_future(self._part.end_asked())
        try:
            await asyncio.wait((sent, ending), return_when=asyncio.FIRST_COMPLETED)
            return sent.result() if sent.done() else []
        finally:
            sent.cancel()
            ending.cancel()
            await asyncio.gather(sent, ending, return_exceptions=True)

    def _heed(self, messages: Sequence[InboxMessage], beat: int) -> SeatAnswered | None:
        """Follow messages up to the first answer; what comes after it is for the next beat."""
        for message in messages:
            self._read = message.number
            change = heeded(message, self._seat, character=self.name, beat=beat)
            if change is None:
                continue
            self._log(change)
            self._seat = self._seat.after(change)
            if isinstance(change, SeatAnswered):
                return change
        return None

    async def _cue(self, update: SceneUpdate) -> None:
        """Write down what the person is told at this beat, once; they see it as soon as it is stored."""
        if self._cued == update.beat:
            return
        self._cued = update.beat
        await self._part.stored()
        thread = self._part.thread()
        if thread.cue is None or thread.cue.beat != update.beat:
            new, fresh = update.heard[thread.heard :], not thread.messages
            self._log(compose_cue(self._part.role, update, new, fresh=fresh))
            await self._part.stored()

    def _response(self, answer: SeatAnswered, update: SceneUpdate) -> CharacterResponse:
        role, raw = self._part.role, plain(answer.text)
        cast = [part.name for part in role.playbook.cast]
        parsed, warnings = read_words(raw, update.heard, me=role.display_name, cast=cast)
        return CharacterResponse(raw=raw, parsed=parsed, timestamp=answer.at, warnings=warnings)

    def _silence(self) -> CharacterResponse:
        return CharacterResponse(raw=SILENT, parsed=ParsedResponse(action="silent"), timestamp=self._part.now())
