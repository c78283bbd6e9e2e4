"""`foreman consolidate` and `foreman conflicts`: facts into the graph, and what contradicts them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dramaturg.cli.edge import echo, in_studio, tell
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from dramaturg.studio import Studio
    from dramaturg.workshop.consolidation.values import Resolution
    from dramaturg.workshop.consolidation.wire import ConflictView
    from dramaturg.workshop.graph.wire import FactView

app = noun(invoke_without_command=True)
Number = Annotated[int, typer.Argument(help="The number of a conflict.", min=1)]
Note = Annotated[str, typer.Option("--note", help="A note for yourself.")]
REASONS = "lie, dream, retcon, unreliable, error in the text"


def add_to(foreman: typer.Typer) -> None:
    """Adds both to the commands of the Foreman."""
    foreman.command("consolidate")(consolidate)
    foreman.add_typer(app, name="conflicts", help="Facts that contradict one another, and what you say about them.")


def consolidate(
    project: Project = Path(),
    file: Annotated[str, typer.Option("--file", help="Only this file, such as manuscript/ch04-sc02.md.")] = "",
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Ask no model: decisions and front matter only, no prose.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last merge instead.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Show what was merged and what waits instead.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: Json = False,
) -> None:
    """Read what is new in the book into its graph: each fact with its quotation. Contradictions wait for you."""
    from dramaturg.cli.foreman_view import print_value

    if undo:
        undone = ask_foreman(project, lambda foreman: foreman.consolidation.undo(), json)
        print_value(undone) if json else echo(f"Undone: merge {undone.id} ({undone.counts.added} facts).")
        return
    if status:
        held = ask_foreman(project, lambda foreman: foreman.consolidation.batches(), json)
        if json:
            print_value(held)
            return
        for one in held.batches:
            state = " (undone)" if one.undone_at is not None else ""
            echo(f"{one.id}  {one.counts.added} facts, {one.counts.conflicts} conflicts, run {one.run}{state}")
        echo(f"Not read yet: {len(held.waiting_texts)} texts, {held.waiting_decisions} decisions.")
        return

    async def work(studio: Studio) -> None:
        from dramaturg.cli.foreman_work import do_work
        from dramaturg.workshop.consolidation.work import NAME, ConsolidationRequest

        await do_work(studio, NAME, ConsolidationRequest(reads=not no_model, file=file), yes=yes, json=json)

    in_studio(project, work, json=json)


@app.callback(invoke_without_command=True)
def show_conflicts(
    context: typer.Context,
    project: Project = Path(),
    all_: Annotated[bool, typer.Option("--all", help="Show settled ones too.")] = False,
    json: Json = False,
) -> None:
    """List the contradictions that wait for you, with both quotations."""
    if context.invoked_subcommand is not None:
        return
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.consolidation.conflicts(resolved=all_), json)
    if json:
        print_value(found)
        return
    for one in found.conflicts:
        _print_conflict(one)
    if not found.conflicts:
        tell("No contradiction waits for you.")
    elif found.waiting:
        tell("Settle one: dramaturg foreman conflicts keep-old N, take-new N, or keep-both N --reason …", "dim")


@app.command("keep-old")
def keep_old(number: Number, project: Project = Path(), note: Note = "", json: Json = False) -> None:
    """Let the old fact stand; the new one is not asked about again."""
    _settle(project, number, "keep_old", "", note, json)


@app.command("take-new")
def take_new(number: Number, project: Project = Path(), note: Note = "", json: Json = False) -> None:
    """Let the new fact stand instead of the old one."""
    _settle(project, number, "take_new", "", note, json)


@app.command("keep-both")
def keep_both(
    number: Number,
    reason: Annotated[str, typer.Option("--reason", help=f"Why both hold: {REASONS}.")],
    project: Project = Path(),
    note: Note = "",
    json: Json = False,
) -> None:
    """Let both stand, for a reason."""
    _settle(project, number, "keep_both", reason, note, json)


@app.command("undo")
def undo(number: Number, project: Project = Path(), json: Json = False) -> None:
    """Take back what you said about a conflict; it waits again."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.consolidation.reopen(number), json)
    print_value(found) if json else echo(f"Conflict {found.id} waits again: {found.said}")


def _settle(project: Path, number: int, resolution: str, reason: str, note: str, json: bool) -> None:
    from dramaturg.cli.foreman_view import print_value

    meant = cast("Resolution", resolution)
    found = ask_foreman(project, lambda foreman: foreman.consolidation.resolve(number, meant, reason, note), json)
    if json:
        print_value(found)
        return
    stands = {"keep_old": found.old.said, "take_new": found.new.said}.get(resolution, "both")
    echo(f"Conflict {number} is settled: {stands}{' stand' if stands == 'both' else ''}.")
    lost = {"keep_old": found.new, "take_new": found.old}.get(resolution)
    if lost is not None and lost.file:
        tell(f"{lost.file} still says: “{_line(lost.quote)}”. Change it there if it is wrong.")


def _print_conflict(one: ConflictView) -> None:
    settled = (
        f" [{one.resolution.replace('_', ' ')}{f': {one.reason}' if one.reason else ''}]" if one.resolution else ""
    )
    echo(f"{one.id}  {one.rule.replace('_', ' ')}{settled}: {one.said}")
    _print_side("old", one.old)
    _print_side("new", one.new)
    for fact in one.further:
        _print_side("and", fact)


def _print_side(side: str, fact: FactView) -> None:
    place = fact.file or fact.source
    paragraph = f", paragraph {fact.paragraph}" if fact.paragraph else ""
    echo(f"    {side}  “{_line(fact.quote)}” [{place}{paragraph}]")


def _line(quote: str) -> str:
    return " ".join(quote.split())
