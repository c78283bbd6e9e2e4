"""A scene in a terminal: watched as it is played, and its result."""

from __future__ import annotations

import asyncio
from functools import singledispatchmethod
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from dramaturg.cli.edge import MODEL, echo, fail, print_json, project_option, stdout, tell
from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs import Entry, Event, public
from dramaturg.scenes.events import LineCut, LineSpoken, SceneEnded, SceneForked, SceneOpened, SceneRun
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.transcript import closing_note, end_line, goal_of, played_by
from dramaturg.scenes.wire import SceneResult, result_of
from dramaturg.studio import Studio

COLOURS = ("cyan", "yellow", "green", "magenta", "blue")


class SceneView:
    """Prints a scene as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._colours: dict[str, str] = {}
        self._opened: SceneOpened | None = None

    @singledispatchmethod
    def show(self, event: Event) -> None:
        """Print one event; those that a reader of the transcript does not need are skipped."""

    @show.register
    def _(self, event: SceneOpened) -> None:
        self._opened = event
        self._colours = {member.display_name: colour for member, colour in zip(event.cast, COLOURS, strict=False)}
        config = event.config
        self._row(Text(config.title.upper(), style="bold"))
        cast = Text()
        for place, member in enumerate(event.cast):
            cast.append(", " if place else "", style="dim")
            cast.append(member.display_name, style=self._colours[member.display_name])
            cast.append(f" ({member.role})" if member.role else "", style="dim")
        self._row(cast)
        self._row(Text(f"Goal: {goal_of(config)}", style="dim"))
        self._row(Text(f"Played by {played_by(SceneState(opened=event))}", style="dim"))
        if config.setting:
            self._row(Text(f"\n{config.setting}.", style="italic dim"))
        self._row(Text())

    @show.register
    def _(self, event: SceneForked) -> None:
        self._row(Text(f"(forked from run {event.parent} after beat {event.beat})\n", style="dim"))

    @show.register
    def _(self, event: LineSpoken) -> None:
        self._row(self._line(event.line))
        self._row(Text())

    @show.register
    def _(self, event: LineCut) -> None:
        self._row(Text(f"    ({event.by} cuts in: “{event.said}”)", style="dim"))

    @show.register
    def _(self, event: SceneEnded) -> None:
        state = SceneState(opened=self._opened, ended=event)
        self._row(Text(end_line(state, event.reason), style="bold"))
        if note := closing_note(state):
            self._row(Text(f"\n{note}", style="italic"))

    def summary(self, result: SceneResult, folder: Path) -> None:
        """What it cost, and where the files are."""
        data, costs = result.metadata, result.metadata.costs
        money = "price unknown" if costs.estimated_usd is None else f"${costs.estimated_usd:.2f}"
        seconds = f"{data.duration / 1000:.1f} s"
        self._row(Text(f"\n{data.total_beats} beats, {seconds}, {costs.total_tokens:,} tokens, {money}", style="dim"))
        if costs.total_tokens and data.words.spoken:
            share = f"{data.words.percent} of {data.words.spoken} words"
            self._row(Text(f"A model wrote {share}; the others are the author's", style="dim"))
        if data.unscored:
            count = f"{len(data.unscored)} of {data.total_beats} beats"
            self._row(Text(f"The judge failed on {count}, which are unscored: {data.unscored[0].reason}", style="red"))
        self._row(Text(f"{folder}/ transcript.txt metadata.json debug.log scene.json", style="dim"))
        self._row(Text(f"run {result.run}", style="dim"))

    def _line(self, line: Line) -> Text:
        if line.kind != "line":
            return Text(line.rendered(), style="italic blue" if line.kind == "event" else "red")
        colour = self._colours.get(line.speaker, "white")
        text = Text().append(line.speaker, f"bold {colour}")
        text.append(" [" + ", ".join(line.fields()) + "]", style="dim")
        if line.content:
            text.append(f' "{line.content}"')
        return text

    def _row(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


async def watch_scene(studio: Studio, run: SceneRun, *, json: bool = False, quiet: bool = False) -> SceneResult:
    """Play a run and print it as it happens. If it is interrupted or fails, say how to resume it."""
    view = None if json or quiet else SceneView(stdout())
    task = studio.start(run)
    shown = 0

    def show(entry: Entry[Event]) -> None:
        nonlocal shown
        shown = entry.seq
        if json:
            print_json(entry.model_dump(mode="json", by_alias=True))
        elif view:
            view.show(entry.event)

    resume = f"dramaturg runs resume {run.id}{project_option(studio.settings.project)}"
    try:
        async for entry in studio.runs.tail(run.id, audience="public"):
            show(entry)
        await task
    except asyncio.CancelledError:
        await studio.engine.cancel(run.id)
        for entry in public(run.entries[shown:]):  # played, but not printed yet
            show(entry)
        if not json:
            tell(f"\nStopped. Nothing is lost. Resume with: {resume}")
        raise
    except DramaturgError as error:
        if not json:
            tell(f"\nThe scene stopped. Once the problem below is fixed, resume with: {resume}")
        fail(error, json=json)
    return result_of(run.id, run.entries)


def print_result(result: SceneResult, project: Path, *, json: bool, quiet: bool) -> None:
    """Print where the scene is; exits with the code for models if the whole cast was unavailable."""
    folder = project / result.output_path
    if json:
        print_json(result.model_dump(mode="json", by_alias=True))
    elif quiet:
        echo(folder / "transcript.txt")
    else:
        SceneView(stdout()).summary(result, folder)
    if not result.success:
        raise typer.Exit(MODEL if result.metadata.reason == "cast_unavailable" else 0)
