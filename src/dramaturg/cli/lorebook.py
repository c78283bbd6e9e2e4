"""`lorebook`: lore that joins a prompt when the conversation comes to it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, perform, print_json, stdout, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.characters.lorebook import Lorebook
    from dramaturg.characters.lorebook.scan import LoreScan

app = noun()
KINDS = {"card": "a card's book", "world": "World Info", "standalone": "V3 stand-alone"}


@app.callback()
def lorebook() -> None:
    """A group, though it has only one command."""


@app.command("check")
def check_lorebook(
    file: Annotated[Path, typer.Argument(help="A lorebook: World Info, V3 stand-alone, or a card that has one.")],
    text: Annotated[str, typer.Option(help="A message: which entries would be included, and why.")] = "",
    window: Annotated[
        int, typer.Option(min=1, help="Tokens that the model can take in; an eighth of them is for lore.")
    ] = 32_768,
    json: Json = False,
) -> None:
    """Read a lorebook, try it on a message, and show what would not fit."""
    from dramaturg.characters.bookshelf import lore_budget
    from dramaturg.characters.lorebook import load_book
    from dramaturg.characters.lorebook.activation import activate
    from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings

    async def work() -> tuple[Lorebook, LoreScan]:
        book = load_book(file)
        said = [LoreMessage(text=text)] if text else []
        return book, activate([book], said, settings=LoreSettings(budget_tokens=lore_budget(None, window)))

    book, scan = perform(work, json=json)
    if json:
        print_json(_record(book, scan))
    else:
        _print(book, scan)


def _print(book: Lorebook, scan: LoreScan) -> None:
    from rich.table import Table
    from rich.text import Text

    on = sum(entry.enabled for entry in book.entries)
    echo(f"{book.name} ({KINDS[book.form]}): {counted(len(book.entries), 'entry', 'entries')}, {on} of them enabled.")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("included", "tokens", "where", "why"):
        table.add_column(column, no_wrap=column in ("tokens", "where"))
    for one in scan.told:
        table.add_row(Text(one.entry.label), str(one.tokens), one.entry.position, Text(one.reason))
    if scan.told:
        stdout().print(table)
    for cut in (one for one in scan.told if one.cut_from):
        tell(f"  {cut.entry.label}: too long, only {cut.tokens} of its {cut.cut_from} tokens are told.", "yellow")
    for untold in scan.untold:
        tell(f"  {untold.label}: {untold.reason}", "yellow")
    for name, count in _unknown(book).items():
        tell(f"  @@{name} (in {count}) is not known here and does nothing.", "yellow")


def _record(book: Lorebook, scan: LoreScan) -> dict[str, object]:
    return {
        "name": book.name,
        "form": book.form,
        "entries": len(book.entries),
        "enabled": sum(entry.enabled for entry in book.entries),
        "told": [
            {"label": one.entry.label, "position": one.entry.position, "tokens": one.tokens, "reason": one.reason}
            | ({"cutFrom": one.cut_from} if one.cut_from else {})
            for one in scan.told
        ],
        "untold": [{"label": one.label, "reason": one.reason} for one in scan.untold],
        "unknownDecorators": dict(_unknown(book)),
    }


def _unknown(book: Lorebook) -> Counter[str]:
    return Counter(name for entry in book.entries for name in entry.decorators.unknown)
