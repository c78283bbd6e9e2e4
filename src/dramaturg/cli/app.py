"""The root of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg import __version__
from dramaturg.cli.table import character, ensemble, episode, foreman, lorebook, runs, scene, voices
from dramaturg.cli.table.options import Json, Project

EPILOG = (
    "Exit codes: 0 done; 2 something the author can mend; 3 a model; 4 the budget; "
    "5 the disk or the database; 130 interrupted."
)

app = typer.Typer(
    name="dramaturg",
    help="A studio for stories that language models perform.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for name, noun in (
    ("scene", scene),
    ("episode", episode),
    ("ensemble", ensemble),
    ("foreman", foreman),
    ("runs", runs),
    ("character", character),
    ("lorebook", lorebook),
    ("voices", voices),
):
    app.add_typer(noun.app, name=name)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dramaturg {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A studio for stories that language models perform."""


@app.command("new")
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
) -> None:
    """Make a small story project that plays at once."""
    from dramaturg.cli.new import new_project

    new_project(folder)


@app.command("serve")
def serve(
    project: Project = Path(),
    host: Annotated[str, typer.Option(help="The address to listen on; beyond this machine only with a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8321,
    insecure: Annotated[bool, typer.Option("--insecure", help="Let everybody in who reaches the address.")] = False,
) -> None:
    """Serve the project over HTTP, to this machine unless told otherwise."""
    from dramaturg.cli.serve import serve_project

    serve_project(project, host, port, insecure=insecure)


@app.command("models")
def models(project: Project = Path(), json: Json = False) -> None:
    """The models that can play here, and why others cannot."""
    from dramaturg.cli.models import list_models

    list_models(project, json)


@app.command("doctor")
def doctor(project: Project = Path(), json: Json = False) -> None:
    """Check this machine and this project."""
    from dramaturg.cli.doctor import examine

    examine(project, json)
