"""A scene as the person in one of its parts sees it: what that character hears, and when it is their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from rich.text import Text

from dramaturg.cli.edge import print_json, stdout, tell
from dramaturg.cli.line_reader import is_typed
from dramaturg.cli.scene_status import DOT, SceneStatus
from dramaturg.cli.status_line import QUIET, StatusLine
from dramaturg.cli.terminal_seat import TerminalSeat, briefing_text
from dramaturg.kernel.runs import Event
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.line import Line
from dramaturg.scenes.person.shown import SeatBriefing, SeatCue, SeatEvent, SeatHeard, SeatSceneEnded
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio


async def watch_from_seat(
    studio: Studio,
    run: SceneRun,
    seat: TerminalSeat,
    show: Callable[[Event], None],
    show_line: Callable[[Line], None],
    *,
    json: bool,
) -> None:
    """Print what the person in a seat is shown, until the run ends; as JSON, one object per line.

    `show` prints the beginning and the end of the scene, `show_line` an entry of its transcript.
    """
    events = studio.scenes.seats.follow(run.id, seat.part)
    try:
        if json:
            async for number, event in events:
                print_json({"number": number, **event.model_dump(mode="json", by_alias=True)})
            return
        console, page_status = stdout(), SceneStatus(run, lambda: stdout().width)
        show(scene_state(run.entries).scene)
        async with StatusLine(console, lambda: _rows(seat, page_status)) as status:
            async for _, event in events:
                if isinstance(event, SeatHeard):
                    show_line(event.line)
                elif isinstance(event, SeatSceneEnded) and (ended := scene_state(run.entries).ended) is not None:
                    show(ended)
                else:
                    _tell(event, seat, prompts=not status.is_shown)
    except asyncio.CancelledError:
        await studio.engine.cancel(run.id)
        raise


def _tell(event: SeatEvent, seat: TerminalSeat, *, prompts: bool) -> None:
    """Tell the person who they are and what is for them alone; with `prompts`, also that it is their turn."""
    match event:
        case SeatBriefing():
            stdout().print(Text(briefing_text(event) + "\n", "italic"))
        case SeatCue():
            if event.note:
                stdout().print(Text(f"(for you alone: {event.note})\n", "dim"))
            if prompts and is_typed():
                tell(f"{_prompt(seat.name, event.beat)}\n")


def _rows(seat: TerminalSeat, status: SceneStatus) -> Sequence[Text]:
    """Whose turn it is. Nothing of it changes while the person types, so that their words are not drawn over."""
    if seat.turn is not None:
        return (Text(_prompt(seat.name, seat.turn), "bold"),)
    return (Text(f"You are {seat.name}{DOT}{status.rows()[0].plain}", QUIET),)


def _prompt(name: str, beat: int) -> str:
    return f"{name}, it is your turn (beat {beat}) > "
