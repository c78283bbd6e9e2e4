"""`foreman thread`: everything that rests on a fact, and the change of all of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import AUTHOR, echo, in_studio, tell
from dramaturg.cli.foreman_revision import Yes
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from pydantic import JsonValue

    from dramaturg.studio import Studio
    from dramaturg.workshop.thread.values import PulledThread


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("thread")(pull_thread)


def pull_thread(
    fact: Annotated[str, typer.Argument(help="A fact: its number, such as 12, or words that only it has.")],
    project: Project = Path(),
    retcon: Annotated[
        str | None, typer.Option("--retcon", metavar="VALUE", help="Propose another value for it, everywhere at once.")
    ] = None,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="With --retcon: ask no model; list what only a reader can reword.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Show everything that rests on a fact: sentences, scaffolds, pages, decisions, and what was made of it."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_work import do_work

    async def work(studio: Studio) -> PulledThread | None:
        if retcon is None:
            return await studio.workshop.thread.pull(fact)
        given: dict[str, JsonValue] = {"fact": fact, "value": retcon, "rewords": not no_model}
        request = studio.workshop.works.read("retcon", given)
        await do_work(studio, "retcon", request, yes=yes, json=json)
        await studio.workshop.patches.take_in()
        return None

    found = in_studio(project, work, json=json)
    if found is None:
        return
    print_value(found) if json else _print_thread(found)
    if found.fact is None:
        raise typer.Exit(AUTHOR)


def _print_thread(thread: PulledThread) -> None:
    for choice in thread.choices:
        number = "" if choice.book else f"#{choice.id} "
        echo(f"{number}{choice.said} [{choice.file or choice.source}]")
    for one in thread.strands:
        book = f"{one.book}: " if one.book else ""
        where = f"{book}{one.where}:{one.line}" if one.line else f"{book}{one.where}"
        quote = f" “{' '.join(one.quote.split())}”" if one.quote else ""
        said = f" ({one.said})" if one.said else ""
        echo(f"{one.kind:8} {one.way:7} {where}{quote}{said}")
    for problem in thread.problems:
        tell(problem, "yellow")
    tell(thread.said)
