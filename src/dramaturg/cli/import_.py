"""`import`: the data of another program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, open_studio, perform, print_json, project_option, settings_of, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from dramaturg.episodes.folder_import import FolderReport, ImportKind, ImportRow

app = noun()
KINDS: dict[ImportKind, str] = {"character": "characters", "world": "worlds", "persona": "personas", "chat": "chats"}


@app.callback()
def import_data() -> None:
    """A group, though it has only one command."""


@app.command("sillytavern")
def import_sillytavern(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="SillyTavern's folder, or the data folder of a user.")],
    project: Project = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be imported, and write nothing.")] = False,
    player: Annotated[str, typer.Option("--player", help="Who plays the chats that belong to no persona.")] = "me",
    model: Annotated[str | None, typer.Option(help="The model that plays the characters of the chats.")] = None,
    json: Json = False,
) -> None:
    """Import characters, worlds, personas and chats. Nothing is overwritten; a second time brings only what changed."""
    from dramaturg.characters.tavern.folder import TavernFolder
    from dramaturg.episodes.folder_import import FolderImport, ImportLedger, check_apart

    async def work() -> FolderReport:
        settings = settings_of(project)
        found, ledger = TavernFolder.find(folder), ImportLedger(settings.data)
        check_apart(found, project, settings.data)
        show = _ignore if json else _print_row
        if dry_run:
            return await FolderImport(found, project, ledger, on_row=show).run()
        async with open_studio(settings) as studio:
            return await FolderImport(
                found, project, ledger, episodes=studio.episodes, player=player, model=model, on_row=show
            ).run()

    report = perform(work, json=json)
    if json:
        print_json(report.model_dump(mode="json"))
    else:
        _print_summary(report, project)


def _ignore(row: ImportRow) -> None:
    """With `--json`, the report is printed as a whole."""


def _print_row(row: ImportRow) -> None:
    if row.outcome == "imported":
        echo(f"{row.source} -> {_where(row)}")
        for remark in row.remarks:
            tell(f"  {remark}", "dim")
    elif row.outcome == "left":
        tell(f"Left: {row.source}: {' '.join(row.remarks)}", "yellow")


def _where(row: ImportRow) -> str:
    if row.kind == "character":
        return f".claude/agents/{row.target}.md"
    if row.kind == "chat":
        return f"session {row.target}" if row.target != "a session" else row.target
    return f"player {row.target}" if row.kind == "persona" else row.target


def _print_summary(report: FolderReport, project: Path) -> None:
    verb = "would be imported" if report.dry_run else "imported"
    for kind, label in KINDS.items():
        new, same, left = (report.count(kind, outcome) for outcome in ("imported", "unchanged", "left"))
        if new or same or left:
            echo(f"{label}: {new} {verb}, {same} unchanged, {left} left")
    chat = next((row for row in report.rows if row.kind == "chat" and row.outcome == "imported"), None)
    where = project_option(project)
    if chat is not None and not report.dry_run:
        echo(f"Continue a chat with: dramaturg episode play --session {chat.target}{where}")
    elif report.dry_run:
        echo("Nothing was written.")
