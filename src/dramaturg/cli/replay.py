"""`runs replay`: a run played again from its log, as it was seen live."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from dramaturg.cli.edge import perform, settings_of, stdout, tell
from dramaturg.cli.live import LiveView
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import NotFound
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.insight.replaying import Showing, showings
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio


def replay_run(run_id: str, project: Path, *, speed: float, beat: int, step: bool) -> None:
    async def work() -> None:
        async with Studio.open(settings_of(project)) as studio:
            run = await studio.open_scene_run(run_id)
            result = studio.result(run)
        _check(run, beat)
        view = LiveView(stdout())
        if step:
            tell("Enter shows the next line, Ctrl-C leaves.", "dim")
        await show_again(
            showings(run.entries, beat=beat, speed=0 if step else speed), view, Clock(), _entered if step else None
        )
        if scene_state(run.entries).ended is None:
            tell(f"The run stands here: {result.metadata.reason}.")
        view.farewell(result, project / result.output_path)

    perform(work)


async def show_again(
    shown: Iterable[Showing], view: LiveView, clock: Clock, entered: Callable[[], bool] | None = None
) -> None:
    """Show each event after its pause; with `entered`, each line when it returns, until it says no."""
    for showing in shown:
        if showing.pause > 0:
            await clock.sleep(showing.pause)
        if entered is not None and showing.speaks and not entered():
            entered = None
        view.show(showing.event)


def _entered() -> bool:
    """Wait for Enter; False once there is nobody to press it."""
    return bool(sys.stdin.readline())


def _check(run: SceneRun, beat: int) -> None:
    last = scene_state(run.entries).beat
    if not 0 <= beat <= last:
        raise NotFound(f"Run {run.id} has no beat {beat}; its beats are 0 to {last}.", run=run.id, beat=beat)
