"""What an author types while a scene is played: directions, each on a line that begins with a slash."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from dramaturg.cli.edge import project_option, stdout, tell
from dramaturg.cli.line_reader import PipedLines, is_typed
from dramaturg.cli.terminal_seat import COMMANDS as OF_A_PERSON
from dramaturg.cli.terminal_seat import TerminalSeat
from dramaturg.kernel.errors import AuthorError
from dramaturg.scenes.author.typed import COMMANDS, read_direction
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged
from dramaturg.scenes.events import BeatClosed, SceneRun
from dramaturg.scenes.state import SCENE_FOLD, SceneState, scene_state
from dramaturg.studio import Studio

AUTHOR = "terminal"
HINT = "Type /help to see how to steer the scene while it plays.\n"
SEATED = "You play {name}. At your turn type what is said, '-- …' to cut in, *a gesture* or /silent; /help says more.\n"


def help_text(*, seated: bool = False) -> str:
    """Every direction, one per line; those of a person who plays a part first."""
    forms = {f"/{word} {command.form}".rstrip(): command.about for word, command in COMMANDS.items()}
    forms = {**OF_A_PERSON, **forms} if seated else forms
    return "\n".join(f"  {form:<20} {about}" for form, about in forms.items())


@asynccontextmanager
async def typed_directions(
    studio: Studio, run: SceneRun, *, json: bool = False, quiet: bool = False, seat: TerminalSeat | None = None
) -> AsyncIterator[None]:
    """For the time of a block, follow what is typed at the terminal, and say when the scene waits.

    `seat` takes the lines without a slash. Without one, nothing is read unless a person sits at this terminal.
    """
    lines, shown = DirectionLines(studio, run, seat), not json and not quiet
    tasks = [asyncio.create_task(lines.watch())] if shown else []
    typing = shown and is_typed() and stdout().is_terminal and _in_foreground()
    if typing or (seat is not None and (not is_typed() or _in_foreground())):
        if shown:
            tell(HINT if seat is None else SEATED.format(name=seat.name), "dim")
        tasks.append(asyncio.create_task(lines.listen()))
    try:
        async with AsyncExitStack() as stack:
            if seat is not None:
                await stack.enter_async_context(seat.watched())
            yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class DirectionLines:
    """The author of one scene at a terminal."""

    def __init__(self, studio: Studio, run: SceneRun, seat: TerminalSeat | None = None) -> None:
        self._studio, self._run, self._seat = studio, run, seat

    async def listen(self) -> None:
        """Follow one line after another, until the input ends; then a person who played a part leaves it.

        A person's lines that nobody types are read one turn at a time, so that each stands where it was written.
        """
        lines, seat = PipedLines(), self._seat
        while True:
            if seat is not None and not is_typed():
                await seat.own_turn()
            if (line := await lines.next()) is None:
                break
            await self.receive(line)
        if seat is not None:
            await seat.leave()

    async def receive(self, line: str) -> None:
        """Act on one line. A mistake in it is explained, and the scene plays on."""
        text = line.strip()
        try:
            if text.casefold() in ("/help", "/?"):
                tell(help_text(seated=self._seat is not None), "dim")
            elif self._seat is not None and await self._seat.command(text):
                return
            elif text.startswith("/"):
                await self._steer(text)
            elif not text:
                await self._step()
            elif self._seat is not None:
                await self._seat.say(text)
            else:
                tell("Begin with a slash, such as /event The lights go out. /help lists what there is.", "dim")
        except AuthorError as error:
            tell(error.message)

    async def _steer(self, text: str) -> None:
        sent = await self._studio.scenes.steer(self._run.id, read_direction(text, self._state()), author=AUTHOR)
        tell(f"{text.split()[0]}: {sent.reason or 'followed'}", "dim")

    async def _step(self) -> None:
        """An empty line plays the next beat of a scene that waits."""
        if self._state().steering.waiting:
            await self._studio.scenes.steer(self._run.id, read_direction("step", self._state()), author=AUTHOR)

    def _state(self) -> SceneState:
        return scene_state(self._run.entries)

    async def watch(self) -> None:
        """Say when the scene waits for its author, and what of a direction could not be followed."""
        first = len(self._run.entries)
        state = scene_state(self._run.entries)
        go = f"'dramaturg runs steer {self._run.id} go{project_option(self._studio.settings.project)}'"
        with suppress(asyncio.CancelledError):
            async for entry in self._studio.runs.tail(self._run.id, first, audience="hidden"):
                state, waited = SCENE_FOLD.after(state, [entry]), state.steering.waiting and not state.played
                event = entry.event
                if isinstance(event, DirectionTaken) and event.refused:
                    tell(f"/{event.direction.do} was not followed: {event.refused}.")
                if isinstance(event, GoalChanged):
                    tell(f"(the goal is now: {'; '.join(goal.text for goal in event.goals)})\n", "dim")
                waits = state.steering.waiting and not state.played and state.ended is None
                if waits and (not waited or isinstance(event, BeatClosed)):
                    keys = "Enter plays the next beat, /go plays on" if is_typed() else f"{go} plays on"
                    tell(f"(waiting before beat {state.beat}: {keys})\n", "dim")


def _in_foreground() -> bool:
    """Whether reading would get what is typed; a program in the background would be stopped for trying."""
    if sys.platform == "win32":
        return True
    try:
        if os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp():
            return False
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)  # sent to the background later, it only reads no more
    except (OSError, ValueError):
        return False
    return True
