"""`foreman`: a writer and their editor at a terminal."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import MODEL, perform, say, settings_of, stdout, tell
from dramaturg.cli.foreman_view import ForemanView, show_layers, show_standing, show_work_order_rows
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value
from dramaturg.studio import Studio
from dramaturg.workshop.book import ActiveContext, NotebookListing
from dramaturg.workshop.decisions import Decision, NewDecision
from dramaturg.workshop.events import ActionUndone, ForemanRun
from dramaturg.workshop.foreman import Foreman
from dramaturg.workshop.modes import Mode
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.state import foreman_state
from dramaturg.workshop.views import consultation_view
from dramaturg.workshop.wire import ConsultDone, ConsultEvent

T = TypeVar("T")
LEAVE = ("/quit", "/exit", "/q")
COMMANDS = "/state  /work-order  /undo  /why  /quit"


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How one talks with the Foreman, and how that is shown."""

    model: str | None = None
    file: str = ""
    thinking: bool = False
    json: bool = False

    @property
    def active(self) -> ActiveContext:
        return ActiveContext(file=self.file)


def talk(message: str, project: Path, options: ChatOptions) -> None:
    async def work() -> bool:
        settings = settings_of(project)
        async with Studio.open(settings) as studio:
            if not options.model and not options.json and not settings.workshop.model and not settings.models.default:
                tell((await studio.choose()).reason, "dim")
            view = ForemanView(stdout(), thinking=options.thinking)
            if (await studio.foreman.view()).unanswered:
                if not options.json:
                    tell("An earlier message was broken off; it is answered first.", "dim")
                await _hear(studio.foreman.finish(), view, options)
            if message.strip():
                return await _hear(_said(studio.foreman, message, options), view, options)
            return await _converse(studio.foreman, view, options)

    if not perform(work, json=options.json):
        import typer

        raise typer.Exit(MODEL)


def _said(foreman: Foreman, message: str, options: ChatOptions) -> AsyncIterator[ConsultEvent]:
    return foreman.consult(message, model=options.model, active=options.active)


async def _hear(events: AsyncIterator[ConsultEvent], view: ForemanView, options: ChatOptions) -> bool:
    """Show a consultation as it comes; whether it was answered."""
    answered = True
    try:
        async for event in events:
            if options.json:
                say(event.model_dump(mode="json", by_alias=True, exclude_none=True))
            else:
                view.show(event)
            if isinstance(event, ConsultDone):
                answered = event.answered
    except asyncio.CancelledError:
        tell("\nStopped. What you said is kept, and is answered first when you come back.")
        raise
    return answered


async def _converse(foreman: Foreman, view: ForemanView, options: ChatOptions) -> bool:
    """Message after message, until the writer leaves."""
    at_terminal = sys.stdin.isatty()
    if at_terminal:
        with suppress(ImportError):
            import readline  # noqa: F401  # lines can be edited from then on
    if at_terminal and not options.json:
        await _welcome(foreman)
    answered = True
    while (line := _typed(at_terminal)) is not None:
        said = line.strip()
        if said in LEAVE:
            break
        if not said:
            continue
        if said.startswith("/"):
            await _command(said, foreman, view)
            continue
        if not at_terminal and not options.json:
            view.quote(said)
        answered = await _hear(_said(foreman, said, options), view, options)
    return answered


async def _welcome(foreman: Foreman) -> None:
    book = await foreman.view()
    tell(f"{book.title}: {book.mode}, {book.completion}% of the story bible. {COMMANDS}", "dim")
    tell("A line is a message; end it with \\ to go on in the next.", "dim")


def _typed(at_terminal: bool) -> str | None:
    """The next message. Nothing is under way while a writer thinks, so the loop may wait; Ctrl-C leaves at once."""
    if not at_terminal:
        return _next_message(at_terminal)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _next_message(at_terminal)
    finally:
        signal.signal(signal.SIGINT, before)


def _next_message(at_terminal: bool) -> str | None:
    """A message of one or more lines; None at the end of the input."""
    lines: list[str] = []
    while True:
        try:
            line = input("\n> " if at_terminal and not lines else "")
        except EOFError:
            return "\n".join(lines) if lines else None
        if not line.endswith("\\"):
            return "\n".join([*lines, line])
        lines.append(line[:-1])


async def _command(said: str, foreman: Foreman, view: ForemanView) -> None:
    if said == "/undo":
        try:
            tell((await foreman.undo()).said)
        except InvalidConfig as error:
            tell(error.message)
    elif said == "/state":
        show_standing(stdout(), await foreman.view())
    elif said == "/work-order":
        show_work_order_rows(stdout(), (await foreman.view()).work_order)
    elif said == "/why":
        view.unfold()
    else:
        tell(f"There is no {said}. {COMMANDS}")


def show_state(project: Path, json: bool) -> None:
    book = _with(project, lambda foreman: foreman.view(), json)
    _out(book) if json else show_standing(stdout(), book, xml=True)


def show_work_order(project: Path, json: bool) -> None:
    book = _with(project, lambda foreman: foreman.view(), json)
    _out(book.work_order) if json else show_work_order_rows(stdout(), book.work_order)


def show_prompt(project: Path, model: str | None, message: str, file: str, *, summary: bool, json: bool) -> None:
    active = ActiveContext(file=file)
    prompt = _with(project, lambda foreman: foreman.prompt(message, model=model, active=active), json)
    if json:
        _out(prompt)
        return
    console = stdout()
    if not summary:
        console.print(Text("── system", style="dim"))
        console.print(Text(prompt.system), soft_wrap=True)
        for one in prompt.messages:
            console.print(Text(f"── {one.role}", style="dim"))
            console.print(Text(one.text), soft_wrap=True)
        console.print(Text("──\n", style="dim"))
    show_layers(console, prompt)


def decide_by_hand(key: str, value: str, project: Path, category: str, kind: str, json: bool) -> None:
    async def decide(foreman: Foreman) -> Decision:
        try:
            new = {"category": category, "key": key, "value": value, "kind": kind, "source": "writer"}
            wanted = NewDecision.model_validate(new)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            raise InvalidConfig(f"'{name}': {first['msg'].lower()} (found {str(first['input'])[:80]!r}).") from error
        return await foreman.decide(wanted)

    kept = _with(project, decide, json)
    _out(kept) if json else stdout().print(Text(f"{kept.key} ({kept.category}): {kept.value}"), soft_wrap=True)


def list_decisions(project: Path, history: str | None, json: bool) -> None:
    async def found(foreman: Foreman) -> tuple[Decision, ...]:
        return await (foreman.history(history) if history else foreman.decisions())

    decisions = _with(project, found, json)
    if json:
        for one in decisions:
            _out(one)
        return
    if not decisions:
        tell("Nothing is settled yet. Try: dramaturg foreman chat")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("key", "category", "kind", "value", "decided", ""):
        table.add_column(column, no_wrap=column in ("key", "decided"))
    for one in decisions:
        at = datetime.fromtimestamp(one.decided_at).astimezone()
        stands = "holds" if one.holds else "taken back" if one.taken_back else "changed since"
        row = (one.key, one.category, one.kind, one.value, f"{at:%Y-%m-%d %H:%M}", stands if history else "")
        table.add_row(*map(Text, row))
    stdout().print(table)


def list_notebooks(project: Path, ask: str | None, notebook: str, json: bool) -> None:
    if ask:
        _ask_notebook(project, ask, notebook, json)
        return

    async def work(foreman: Foreman) -> tuple[tuple[NotebookListing, ...], dict[str, tuple[str, ...]]]:
        return foreman.notebooks(), await foreman.notebook_problems()

    listed, problems = _with(project, work, json)
    for one in listed:
        wrong = problems.get(one.id, ())
        if json:
            say({**one.model_dump(), "problems": wrong})
            continue
        stdout().print(Text(one.id, style="bold").append(f"  {one.role}  {one.title}", style="dim"), soft_wrap=True)
        for problem in wrong:
            stdout().print(Text(f"  not read: {problem}", style="yellow"), soft_wrap=True)
    if not listed and not json:
        tell("There is none yet. Put research into notebooks/<role>/ as md, txt, pdf or docx.")


def _ask_notebook(project: Path, question: str, notebook: str, json: bool) -> None:
    async def work(foreman: Foreman) -> tuple[NotebookPassage, ...]:
        known = foreman.notebooks()
        return await foreman.ask_notebook(notebook or (known[0].id if known else "world_building"), question)

    passages = _with(project, work, json)
    for one in passages:
        if json:
            _out(one)
            continue
        stdout().print(Text(one.cited, style="bold"), soft_wrap=True)
        stdout().print(Text(f"“{one.text}”\n"), soft_wrap=True)
    if not passages and not json:
        tell("Nothing in it fits that question.")


def change_mode(to: str, project: Path, *, force: bool, json: bool) -> None:
    named = to.strip().upper().replace("-", "_").replace(" ", "_")
    if named and named not in list(Mode):
        known = ", ".join(Mode)

        async def unknown() -> None:
            raise InvalidConfig(f"There is no mode '{to}' (there are: {known}).", mode=to)

        perform(unknown, json=json)
    wanted = Mode(named) if named else None
    outcome = _with(project, lambda foreman: foreman.change_mode(wanted, force=force), json)
    _out(outcome) if json else stdout().print(Text(outcome.said), soft_wrap=True)


def undo_last(project: Path, json: bool) -> None:
    undone: ActionUndone = _with(project, lambda foreman: foreman.undo(), json)
    _out(undone) if json else stdout().print(Text(undone.said), soft_wrap=True)


def show_conversation(run: ForemanRun, *, json: bool) -> None:
    """A book's whole conversation, for `runs show`."""
    for _, turn in sorted(foreman_state(run.entries).turns.items()):
        told = consultation_view(turn)
        if json:
            _out(told)
            continue
        view = ForemanView(stdout())
        view.quote(told.said)
        view.turn(told)


def _with(project: Path, work: Callable[[Foreman], Coroutine[object, object, T]], json: bool) -> T:
    async def opened() -> T:
        async with Studio.open(settings_of(project)) as studio:
            return await work(studio.foreman)

    return perform(opened, json=json)


def _out(value: Value) -> None:
    say(value.model_dump(mode="json", by_alias=True))
