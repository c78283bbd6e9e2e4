"""The Foreman in a terminal: consultations, the book, its decisions and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import print_json, stdout, tell
from dramaturg.kernel.clock import moment
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import spans
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.notebooks import NotebookListing, NotebookPassage
from dramaturg.workshop.wire import (
    ActionShown,
    BookView,
    ConsultationView,
    ConsultDone,
    ConsultEvent,
    DoubtShown,
    FailureShown,
    MessageDelta,
    MessageDone,
    ModeShown,
    OfferShown,
    PromptView,
    RefusalShown,
    UndoRow,
    WorkOrder,
    WorkShown,
)

MARKS = {"complete": "✓", "draft_ready": "◐", "in_progress": "…", "not_started": "·"}


class ForemanView:
    """Prints a consultation as it happens: the message as it streams, then what was done and what was refused."""

    def __init__(self, console: Console, *, thinking: bool = False) -> None:
        self._console = console
        self._thinking = thinking
        self._streamed = ""
        self._thought = ""

    @singledispatchmethod
    def show(self, event: ConsultEvent) -> None:
        """Print one event; those that a person at a terminal does not need are skipped."""

    @show.register
    def _(self, event: MessageDelta) -> None:
        if not self._streamed:
            self._console.print()
        self._streamed += event.text
        self._console.print(Text(event.text), end="", soft_wrap=True)

    @show.register
    def _(self, event: MessageDone) -> None:
        shown, self._streamed = self._streamed, ""
        rest = event.text[len(shown) :] if event.text.startswith(shown) else f"\n\n{_around(shown, event.text)}"
        self._console.print(Text(rest if shown else f"\n{event.text}"), soft_wrap=True)
        self._thought = event.thinking
        if self._thinking:
            self.reasoning()
        for odd in event.odd:
            self._aside(f"(odd: {odd})")

    @show.register
    def _(self, event: ActionShown) -> None:
        self._aside(f"✓ {event.said}", "green")

    @show.register
    def _(self, event: RefusalShown) -> None:
        self._aside(f"✗ {event.action}: {event.reason}", "red")

    @show.register
    def _(self, event: OfferShown) -> None:
        self._aside(f"? {event.action}: {event.said} Say yes with /yes (or: dramaturg foreman confirm).", "yellow")

    @show.register
    def _(self, event: WorkShown) -> None:
        mark, style = ("✓", "green") if event.status == "ended" else ("✗", "red")
        self._aside(f"{mark} {event.work} ({event.run}): {event.said}", style)

    @show.register
    def _(self, event: ModeShown) -> None:
        self._aside(f"→ {event.before} to {event.after}", "bold")
        for risk in event.risks:
            self._aside(f"  risk: {risk}", "yellow")

    @show.register
    def _(self, event: DoubtShown) -> None:
        self._aside(f"? not found in the notebooks: “{event.quote}” ({event.cited})", "yellow")

    @show.register
    def _(self, event: FailureShown) -> None:
        self._streamed = ""
        self._aside(f"✗ {event.error} Your message is saved; send it again when the model is available.", "red")

    @show.register
    def _(self, event: ConsultDone) -> None:
        self._streamed = ""

    def turn(self, told: ConsultationView) -> None:
        """A past consultation: the answer, and what was done."""
        self._console.print(Text(f"\n{told.message or '(no answer)'}"), soft_wrap=True)
        for done in told.done:
            self._aside(f"✓ {done}", "green")
        for wrong in filter(None, (*told.refused, told.failed)):
            self._aside(f"✗ {wrong}", "red")

    def reasoning(self) -> None:
        """Print the reasoning behind the last answer."""
        self._aside(self._thought or "(the last answer came without reasoning)")

    def quote(self, said: str) -> None:
        """Print the writer's own words, where the terminal does not show them already."""
        self._console.print(Text(f"\n> {said}", style="bold"), soft_wrap=True)

    def _aside(self, text: str, style: str = "dim") -> None:
        self._console.print(Text(text, style=style), soft_wrap=True)


def _around(shown: str, text: str) -> str:
    """What a message says besides what was shown of it; all of it, if that is not part of it."""
    before, found, after = text.partition(shown)
    return "\n\n".join(filter(None, (before.strip(), after.strip()))) if found else text


def print_book(console: Console, book: BookView, *, xml: bool = False) -> None:
    facts = " · ".join(filter(None, (book.protagonist, book.genre, book.tone)))
    console.print(Text(book.title, style="bold").append(f"  {facts}" if facts else "", style="dim"))
    console.print(f"{book.mode}, {book.completion}% of the story bible, {book.turns} turns, {book.decisions} decisions")
    for alert in book.alerts:
        console.print(Text(f"! {alert.severity}: {alert.text}", style="yellow"), soft_wrap=True)
    if book.unanswered:
        console.print(
            Text("An earlier message has no answer yet; 'dramaturg foreman chat' answers it.", style="yellow")
        )
    if book.offer:
        console.print(Text(f"waiting for your yes ('foreman confirm'): {book.offer}", style="yellow"), soft_wrap=True)
    if book.last_undoable:
        console.print(Text(f"undo would revert: {book.last_undoable}", style="dim"), soft_wrap=True)
    print_work_order(console, book.work_order)
    if xml:
        console.print(Text(f"\n{book.session_state}", style="dim"), soft_wrap=True)


def print_work_order(console: Console, order: WorkOrder) -> None:
    for row in order.templates:
        text = Text(f"{MARKS[row.status]} {row.title}", style="bold").append(f"  {row.status}", style="dim")
        if row.problem:
            text.append(f"  {row.problem}", style="red")
        elif row.missing:
            text.append(f"  missing: {spans(row.missing)}")
        console.print(text, soft_wrap=True)
    if order.next_mode is None:
        return
    if order.gate_open:
        console.print(Text(f"The gate to {order.next_mode} is open.", style="green"))
    else:
        console.print(Text(f"The gate to {order.next_mode} is closed: {'; '.join(order.gate_missing)}"), soft_wrap=True)


def print_layers(console: Console, prompt: PromptView) -> None:
    assumed = " (assumed)" if prompt.assumed else ""
    console.print(Text(f"{prompt.model}: {prompt.tier} tier{assumed}", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("layer", "tokens", "budget", "price", ""):
        table.add_column(column, justify="right" if column in ("tokens", "budget", "price") else "left")
    for layer in prompt.layers:
        budget = str(layer.budget) if layer.budget is not None else ""
        table.add_row(layer.name, str(layer.tokens), budget, _money(layer.usd), Text(layer.note))
    table.add_row("total", str(prompt.tokens), "", _money(prompt.usd), f"plus up to {prompt.reserve} for the answer")
    console.print(table)
    _listed(console, "Not included", prompt.blind_spots)
    _listed(console, "The next tier would add", prompt.next_tier)


def _listed(console: Console, title: str, rows: tuple[str, ...]) -> None:
    if rows:
        console.print(Text(f"{title}:", style="bold"))
        for row in rows:
            console.print(Text(f"- {row}"), soft_wrap=True)


def _money(usd: float | None) -> str:
    return "unknown" if usd is None else f"${usd:.5f}"


def print_value(value: Value) -> None:
    print_json(value.model_dump(mode="json", by_alias=True))


def print_prompt(console: Console, prompt: PromptView, *, summary: bool) -> None:
    """What would be sent, message by message, and what each layer of it costs."""
    if not summary:
        console.print(Text("── system", style="dim"))
        console.print(Text(prompt.system), soft_wrap=True)
        for one in prompt.messages:
            console.print(Text(f"── {one.role}", style="dim"))
            console.print(Text(one.text), soft_wrap=True)
        console.print(Text("──\n", style="dim"))
    print_layers(console, prompt)


def print_decisions(decisions: Sequence[Decision], *, history: bool) -> None:
    """Decisions as a table; in a history, also whether each is still in force."""
    if not decisions:
        tell("Nothing has been decided yet. Try: dramaturg foreman chat")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("key", "category", "kind", "value", "decided", ""):
        table.add_column(column, no_wrap=column in ("key", "decided"))
    for one in decisions:
        at = moment(one.decided_at).astimezone()
        status = "current" if one.holds else "taken back" if one.taken_back else "changed since"
        row = (one.key, one.category, one.kind, one.value, f"{at:%Y-%m-%d %H:%M}", status if history else "")
        table.add_row(*map(Text, row))
    stdout().print(table)


def print_undoable(rows: Sequence[UndoRow]) -> None:
    """What can be undone, latest first."""
    if not rows:
        tell("There is nothing to undo.")
    for row in rows:
        text = Text(row.act, style="bold").append(f"  {' '.join(row.said.split())}")
        if row.blocked:
            text.append(f"  ({row.blocked})", style="yellow")
        stdout().print(text, soft_wrap=True)


def print_notebook(notebook: NotebookListing, problems: Sequence[str]) -> None:
    """A notebook, and the files in it that could not be read."""
    name = Text(notebook.id, style="bold").append(f"  {notebook.role}  {notebook.title}", style="dim")
    stdout().print(name, soft_wrap=True)
    for problem in problems:
        stdout().print(Text(f"  not read: {problem}", style="yellow"), soft_wrap=True)


def print_passage(passage: NotebookPassage) -> None:
    stdout().print(Text(passage.cited, style="bold"), soft_wrap=True)
    stdout().print(Text(f"“{passage.text}”\n"), soft_wrap=True)
