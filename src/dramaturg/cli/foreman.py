"""`foreman`: a writer and their editor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dramaturg.cli import (
    foreman_conflicts,
    foreman_draft,
    foreman_drill,
    foreman_export,
    foreman_graph,
    foreman_health,
    foreman_import,
    foreman_pages,
    foreman_patches,
    foreman_plan,
    foreman_revision,
    foreman_series,
    foreman_thread,
    foreman_versions,
    foreman_voice,
)
from dramaturg.cli.edge import MODEL, echo, fail, in_studio, print_json, stdout, tell
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Model, Project
from dramaturg.kernel.errors import InvalidConfig

if TYPE_CHECKING:
    from dramaturg.studio import Studio
    from dramaturg.workshop.book.decisions import NewDecision
    from dramaturg.workshop.front import Workshop
    from dramaturg.workshop.notebooks import NotebookListing, NotebookPassage

app = noun()
app.add_typer(
    foreman_graph.app, name="graph", help="The knowledge graph: who is who, how they are connected, who knows what."
)
app.add_typer(foreman_health.app, name="health")
app.command("drill")(foreman_drill.drill)
foreman_conflicts.add_to(app)
app.add_typer(foreman_voice.app, name="voice", help="The narrative voice: found blind, measured, written down, locked.")
app.command("ban")(foreman_voice.ban)
foreman_pages.register(app)
foreman_draft.register(app)
foreman_plan.register(app)
foreman_patches.register(app)
foreman_revision.register(app)
foreman_versions.register(app)
foreman_import.register(app)
foreman_export.register(app)
foreman_thread.register(app)
app.add_typer(foreman_series.app, name="series", help="The series: what its books share, and where this one differs.")
File = Annotated[str, typer.Option("--file", help="The file in manuscript/ that you are working on.")]


@app.command("chat")
def chat(
    message: Annotated[
        str, typer.Argument(help="Your message; without one, a conversation starts.", show_default=False)
    ] = "",
    project: Project = Path(),
    model: Model = None,
    file: File = "",
    thinking: Annotated[bool, typer.Option("--thinking", help="Show the Foreman's reasoning too.")] = False,
    json: Json = False,
) -> None:
    """Talk with the Foreman. Your messages are saved, and decisions are written down."""
    from dramaturg.cli.foreman_chat import ForemanChat

    async def work(studio: Studio) -> bool:
        settings = studio.settings
        if not model and not json and not settings.workshop.model and not settings.models.default:
            tell((await studio.choose()).reason, "dim")
        talk = ForemanChat(studio, model=model, file=file, thinking=thinking, json=json)
        await talk.finish()
        answered = await (talk.send(message) if message.strip() else talk.converse())
        await talk.wait_for_works()
        return answered

    if not in_studio(project, work, json=json):
        raise typer.Exit(MODEL)


@app.command("state")
def show_state(project: Project = Path(), json: Json = False) -> None:
    """Show the book's progress, and what a model is told about it."""
    from dramaturg.cli.foreman_view import print_book, print_value

    book = ask_foreman(project, lambda foreman: foreman.view(), json)
    print_value(book) if json else print_book(stdout(), book, xml=True)


@app.command("prompt")
def show_prompt(
    project: Project = Path(),
    model: Model = None,
    message: Annotated[str, typer.Option("--message", "-m", help="The message you would send.")] = "What comes next?",
    file: File = "",
    summary: Annotated[bool, typer.Option("--summary", help="Show only the layers, not the text.")] = False,
    json: Json = False,
) -> None:
    """Show exactly what would be sent, what each layer costs, and what is left out. Nothing is sent."""
    from dramaturg.cli.foreman_view import print_prompt, print_value
    from dramaturg.workshop.book.book import ActiveContext

    active = ActiveContext(file=file)
    prompt = ask_foreman(project, lambda foreman: foreman.prompt(message, model=model, active=active), json)
    print_value(prompt) if json else print_prompt(stdout(), prompt, summary=summary)


@app.command("work-order")
def show_work_order(project: Project = Path(), json: Json = False) -> None:
    """Show what the book still needs before its next mode opens."""
    from dramaturg.cli.foreman_view import print_value, print_work_order

    order = ask_foreman(project, lambda foreman: foreman.view(), json).work_order
    print_value(order) if json else print_work_order(stdout(), order)


@app.command("decide")
def decide(
    key: Annotated[str, typer.Argument(help="A short name, such as ruth_fatal_flaw.")],
    value: Annotated[str, typer.Argument(help="The decision.")],
    project: Project = Path(),
    category: Annotated[
        str, typer.Option(help="character, world, structure, constraint, preference or voice.")
    ] = "structure",
    kind: Annotated[str, typer.Option(help="fact, preference, correction or continuity.")] = "fact",
    json: Json = False,
) -> None:
    """Decide something yourself. An existing key gets the new value and keeps its history."""
    from dramaturg.cli.foreman_view import print_value

    made = ask_foreman(project, lambda foreman: foreman.decide(_decision(key, value, category, kind)), json)
    if json:
        print_value(made)
    else:
        echo(f"{made.key} ({made.category}): {made.value}")


def _decision(key: str, value: str, category: str, kind: str) -> NewDecision:
    from pydantic import ValidationError

    from dramaturg.kernel.problems import first_problem
    from dramaturg.workshop.book.decisions import NewDecision

    given = {"category": category, "key": key, "value": value, "kind": kind, "source": "writer"}
    try:
        return NewDecision.model_validate(given)
    except ValidationError as error:
        raise InvalidConfig(f"{first_problem(error, given)}.") from error


@app.command("decisions")
def list_decisions(
    project: Project = Path(),
    history: Annotated[
        str | None, typer.Option(metavar="KEY", help="Everything that was ever decided under a key.")
    ] = None,
    json: Json = False,
) -> None:
    """List what has been decided about the book."""
    from dramaturg.cli.foreman_view import print_decisions, print_value

    decisions = ask_foreman(project, lambda foreman: foreman.history(history) if history else foreman.decisions(), json)
    if json:
        for one in decisions:
            print_value(one)
    else:
        print_decisions(decisions, history=bool(history))


@app.command("notebooks")
def list_notebooks(
    project: Project = Path(),
    ask: Annotated[
        str | None, typer.Option(metavar="QUESTION", help="Ask a question, and see the passages found.")
    ] = None,
    notebook: Annotated[str, typer.Option("--notebook", "-n", help="The notebook to ask, by id or role.")] = "",
    json: Json = False,
) -> None:
    """List the writer's research that the Foreman can consult, or ask it something."""
    if ask:
        _ask_notebook(project, ask, notebook, json)
        return
    from dramaturg.cli.foreman_view import print_notebook

    async def work(foreman: Workshop) -> tuple[tuple[NotebookListing, ...], dict[str, tuple[str, ...]]]:
        return foreman.notebooks(), await foreman.notebook_problems()

    listed, problems = ask_foreman(project, work, json)
    for one in listed:
        if json:
            print_json({**one.model_dump(), "problems": problems.get(one.id, ())})
        else:
            print_notebook(one, problems.get(one.id, ()))
    if not listed and not json:
        tell("There are no notebooks yet. Put research into notebooks/<role>/ as md, txt, pdf or docx.")


def _ask_notebook(project: Path, question: str, notebook: str, json: bool) -> None:
    from dramaturg.cli.foreman_view import print_passage, print_value

    async def work(foreman: Workshop) -> tuple[NotebookPassage, ...]:
        known = foreman.notebooks()
        return await foreman.ask_notebook(notebook or (known[0].id if known else "world_building"), question)

    passages = ask_foreman(project, work, json)
    for one in passages:
        print_value(one) if json else print_passage(one)
    if not passages and not json:
        tell("Nothing in the notebook matches that question.")


@app.command("mode")
def change_mode(
    to: Annotated[str, typer.Argument(help="The mode; the next one if omitted.", show_default=False)] = "",
    project: Project = Path(),
    force: Annotated[bool, typer.Option("--force", help="Pass a closed gate; the risk is written down.")] = False,
    json: Json = False,
) -> None:
    """Move on to the next mode, or go back."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.book.modes import Mode

    named = to.strip().upper().replace("-", "_").replace(" ", "_")
    if named and named not in list(Mode):
        fail(InvalidConfig(f"There is no mode '{to}' (there are: {', '.join(Mode)}).", mode=to), json=json)
    wanted = Mode(named) if named else None
    outcome = ask_foreman(project, lambda foreman: foreman.change_mode(wanted, force=force), json)
    if json:
        print_value(outcome)
    else:
        echo(outcome.said)


@app.command("settle")
def settle(
    key: Annotated[str, typer.Argument(help="The decision that differs from the story bible.")],
    keep: Annotated[str, typer.Option(help="file (the decision follows it) or decision (the page is rewritten).")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Settle which holds where a decision and the story bible say different things."""
    from typing import get_args

    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.front import Kept

    if keep not in get_args(Kept):
        fail(InvalidConfig(f"--keep is 'file' or 'decision', not '{keep}'.", keep=keep), json=json)
    outcome = ask_foreman(project, lambda foreman: foreman.settle(key, cast("Kept", keep)), json)
    if json:
        print_value(outcome)
    else:
        echo(outcome.said)


@app.command("confirm")
def confirm(project: Project = Path(), json: Json = False) -> None:
    """Say yes to what the Foreman offered in its last answer."""
    from dramaturg.cli.foreman_view import print_value

    outcome = ask_foreman(project, lambda foreman: foreman.confirm(), json)
    if json:
        print_value(outcome)
    else:
        echo(outcome.said)


@app.command("works")
def list_works(project: Project = Path(), json: Json = False) -> None:
    """List the long works of the book, newest first; each is a run that can be shown, resumed and priced."""
    from dramaturg.cli.foreman_work import print_works

    print_works(ask_foreman(project, lambda foreman: foreman.works.rows(), json), json=json)


@app.command("undo")
def undo(
    act: Annotated[str, typer.Argument(help="The action, as --list shows it; the last one if omitted.")] = "",
    project: Project = Path(),
    listed: Annotated[bool, typer.Option("--list", help="List what can be undone, latest first.")] = False,
    keep_file: Annotated[
        bool, typer.Option("--keep-file", help="Leave the file as it is, and undo what came before it next.")
    ] = False,
    json: Json = False,
) -> None:
    """Revert the last action, or the one named; repeat to revert the one before."""
    from dramaturg.cli.foreman_view import print_undoable, print_value

    if listed:
        rows = ask_foreman(project, lambda foreman: foreman.undoable(), json)
        if json:
            for row in rows:
                print_value(row)
        else:
            print_undoable(rows)
        return
    undone = ask_foreman(project, lambda foreman: foreman.undo(act or None, keep_file=keep_file), json)
    if json:
        print_value(undone)
    else:
        echo(undone.said)
