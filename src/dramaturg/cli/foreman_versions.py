"""`foreman versions`, `compare` and `restore`: the texts that a scene has had."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.edge import echo
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.options import Json, Project

Scene = Annotated[str, typer.Argument(help="A scene: ch04-sc02, or a path below manuscript/.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("versions")(show_versions)
    app.command("compare")(compare)
    app.command("restore")(restore)


def show_versions(
    scene: Scene,
    project: Project = Path(),
    text: Annotated[int | None, typer.Option("--text", metavar="N", help="Print the whole text of a version.")] = None,
    json: Json = False,
) -> None:
    """List the versions of a scene, oldest first, or print one of them."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.patch_view import print_versions

    if text is not None:
        found = ask_foreman(project, lambda foreman: foreman.versions.text(scene, text), json)
        print_value(found) if json else echo(found.text, end="")
        return
    listed = ask_foreman(project, lambda foreman: foreman.versions.versions(scene), json)
    print_value(listed) if json else print_versions(listed)


def compare(
    scene: Scene,
    first: Annotated[int, typer.Argument(help="A version.")],
    second: Annotated[int, typer.Argument(help="Another; the file as it is now if omitted.")] = 0,
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Show what has changed between two versions of a scene, word by word."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.patch_view import print_comparison

    found = ask_foreman(project, lambda foreman: foreman.versions.compare(scene, first, second), json)
    print_value(found) if json else print_comparison(found)


def restore(
    scene: Scene,
    version: Annotated[int, typer.Argument(help="The version, as 'versions' lists it.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Make a version the text of the scene again. The text before it is kept as a version."""
    from dramaturg.cli.foreman_view import print_value

    done = ask_foreman(project, lambda foreman: foreman.versions.restore(scene, version), json)
    print_value(done) if json else echo(done.said)
