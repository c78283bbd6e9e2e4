"""An act in a terminal: watched as it is played, its result, its check."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dramaturg.cli.cost_view import money
from dramaturg.cli.edge import echo, print_json, stdout, tell
from dramaturg.cli.failure_view import FailureReasons
from dramaturg.cli.interruption import resumable
from dramaturg.cli.reading_pace import ReadingPace
from dramaturg.cli.scene_status import SceneStatus
from dramaturg.cli.scene_view import SceneView
from dramaturg.cli.status_line import StatusLine
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.acts.act import END, ActListing
from dramaturg.scenes.acts.check import ActCheck
from dramaturg.scenes.acts.ending import IN_ORDER
from dramaturg.scenes.acts.events import ActEvent, ActRun, ActSceneEnded, ActSceneResumed, ActSceneStarted
from dramaturg.scenes.acts.wire import ActResult
from dramaturg.studio import Studio


class ActView:
    """Prints an act as it happens: every scene as `scene run` does, and between them why the next one follows."""

    def __init__(self, console: Console, studio: Studio, pace: float) -> None:
        self._console = console
        self._studio = studio
        self._reading = ReadingPace(Clock(), pace)
        self._status: SceneStatus | None = None
        self._shown: dict[str, int] = {}
        self._scenes = 0

    def status(self) -> StatusLine:
        """The status line of the scene that is being played."""
        return StatusLine(self._console, lambda: self._status.rows() if self._status else ())

    async def show(self, event: ActEvent) -> None:
        if isinstance(event, ActSceneStarted):
            self._scenes += event.run not in self._shown
            self._print(Text(f"SCENE {self._scenes}", style="bold dim"))
            for remark in event.remarks:
                tell(remark, "yellow")
            await self._scene(event.run)
        elif isinstance(event, ActSceneResumed):
            await self._scene(event.run)
        elif isinstance(event, ActSceneEnded):
            self._print(_next(event))

    async def _scene(self, run_id: str) -> None:
        """The scene's lines that were not shown yet, and those to come while it is played."""
        view, reasons = SceneView(self._console), FailureReasons(self._studio.settings, Clock().now())
        with ExitStack() as watching:
            try:
                async for entry in self._studio.runs.tail(run_id, audience="hidden"):
                    self._attend(run_id, watching)
                    if entry.seq <= self._shown.get(run_id, 0):
                        view.prepare(entry.event)
                        continue
                    await self._reading.before(entry.event)
                    view.show(entry.event)
                    self._shown[run_id] = entry.seq
                    if (reason := reasons.of(entry.event)) is not None:
                        view.remark(reason)
            except NotFound:
                self._print(Text(f"(its run {run_id} was deleted)\n", style="dim"))
        self._status = None

    def _attend(self, run_id: str, watching: ExitStack) -> None:
        """Once a scene is being played, the status line is about it, and its words are shown as they are written."""
        performance = self._studio.engine.playing(run_id)
        if self._status is None and performance is not None:
            self._status = SceneStatus(performance.run, lambda: self._console.width)
            if self._console.is_terminal:
                watching.enter_context(performance.run.answers.watched())

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


def _next(event: ActSceneEnded) -> Text:
    if event.then == END:
        return Text()
    why = "" if event.because == IN_ORDER else f", because {event.because}"
    return Text(f"\nNext: {event.then}{why}\n", style="italic dim")


async def watch_act(
    studio: Studio, run: ActRun, *, json: bool = False, quiet: bool = False, pace: float | None = None
) -> ActResult:
    """Play an act and print it as it happens. If it is interrupted or fails, say how to resume it."""
    task = studio.start(run)
    async with resumable(studio, run.id, "act", json=json):
        if json:
            async for entry in studio.runs.tail(run.id, audience="public"):
                print_json(entry.model_dump(mode="json", by_alias=True))
        elif not quiet:
            view = ActView(stdout(), studio, pace or 0.0)
            async with view.status():
                async for entry in studio.runs.tail(run.id, audience="public"):
                    await view.show(entry.event)
        await task
    return studio.acts.result(run)


def print_act_result(result: ActResult, project: Path, *, json: bool, quiet: bool) -> None:
    """What was played, what it cost, and where the files are."""
    folder = project / result.output_path
    if json:
        print_json(result.model_dump(mode="json", by_alias=True))
        return
    if quiet:
        echo(folder / "transcript.txt")
        return
    data, out = result.metadata, stdout()
    out.print()
    for scene in data.scenes:
        ended = scene.reason.replace("_", " ") if scene.reason else "not ended"
        row = f"{scene.number}. {scene.name}: {ended}, {counted(scene.beats, 'beat')}, run {scene.run}"
        out.print(Text(row, style="dim"), soft_wrap=True)
    costs = data.costs
    price = "price unknown" if costs.estimated_usd is None else money(costs.estimated_usd)
    row = f"{counted(data.total_beats, 'beat')}, {data.duration / 1000:.1f} s, {costs.total_tokens:,} tokens, {price}"
    out.print(Text(row, style="dim"), soft_wrap=True)
    out.print(Text(f"{folder}/ transcript.txt metadata.json debug.log act.json", style="dim"), soft_wrap=True)
    out.print(Text(f"run {result.run}", style="dim"), soft_wrap=True)


def print_act_check(check: ActCheck) -> None:
    """Every scene with its cast, its sub-goals and where it leads; then the remarks."""
    out = stdout()
    out.print(Text(check.name, "bold"))
    for scene in check.scenes:
        file = "" if scene.name == scene.scene else f" (scenes/{scene.scene})"
        out.print(Text(f"\n{scene.name}{file}", "bold").append(f"  {', '.join(scene.cast)}", "dim"), soft_wrap=True)
        for goal in scene.goals:
            out.print(Text(f"  {goal.id}. {goal.text}"), soft_wrap=True)
        several = len(scene.ways_on) > 1
        for way in scene.ways_on:
            when = f"if {way.when}: " if way.when else "else: " if several else ""
            out.print(Text(f"  -> {when}{way.then}", "cyan"), soft_wrap=True)
    for remark in check.remarks:
        out.print(Text(f"\n{remark}", "yellow"), soft_wrap=True)


def print_acts(acts: Sequence[ActListing]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("act", "scenes"):
        table.add_column(column)
    for act in acts:
        table.add_row(Text(act.name), Text(act.problem, "red") if act.problem else Text(", ".join(act.scenes)))
    stdout().print(table)
