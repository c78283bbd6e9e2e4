"""`foreman patches`, `accept` and `reject`: what is proposed for the book, reviewed one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.edge import AUTHOR, echo
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.options import Json, Project

Numbers = Annotated[list[int], typer.Argument(help="The numbers of patches, as 'patches' shows them.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("patches")(show_patches)
    app.command("accept")(accept)
    app.command("reject")(reject)


def show_patches(
    project: Project = Path(),
    every: Annotated[bool, typer.Option("--all", help="Also those that were accepted, rejected or undone.")] = False,
    set_number: Annotated[int | None, typer.Option("--set", help="Only one set, whatever became of it.")] = None,
    json: Json = False,
) -> None:
    """Show the changes that are proposed, word by word, and whether each has its place."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.patch_view import print_patches

    found = ask_foreman(project, lambda foreman: foreman.patches.patches(every=every, set_number=set_number), json)
    print_value(found) if json else print_patches(found.patches)


def accept(
    numbers: Numbers,
    project: Project = Path(),
    place: Annotated[
        int | None, typer.Option("--place", help="Which of several places of its words is meant: 1 is the first.")
    ] = None,
    json: Json = False,
) -> None:
    """Make the changes of patches. Nothing else in the file changes; 'undo p3' undoes patch 3 alone."""
    from dramaturg.cli.foreman_view import print_value

    done = ask_foreman(project, lambda foreman: foreman.patches.accept(numbers, nth=place), json)
    print_value(done) if json else echo(done.said)
    if done.waiting:
        raise typer.Exit(AUTHOR)


def reject(
    numbers: Numbers,
    project: Project = Path(),
    reason: Annotated[str, typer.Option("--reason", help="Why; it is kept with the patch.")] = "",
    json: Json = False,
) -> None:
    """Set patches aside. They can still be accepted later."""
    from dramaturg.cli.foreman_view import print_value

    done = ask_foreman(project, lambda foreman: foreman.patches.reject(numbers, reason), json)
    print_value(done) if json else echo(done.said)
