"""A person at this terminal who plays a part."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dramaturg.cli.edge import tell
from dramaturg.cli.line_reader import is_typed
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.person.shown import SeatBriefing, SeatCue, SeatTurnEnded, briefing_of
from dramaturg.scenes.seats.message import SILENT
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio

HOLDER = "terminal"
COMMANDS = {
    "/silent": "say nothing at this turn",
    "/me": "show the card of the character you play",
    "/leave": "give up the part; the scene plays on",
}


async def seat_at_terminal(studio: Studio, run: SceneRun, asked: str | None) -> TerminalSeat | None:
    """The seat that the person at this terminal takes: the one asked for, or the only one that waits for a person.

    None if there is none, or nobody types here.
    """
    seats = await studio.scenes.seats.of(run)
    if asked is None:
        open_seats = [seat for seat in seats if not seat.taken] or [seat for seat in seats if seat.taken]
        if len(seats) > 1 and is_typed():
            names = ", ".join(seat.part for seat in open_seats)
            raise InvalidConfig(f"More than one part is for a person ({names}). Say which is yours with --as NAME.")
        if len(seats) != 1 or not is_typed():
            for seat in seats:
                tell(f"The seat of {seat.name} is open.\n", "dim")
            return None
        asked = seats[0].part
    part, holder = await studio.scenes.seats.take(run, asked, holder=HOLDER, author=HOLDER)
    return TerminalSeat(studio, run, part, holder)


class TerminalSeat:
    """What is said from this terminal, and whether it is the person's turn; `turn` is the beat, None if it is not."""

    def __init__(self, studio: Studio, run: SceneRun, part: str, holder: str) -> None:
        self._studio, self._run, self._holder = studio, run, holder
        self.part = part
        self.name = scene_state(run.entries).member(part).display_name
        self.turn: int | None = None
        self._asked = asyncio.Event()

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """For the time of a block it is known whether it is the person's turn."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch(self) -> None:
        async for _, event in self._studio.scenes.seats.follow(self._run.id, self.part):
            if isinstance(event, SeatCue):
                self.turn = event.beat
                self._asked.set()
            elif isinstance(event, SeatTurnEnded):
                self._over()

    def _over(self) -> None:
        self.turn = None
        self._asked.clear()

    async def own_turn(self) -> None:
        """Returns when it is the person's turn."""
        await self._asked.wait()

    async def say(self, words: str) -> None:
        """Say something at this turn, or at the next if it is somebody else's."""
        late = self.turn is None
        await self._studio.scenes.seats.say(self._run, self.part, self._holder, words, author=HOLDER)
        self._over()
        if late and is_typed():
            tell("(it is said at your next turn)", "dim")

    async def command(self, word: str) -> bool:
        """Follow a command of the person's own; false if it is none."""
        match word.casefold():
            case "/silent":
                await self.say(SILENT)
            case "/me":
                tell(briefing_text(briefing_of(self.part, scene_state(self._run.entries)), card=True), "dim")
            case "/leave":
                await self.leave()
                tell(f"You do not play {self.name} any more.", "dim")
            case _:
                return False
        return True

    async def leave(self) -> None:
        """Give up the seat."""
        self._over()
        await self._studio.scenes.seats.leave(self._run, self.part, self._holder, author=HOLDER)


def briefing_text(told: SeatBriefing, *, card: bool = False) -> str:
    """Who the person plays, in a few rows."""
    role = f", {told.role}" if told.role else ""
    rows = [f"You are {told.name}{role}.", *filter(None, [told.note])]
    rows += [f"Only you know: {secret}" for secret in told.secrets]
    return "\n".join([*rows, *(["", told.card] if card else [])])
