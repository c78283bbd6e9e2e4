"""The root of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

from dramaturg import __version__
from dramaturg.cli.group import LazyGroup

EPILOG = (
    "Exit codes: 0 success; 1 a bug in dramaturg; 2 something the author can fix; 3 a model or a voice failed; "
    "4 over budget; 5 a problem with the disk or the database; 130 interrupted."
)


class Root(LazyGroup):
    """`dramaturg`. A new noun is a row here and a file of its name beside this one."""

    nouns: ClassVar[Mapping[str, str]] = {
        "new": "Create a small story project that is ready to play.",
        "serve": "Serve the project over HTTP, to this machine only unless told otherwise.",
        "mcp": "Offer the project as tools to programs that speak the Model Context Protocol.",
        "worker": "Play what other processes have queued; any number of workers share one Postgres.",
        "models": "List the models that can be used here, and why others cannot.",
        "doctor": "Check this machine and this project.",
        "trust": "Show what a project from elsewhere asks for, and allow it.",
        "scene": "Play scenes: two to five characters, one situation, one goal.",
        "act": "Play acts: several scenes in order, with memory, chosen by how the last one ended.",
        "episode": "Talk with a character, guided by a director you never see.",
        "ensemble": "Ask up to six voices: they answer, comment and reply.",
        "foreman": "Plan and write a book with the Foreman, from idea to manuscript.",
        "players": "Invite players of episodes over HTTP, and revoke their tokens.",
        "takes": "Compare performances of a scene side by side, and pick a favourite.",
        "runs": "Inspect what was played, and resume what was interrupted.",
        "store": "Back up everything that was played here.",
        "character": "Import and export character cards; see and change what characters remember.",
        "import": "Import the data of another program: characters, worlds, personas and chats.",
        "lorebook": "Check lorebooks, and try them on a message.",
        "programme": "Turn runs into programmes with chapters and captions, and folders of them into podcasts.",
        "voices": "List the voices that can speak here; try and measure them.",
    }


app = typer.Typer(
    name="dramaturg",
    cls=Root,
    help="A studio for stories that language models perform.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dramaturg {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A studio for stories that language models perform."""
