"""A run replayed in the terminal from its log, the way it was seen live."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from dramaturg.cli.edge import stdout, tell
from dramaturg.cli.line_reader import line_reader
from dramaturg.cli.reading_pace import ReadingPace
from dramaturg.cli.scene_view import SceneView
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import NotFound
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.insight.replay import ReplayStep, replay_steps
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import SceneResult


async def replay(
    run: SceneRun, result: SceneResult, folder: Path, *, speed: float, beat: int, step: bool, pace: float | None = None
) -> None:
    """Show a run again: with the pauses it had, with time to read if there is a pace, or step by step."""
    _check_beat(run, beat)
    view = SceneView(stdout())
    shown = replay_steps(run.entries, beat=beat, speed=0 if step or pace is not None else speed)
    if step:
        tell("Press Enter for the next line, Ctrl-C to leave.", "dim")
        with line_reader() as lines:

            async def entered() -> bool:
                return await lines.next() is not None

            await show_again(shown, view, Clock(), entered)
    else:
        await show_again(shown, view, Clock(), pace=pace or 0.0)
    if scene_state(run.entries).ended is None:
        tell(f"The run ends here for now: {result.metadata.reason}.")
    view.summary(result, folder)


async def show_again(
    shown: Iterable[ReplayStep],
    view: SceneView,
    clock: Clock,
    entered: Callable[[], Awaitable[bool]] | None = None,
    pace: float = 0.0,
) -> None:
    """Show each event after its pause; with `entered`, each line after it returns, until it returns False."""
    reading = ReadingPace(clock, pace)
    for step in shown:
        await reading.before(step.event)
        if step.pause > 0:
            await clock.sleep(step.pause)
        if entered is not None and step.speaks and not await entered():
            entered = None
        view.show(step.event)


def _check_beat(run: SceneRun, beat: int) -> None:
    last = scene_state(run.entries).beat
    if not 0 <= beat <= last:
        raise NotFound(f"Run {run.id} has no beat {beat}; its beats are 0 to {last}.", run=run.id, beat=beat)
