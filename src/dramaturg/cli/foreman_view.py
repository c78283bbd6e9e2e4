"""How a consultation and a book look in a terminal."""

from __future__ import annotations

from functools import singledispatchmethod

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dramaturg.workshop.bible import spans
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
    PromptView,
    RefusalShown,
    WorkOrder,
)

MARKS = {"complete": "✓", "draft_ready": "◐", "in_progress": "…", "not_started": "·"}


class ForemanView:
    """Prints a consultation as it happens: the message as it comes, then what was done and what was not."""

    def __init__(self, console: Console, *, thinking: bool = False) -> None:
        self._console = console
        self._thinking = thinking
        self._streamed = ""
        self._thought = ""

    @singledispatchmethod
    def show(self, event: ConsultEvent) -> None:
        """One event; what a person at a terminal does not need is passed over."""

    @show.register
    def _(self, event: MessageDelta) -> None:
        if not self._streamed:
            self._console.print()
        self._streamed += event.text
        self._console.print(Text(event.text), end="", soft_wrap=True)

    @show.register
    def _(self, event: MessageDone) -> None:
        shown, self._streamed = self._streamed, ""
        rest = event.text[len(shown) :] if event.text.startswith(shown) else f"\n\n{event.text}"
        self._console.print(Text(rest if shown else f"\n{event.text}"), soft_wrap=True)
        self._thought = event.thinking
        if self._thinking:
            self.unfold()
        for odd in event.odd:
            self._aside(f"(odd: {odd})")

    @show.register
    def _(self, event: ActionShown) -> None:
        self._aside(f"✓ {event.said}", "green")

    @show.register
    def _(self, event: RefusalShown) -> None:
        self._aside(f"✗ {event.action}: {event.reason}", "red")

    @show.register
    def _(self, event: ModeShown) -> None:
        self._aside(f"→ {event.before} to {event.after}", "bold")
        for risk in event.risks:
            self._aside(f"  risk: {risk}", "yellow")

    @show.register
    def _(self, event: DoubtShown) -> None:
        self._aside(f"? not found in the notes: “{event.quote}” ({event.cited})", "yellow")

    @show.register
    def _(self, event: FailureShown) -> None:
        self._streamed = ""
        self._aside(f"✗ {event.error} What you said is kept; say it again when the model is back.", "red")

    @show.register
    def _(self, event: ConsultDone) -> None:
        self._streamed = ""

    def turn(self, told: ConsultationView) -> None:
        """What came of a message, after the event."""
        self._console.print(Text(f"\n{told.message or '(no answer)'}"), soft_wrap=True)
        for done in told.done:
            self._aside(f"✓ {done}", "green")
        for wrong in filter(None, (*told.refused, told.failed)):
            self._aside(f"✗ {wrong}", "red")

    def unfold(self) -> None:
        """The reasoning of the last answer."""
        self._aside(self._thought or "(nothing was thought aloud)")

    def quote(self, said: str) -> None:
        """The writer's own words, where they do not stand on the screen already."""
        self._console.print(Text(f"\n> {said}", style="bold"), soft_wrap=True)

    def _aside(self, text: str, style: str = "dim") -> None:
        self._console.print(Text(text, style=style), soft_wrap=True)


def show_standing(console: Console, book: BookView, *, xml: bool = False) -> None:
    facts = " · ".join(filter(None, (book.protagonist, book.genre, book.tone)))
    console.print(Text(book.title, style="bold").append(f"  {facts}" if facts else "", style="dim"))
    console.print(f"{book.mode}, {book.completion}% of the story bible, {book.turns} turns, {book.decisions} decisions")
    for alert in book.alerts:
        console.print(Text(f"! {alert.severity}: {alert.text}", style="yellow"), soft_wrap=True)
    if book.unanswered:
        console.print(Text("A message was broken off; 'dramaturg foreman chat' answers it.", style="yellow"))
    if book.last_undoable:
        console.print(Text(f"undo would take back: {book.last_undoable}", style="dim"), soft_wrap=True)
    show_work_order_rows(console, book.work_order)
    if xml:
        console.print(Text(f"\n{book.session_state}", style="dim"), soft_wrap=True)


def show_work_order_rows(console: Console, order: WorkOrder) -> None:
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


def show_layers(console: Console, prompt: PromptView) -> None:
    assumed = ", as far as can be guessed" if prompt.assumed else ""
    console.print(Text(f"{prompt.model}: {prompt.tier} tier{assumed}", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("layer", "tokens", "budget", "price", ""):
        table.add_column(column, justify="right" if column in ("tokens", "budget", "price") else "left")
    for layer in prompt.layers:
        budget = str(layer.budget) if layer.budget is not None else ""
        table.add_row(layer.name, str(layer.tokens), budget, _money(layer.usd), Text(layer.note))
    table.add_row("in all", str(prompt.tokens), "", _money(prompt.usd), f"and up to {prompt.reserve} for the answer")
    console.print(table)
    _listed(console, "Not told", prompt.blind_spots)
    _listed(console, "The next tier would add", prompt.next_tier)


def _listed(console: Console, title: str, rows: tuple[str, ...]) -> None:
    if rows:
        console.print(Text(f"{title}:", style="bold"))
        for row in rows:
            console.print(Text(f"- {row}"), soft_wrap=True)


def _money(usd: float | None) -> str:
    return "unknown" if usd is None else f"${usd:.5f}"
