"""Episodes in a terminal: the list, and a session as it happens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod

from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import stdout
from dramaturg.episodes.events import Suggestion
from dramaturg.episodes.result_card import result_card
from dramaturg.episodes.suggestion import Repertoire
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.episodes.views import SessionRecord, SessionView, ShownMessage
from dramaturg.episodes.wire import (
    BeatEvent,
    CareEvent,
    ChoicePromptEvent,
    ChunkEvent,
    DoneEvent,
    EpisodeCompleteEvent,
    ErrorEvent,
    MessageCompleteEvent,
    SceneCardEvent,
    ShownChoice,
    StreamEvent,
)
from dramaturg.kernel.clock import moment

WIDEST = 100
LATEST = 5
"""Sessions shown with the list of episodes."""
NAME, GESTURE, QUIET, CARE = "bold cyan", "italic", "dim", "bold"


class StreamedText:
    """Prints words as they arrive, wrapped at the edge; gestures between asterisks are in italics."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, WIDEST) if console.is_terminal else 0
        self._word, self._column, self._gesture = "", 0, False

    def write(self, text: str) -> None:
        for mark in text:
            if mark == "*" and self._width:
                self._flush()
                self._gesture = not self._gesture
            elif mark == "\n":
                self.end_line()
            elif mark.isspace():
                self._flush()
                self._put(" " if self._column or not self._width else "")
            else:
                self._word += mark

    def end_line(self) -> None:
        """Print the rest of the word, and a line break."""
        self._flush()
        self._console.print()
        self._column = 0

    def close(self) -> None:
        """End the current line, if there is one."""
        self._flush()
        self._gesture = False
        if self._column:
            self.end_line()

    def _flush(self) -> None:
        word, self._word = self._word, ""
        if self._width and self._column and self._column + cell_len(word) > self._width:
            self._console.print()
            self._column = 0
        self._put(word)

    def _put(self, text: str) -> None:
        if text:
            self._console.print(Text(text, GESTURE if self._gesture else ""), end="", soft_wrap=True)
            self._column += cell_len(text)


class EpisodeView:
    """Prints a session as it happens."""

    def __init__(self, console: Console, character: str, project: str = "") -> None:
        self._console = console
        self._character = character
        self._project = project
        self._text = StreamedText(console)
        self._speaking = ""

    @singledispatchmethod
    def show(self, event: StreamEvent) -> None:
        """Print one event."""

    @show.register
    def _(self, event: SceneCardEvent) -> None:
        self._row(Text(event.title, "bold"))
        if event.text:
            self._row(Text(event.text, GESTURE))
        about = [f"You are {event.player_role}." if event.player_role else "", event.objective]
        told = " ".join(part for part in about if part)
        if told:
            self._row(Text(told, QUIET))
        if event.progress:
            self._row(Text(event.progress, QUIET))
        if event.remark:
            self._row(Text(event.remark, QUIET))
        self._row(Text())

    @show.register
    def _(self, event: ChunkEvent) -> None:
        if event.message_id != self._speaking:
            self._begin(event.message_id, event.name)
        self._text.write(event.content)

    @show.register
    def _(self, event: MessageCompleteEvent) -> None:
        if event.message_id != self._speaking:
            self._begin(event.message_id, event.name)
            self._text.write(event.content)
        self._text.close()
        self._row(Text())
        self._speaking = ""

    @show.register
    def _(self, event: CareEvent) -> None:
        self._text.close()
        self._row(Text(event.text, CARE))
        self._row(Text())

    @show.register
    def _(self, event: BeatEvent) -> None:
        dots = " ".join("●" if place < event.index else "○" for place in range(event.total))
        self._row(Text(f"{dots}  {event.label}".rstrip(), QUIET))

    @show.register
    def _(self, event: ChoicePromptEvent) -> None:
        self.offer(event.choices, event.prompt)

    @show.register
    def _(self, event: EpisodeCompleteEvent) -> None:
        self._result(event)
        self._suggest(event.next_suggestion)

    @show.register
    def _(self, event: DoneEvent) -> None:
        self._suggest(event.next_suggestion)

    @show.register
    def _(self, event: ErrorEvent) -> None:
        self._text.close()
        self._speaking = ""
        self._row(Text(event.message, "red"))
        if event.retry:
            self._row(Text("Your message is saved. Send an empty line to try again.", QUIET))

    def offer(self, choices: tuple[ShownChoice, ...], prompt: str = "") -> None:
        """Print choices by number; free text is always possible too."""
        if prompt:
            self._row(Text(prompt, GESTURE))
        for number, choice in enumerate(choices, start=1):
            self._row(Text().append(f"  {number}  ", NAME).append(choice.label))
        if choices:
            self._row(Text("Type a number to choose, or say something of your own.\n", QUIET))

    def resumed(self, view: SessionView, messages: tuple[ShownMessage, ...]) -> None:
        """Print where a resumed session is, and its last messages."""
        self._row(Text(view.scene_card.title if view.scene_card else view.title, "bold"))
        if view.remark:
            self._row(Text(view.remark, QUIET))
        for one in messages:
            if one.role == "player":
                self.echo(one.content, next((face.name for face in view.cast if face.id == one.to), ""))
                if one.care:
                    self.remark(f"{one.care}\n")
            else:
                self.answer(one.content, one.name)
        if view.retry:
            self._row(Text("Your last message has no answer yet. Send an empty line to try again.", QUIET))
        self.offer(view.choices)

    def answer(self, content: str, name: str = "") -> None:
        self._begin("", name)
        self._text.write(content)
        self._text.close()
        self._row(Text())

    def echo(self, text: str, to: str = "") -> None:
        """Print the player's own words, where no terminal shows them already."""
        self._row(Text().append(f"You, to {to} alone: " if to else "You: ", "bold").append(text))
        self._row(Text())

    def remark(self, text: str) -> None:
        self._row(Text(text, QUIET))

    def close(self) -> None:
        self._text.close()

    def _begin(self, message_id: str, name: str = "") -> None:
        self._text.close()
        self._speaking = message_id
        self._row(Text(f"{name or self._character}:", NAME))

    def _result(self, event: EpisodeCompleteEvent) -> None:
        if event.evaluation is None or event.evaluation_type is None:
            told = "Its result is not ready yet." if event.evaluation_status == "not_ready" else ""
            self._row(Text(f"The episode is over. {told}".rstrip(), "bold"))
            return
        card = result_card(event.evaluation_type, event.evaluation)
        body = Text(card.text)
        if card.remark:
            body.append(f"\n\n{card.remark}", GESTURE)
        for point in card.points:
            body.append(f"\n\n{point.label}" if point is card.points[0] else f"\n{point.label}", "bold")
            body.append(f"\n  “{point.quote}”" if point.quote else "", QUIET)
        title, figure = card.headline, card.figure
        if self._console.is_terminal:
            width = min(self._console.width, 76)
            self._console.print(Panel(body, title=title, subtitle=figure or None, width=width, padding=(1, 2)))
        else:
            self._row(Text(" · ".join(filter(None, (title, figure))), "bold"))
            self._row(body)
        self._row(Text())

    def _suggest(self, suggestion: Suggestion | None) -> None:
        if suggestion is None:
            return
        names = [suggestion.episode_template_id] if suggestion.episode_template_id else list(suggestion.episodes)
        self._row(Text(suggestion.prompt, "bold"))
        for name in names:
            self._console.print(Text(f"  dramaturg episode play {name}{self._project}", QUIET), soft_wrap=True)
        self._row(Text())

    def _row(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


def print_repertoire(repertoire: Repertoire) -> None:
    """The episodes of a project."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("name", "with", "ends after", "title", "series"):
        table.add_column(column, no_wrap=column == "name")
    for one in repertoire.templates:
        series = next(
            (
                f"{each.shown_title} {each.number_of(one.name)}/{len(each.episodes)}"
                for each in repertoire.series
                if one.name in each.episodes
            ),
            "",
        )
        table.add_row(
            one.name, ", ".join(one.characters or (one.character,)), _ends(one), Text(one.shown_title), Text(series)
        )
    stdout().print(table)


def print_sessions(sessions: Sequence[SessionRecord]) -> None:
    """The latest sessions, of episodes or of none."""
    out = stdout()
    if sessions:
        out.print(Text("\nContinue with: dramaturg episode play --session ID", "dim"), soft_wrap=True)
        for record in sessions[:LATEST]:
            when = moment(record.updated_at).astimezone().strftime("%Y-%m-%d %H:%M")
            out.print(
                Text(f"  {record.id}  {record.template}, turn {record.turn_count}, {when}", "dim"), soft_wrap=True
            )


def _ends(template: EpisodeTemplate) -> str:
    criteria = template.criteria
    if template.completion_mode == "turn_limited":
        return f"{template.turns} turns"
    if template.completion_mode == "beat_gated":
        return f"the {'resolution' if criteria.require_resolution else criteria.required_beat}"
    if template.completion_mode == "objective":
        return str(criteria.objective_key or "").replace("_", " ")
    return "never"
