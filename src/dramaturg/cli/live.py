"""The live view of a scene in a terminal: events in, lines out."""

from __future__ import annotations

from functools import singledispatchmethod
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dramaturg.kernel.runs.events import Event
from dramaturg.scenes.director.goals import goal_text
from dramaturg.scenes.events import LineCut, LineSpoken, SceneEnded, SceneForked, SceneOpened
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.transcript import end_line, played_by
from dramaturg.scenes.wire import SceneResult

COLOURS = ("cyan", "yellow", "green", "magenta", "blue")


class LiveView:
    """Prints a scene as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._colours: dict[str, str] = {}

    @singledispatchmethod
    def show(self, event: Event) -> None:
        """One event; what a reader of the transcript does not need is passed over."""

    @show.register
    def _(self, event: SceneOpened) -> None:
        self._colours = {member.display_name: colour for member, colour in zip(event.cast, COLOURS, strict=False)}
        config = event.config
        self._row(Text(config.title.upper(), style="bold"))
        cast = Text()
        for place, member in enumerate(event.cast):
            cast.append(", " if place else "", style="dim")
            cast.append(member.display_name, style=self._colours[member.display_name])
            cast.append(f" ({member.role})" if member.role else "", style="dim")
        self._row(cast)
        self._row(Text(f"Goal: {goal_text(config.prompt, config.goal)}", style="dim"))
        self._row(Text(f"Played by {played_by(SceneState(opened=event))}", style="dim"))
        if config.setting:
            self._row(Text(f"\n{config.setting}.", style="italic dim"))
        self._row(Text())

    @show.register
    def _(self, event: SceneForked) -> None:
        self._row(Text(f"(here run {event.parent} was forked, after beat {event.beat})\n", style="dim"))

    @show.register
    def _(self, event: LineSpoken) -> None:
        self._row(self._line(event.line))
        self._row(Text())

    @show.register
    def _(self, event: LineCut) -> None:
        self._row(Text(f"    ({event.by} cuts in: “{event.said}”)", style="dim"))

    @show.register
    def _(self, event: SceneEnded) -> None:
        state = SceneState(ended=event)
        self._row(Text(end_line(state, event.reason), style="bold"))

    def farewell(self, result: SceneResult, folder: Path) -> None:
        """What it took, and where it is."""
        data, costs = result.metadata, result.metadata.costs
        money = "price unknown" if costs.estimated_usd is None else f"${costs.estimated_usd:.2f}"
        seconds = f"{data.duration / 1000:.1f} s"
        self._row(Text(f"\n{data.total_beats} beats, {seconds}, {costs.total_tokens:,} tokens, {money}", style="dim"))
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
