"""A scene in a terminal: watched as it is played, and its result."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from functools import singledispatchmethod
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from dramaturg.cli.edge import MODEL, echo, print_json, stdout, tell
from dramaturg.cli.failure_view import FailureReasons, print_way_out
from dramaturg.cli.interruption import resumable
from dramaturg.cli.reading_pace import ReadingPace
from dramaturg.cli.scene_status import SceneStatus
from dramaturg.cli.seat_view import watch_from_seat
from dramaturg.cli.status_line import StatusLine
from dramaturg.cli.terminal_seat import TerminalSeat
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.runs import Entry, Event, public
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.events import (
    NO_CAST,
    LineCut,
    LineEdited,
    LineSpoken,
    LineStruck,
    SceneEnded,
    SceneForked,
    SceneOpened,
    SceneReopened,
    SceneRun,
    TakeChosen,
)
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.transcript import closing_note, end_line, goal_of, played_by
from dramaturg.scenes.wire import SceneResult, result_of
from dramaturg.scenes.word_share import WordCount
from dramaturg.studio import Studio

COLOURS = ("cyan", "yellow", "green", "magenta", "blue")


class SceneView:
    """Prints a scene as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._colours: dict[str, str] = {}
        self._opened: SceneOpened | None = None

    def prepare(self, event: Event) -> None:
        """Take in an event that was shown before, without printing it."""
        if isinstance(event, SceneOpened):
            self._colours = {member.display_name: colour for member, colour in zip(event.cast, COLOURS, strict=False)}

    @singledispatchmethod
    def show(self, event: Event) -> None:
        """Print one event; those that a reader of the transcript does not need are skipped."""

    @show.register
    def _(self, event: SceneOpened) -> None:
        self.prepare(event)
        self._opened = event
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
        self.line(event.line)

    @show.register
    def _(self, event: LineCut) -> None:
        self._row(Text(f"    ({event.by} cuts in: “{event.said}”)", style="dim"))

    @show.register(TakeChosen)
    @show.register(LineEdited)
    @show.register(LineStruck)
    def _(self, event: TakeChosen | LineEdited | LineStruck) -> None:
        now = next((line for line in event.lines if line.number == event.number), None)
        what = "is now:" if now is not None else "was taken out by the author"
        self._row(Text(f"(line {event.number} {what})", style="dim"))
        if now is not None:
            self._row(self._line(now))
        self._row(Text())

    @show.register
    def _(self, event: SceneReopened) -> None:
        self._row(Text("(the scene is played on)\n", style="dim"))

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
        self._row(
            Text(
                f"\n{counted(data.total_beats, 'beat')}, {seconds}, {costs.total_tokens:,} tokens, {money}", style="dim"
            )
        )
        if costs.total_tokens and data.words.spoken:
            self._row(Text(whose_words(data.words), style="dim"))
        if data.unscored:
            count = f"{len(data.unscored)} of {data.total_beats} beats"
            self._row(Text(f"The judge failed on {count}, which are unscored: {data.unscored[0].reason}", style="red"))
        if data.errors and data.reason != NO_CAST:
            lost = f"{counted(len(data.errors), 'line was', 'lines were')} lost"
            self._row(Text(f"{lost} because a model could not answer.", style="red"))
        self._row(Text(f"{folder}/ transcript.txt metadata.json debug.log scene.json", style="dim"))
        self._row(Text(f"run {result.run}", style="dim"))

    def line(self, line: Line) -> None:
        """Print one entry of the transcript."""
        if line.goes_on or line.still_speaking:
            self._row(Text(line.rendered()))
        else:
            self._row(self._line(line))
        self._row(Text())

    def remark(self, text: str) -> None:
        """Tell the person at the terminal something that is not in the scene."""
        if self._console.is_terminal:
            self._row(Text(f"    {text}\n", style="red"))
        else:
            tell(text)

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


def whose_words(words: WordCount) -> str:
    """How much of a scene a model wrote, and who the rest."""
    others = words.spoken - words.by_model
    if not others:
        return f"A model wrote {f'all {words.spoken} words' if words.spoken > 1 else 'the only word'}"
    owners = (("a person's", words.by_person), ("the author's", others - words.by_person))
    whose = " and ".join(owner for owner, count in owners if count > 0)
    return f"A model wrote {words.percent} of {words.spoken} words; the others are {whose}"


async def watch_scene(
    studio: Studio,
    run: SceneRun,
    *,
    json: bool = False,
    quiet: bool = False,
    pace: float | None = None,
    seat: TerminalSeat | None = None,
) -> SceneResult:
    """Play a run and print it as it happens. If it is interrupted or fails, say how to resume it.

    With a seat, only what its character hears is printed.
    """
    task = studio.start(run)
    async with resumable(studio, run.id, "scene", json=json):
        if seat is not None and not quiet:
            view = SceneView(stdout())
            await watch_from_seat(studio, run, seat, view.show, view.line, json=json)
        elif json:
            await _print_entries(studio, run)
        elif quiet:
            await asyncio.wait([task])
        else:
            await _watch(studio, run, pace or 0.0)
        await task
    return result_of(run.id, run.entries)


async def _watch(studio: Studio, run: SceneRun, pace: float) -> None:
    """Print a run that is being played, with a status line below it. What was played is printed, even if cancelled."""
    console = stdout()
    view, reading = SceneView(console), ReadingPace(Clock(), pace)
    reasons = FailureReasons(studio.settings, Clock().now())
    shown = 0

    def show(entry: Entry[Event]) -> None:
        nonlocal shown
        shown = entry.seq
        view.show(entry.event)
        if (reason := reasons.of(entry.event)) is not None:
            view.remark(reason)

    try:
        async with StatusLine(console, SceneStatus(run, lambda: console.width).rows) as status:
            with run.answers.watched() if status.is_shown else nullcontext():
                async for entry in studio.runs.tail(run.id, audience="hidden"):
                    await reading.before(entry.event)
                    show(entry)
    except asyncio.CancelledError:
        await studio.engine.cancel(run.id)
        for entry in run.entries[shown:]:
            show(entry)
        raise


async def _print_entries(studio: Studio, run: SceneRun) -> None:
    shown = 0

    def show(entry: Entry[Event]) -> None:
        nonlocal shown
        shown = entry.seq
        print_json(entry.model_dump(mode="json", by_alias=True))

    try:
        async for entry in studio.runs.tail(run.id, audience="public"):
            show(entry)
    except asyncio.CancelledError:
        await studio.engine.cancel(run.id)
        for entry in public(run.entries[shown:]):  # played, but not printed yet
            show(entry)
        raise


def print_result(result: SceneResult, settings: Settings, *, json: bool, quiet: bool) -> None:
    """Print where the scene is; exits with the code for models if the whole cast was unavailable."""
    folder = settings.project / result.output_path
    if json:
        print_json(result.model_dump(mode="json", by_alias=True))
    elif quiet:
        echo(folder / "transcript.txt")
    else:
        SceneView(stdout()).summary(result, folder)
    if result.metadata.reason == NO_CAST and not json:
        print_way_out(result, settings)
    if not result.success:
        raise typer.Exit(MODEL if result.metadata.reason == NO_CAST else 0)
