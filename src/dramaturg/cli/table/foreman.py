"""`foreman`: a writer and their editor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(help="Plan and write a book with the Foreman, from idea to manuscript.", no_args_is_help=True)

Model = Annotated[str | None, typer.Option(help="Who answers: provider/model, a provider, or 'rehearsal'.")]
File = Annotated[str, typer.Option("--file", help="The file of manuscript/ that you have before you.")]


@app.command("chat")
def chat(
    message: Annotated[str, typer.Argument(help="What you say; without it, a conversation.", show_default=False)] = "",
    project: Project = Path(),
    model: Model = None,
    file: File = "",
    thinking: Annotated[bool, typer.Option("--thinking", help="Show the Foreman's reasoning too.")] = False,
    json: Json = False,
) -> None:
    """Talk with the Foreman. What you say is kept, and what is decided is written down."""
    from dramaturg.cli.foreman import ChatOptions, talk

    talk(message, project, ChatOptions(model=model, file=file, thinking=thinking, json=json))


@app.command("state")
def state(project: Project = Path(), json: Json = False) -> None:
    """Where the book stands, and what a model is told about it."""
    from dramaturg.cli.foreman import show_state

    show_state(project, json)


@app.command("prompt")
def prompt(
    project: Project = Path(),
    model: Model = None,
    message: Annotated[str, typer.Option("--message", "-m", help="What you would say.")] = "What comes next?",
    file: File = "",
    summary: Annotated[bool, typer.Option("--summary", help="Only the layers, not the text.")] = False,
    json: Json = False,
) -> None:
    """Exactly what would be sent, what each layer costs, and what is left out. Nothing is sent."""
    from dramaturg.cli.foreman import show_prompt

    show_prompt(project, model, message, file, summary=summary, json=json)


@app.command("work-order")
def work_order(project: Project = Path(), json: Json = False) -> None:
    """What the book still needs before its next mode opens."""
    from dramaturg.cli.foreman import show_work_order

    show_work_order(project, json)


@app.command("decide")
def decide(
    key: Annotated[str, typer.Argument(help="A short name, such as ruth_fatal_flaw.")],
    value: Annotated[str, typer.Argument(help="What is decided.")],
    project: Project = Path(),
    category: Annotated[
        str, typer.Option(help="character, world, structure, constraint, preference or voice.")
    ] = "structure",
    kind: Annotated[str, typer.Option(help="fact, preference, correction or continuity.")] = "fact",
    json: Json = False,
) -> None:
    """Settle something yourself. A key that is known gets the new value and keeps its past."""
    from dramaturg.cli.foreman import decide_by_hand

    decide_by_hand(key, value, project, category, kind, json)


@app.command("decisions")
def decisions(
    project: Project = Path(),
    history: Annotated[str | None, typer.Option(metavar="KEY", help="All that was ever decided under a key.")] = None,
    json: Json = False,
) -> None:
    """What is settled about the book."""
    from dramaturg.cli.foreman import list_decisions

    list_decisions(project, history, json)


@app.command("notebooks")
def notebooks(
    project: Project = Path(),
    ask: Annotated[str | None, typer.Option(metavar="QUESTION", help="Ask, and see the passages.")] = None,
    notebook: Annotated[str, typer.Option("--notebook", "-n", help="Which one, by id or role.")] = "",
    json: Json = False,
) -> None:
    """The writer's research that the Foreman can ask."""
    from dramaturg.cli.foreman import list_notebooks

    list_notebooks(project, ask, notebook, json)


@app.command("mode")
def mode(
    to: Annotated[str, typer.Argument(help="The mode; the next one if not given.", show_default=False)] = "",
    project: Project = Path(),
    force: Annotated[bool, typer.Option("--force", help="Through a closed gate; the risk is written down.")] = False,
    json: Json = False,
) -> None:
    """Go on to the next mode, or back."""
    from dramaturg.cli.foreman import change_mode

    change_mode(to, project, force=force, json=json)


@app.command("undo")
def undo(project: Project = Path(), json: Json = False) -> None:
    """Take back the last thing that was done; again, the one before."""
    from dramaturg.cli.foreman import undo_last

    undo_last(project, json)
