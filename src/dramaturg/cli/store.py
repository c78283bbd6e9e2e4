"""`store`: the database and the files of a project as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import perform, print_json, settings_of, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from dramaturg.kernel.store.backup import Backup

app = noun()


@app.callback()
def store() -> None:
    """Back up everything that was played here."""


@app.command("backup")
def back_up(
    folder: Annotated[Path, typer.Argument(help="A folder that does not exist yet.", metavar="DIR")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Back up everything that was played here, while it plays: the database and all files, checked afterwards."""
    from dramaturg.kernel.store.sql_store import back_up_store

    async def work() -> Backup:
        return await back_up_store(settings_of(project), folder)

    done = perform(work, json=json)
    if json:
        print_json({"folder": str(done.folder), "runs": done.runs, "events": done.events, "files": done.files})
    else:
        tell(f"{done.runs} runs with {done.events} events and {done.files} files backed up to {done.folder}")
