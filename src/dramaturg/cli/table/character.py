"""`character`: cards and memories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(
    help="Cards from elsewhere, in and out; what characters remember of earlier scenes, and changing it.",
    no_args_is_help=True,
)
CharacterName = Annotated[str, typer.Argument(help="Name of a card in .claude/agents/.")]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, or enough of its beginning.")]


@app.command("import")
def character_import(
    file: Annotated[Path, typer.Argument(help="A character card: JSON, PNG or CharX.")],
    name: Annotated[str | None, typer.Option(help="Its name in this project.", show_default="the card's")] = None,
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Take a character card of another program into the project."""
    from dramaturg.cli.cards import import_character

    import_character(file, project, name, json)


@app.command("export")
def character_export(
    name: CharacterName,
    to: Annotated[Path, typer.Option("--to", help="The file: .json, .png or .charx.")],
    spec: Annotated[str | None, typer.Option(help="v1, v2 or v3.", show_default="the card's own, or v3")] = None,
    image: Annotated[Path | None, typer.Option(help="A PNG picture of the character.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Write a character as a card that other programs read."""
    from dramaturg.cli.cards import export_character

    export_character(name, to, project, spec, image, force=force, json=json)


@app.command("show")
def character_show(name: CharacterName, project: Project = Path(), json: Json = False) -> None:
    """Memories with where they come from, mood and bonds."""
    from dramaturg.cli.character import show_character

    show_character(name, project, json)


@app.command("edit")
def character_edit(
    name: CharacterName,
    memory: MemoryId,
    text: Annotated[str, typer.Argument(help="What it should say instead, to the character: 'Bob promised you …'")],
    project: Project = Path(),
) -> None:
    """Give a memory other words."""
    from dramaturg.cli.character import edit_memory

    edit_memory(name, memory, text, project)


@app.command("forget")
def character_forget(name: CharacterName, memory: MemoryId, project: Project = Path()) -> None:
    """Forget one memory for good."""
    from dramaturg.cli.character import forget_memory

    forget_memory(name, memory, project)


@app.command("reset")
def character_reset(
    name: CharacterName,
    project: Project = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget everything: memories, mood and bonds."""
    from dramaturg.cli.character import reset_character

    reset_character(name, project, yes)
