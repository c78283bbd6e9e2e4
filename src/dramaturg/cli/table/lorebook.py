"""`lorebook`: books of lore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json

app = typer.Typer(help="Books of lore that is told when the talk comes to it.", no_args_is_help=True)


@app.command("check")
def lorebook_check(
    file: Annotated[Path, typer.Argument(help="A lorebook: World Info, V3 stand-alone, or a card's.")],
    text: Annotated[str, typer.Option(help="A message: which entries would be told, and why.")] = "",
    json: Json = False,
) -> None:
    """Read a lorebook, and try it on a message."""
    from dramaturg.cli.cards import check_lorebook

    check_lorebook(file, text, json)
