"""`runs list` and `runs show`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import typer
from rich.table import Table

from dramaturg.cli.edge import perform, say, settings_of, stdout
from dramaturg.cli.ensemble import show_session
from dramaturg.cli.foreman import show_conversation
from dramaturg.cli.why import show_why
from dramaturg.ensemble.kiosk import KIND as ENSEMBLE
from dramaturg.kernel.store import RunRecord
from dramaturg.scenes.debug import render_debug
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.wire import result_of
from dramaturg.studio import SCENE, WHY, Studio
from dramaturg.workshop.foreman import FOREMAN


def list_runs(project: Path, limit: int, json: bool) -> None:
    async def work() -> list[RunRecord]:
        async with Studio.open(settings_of(project)) as studio:
            return await studio.runs.find(limit=limit)

    records = perform(work, json=json)
    if json:
        for record in records:
            say(record.model_dump(mode="json", exclude={"config", "player"}))
        return
    if not records:
        typer.echo("Nothing was played here yet. Try: dramaturg scene run NAME")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("run", "what", "name", "status", "begun"):
        table.add_column(column, no_wrap=column in ("run", "begun"))
    for record in records:
        begun = datetime.fromtimestamp(record.created_at).astimezone()
        table.add_row(record.id, record.kind, record.name, record.status, f"{begun:%Y-%m-%d %H:%M}")
    stdout().print(table)


def show_run(run_id: str, project: Path, debug: bool, json: bool) -> None:
    async def work() -> SceneRun:
        async with Studio.open(settings_of(project)) as studio:
            return await studio.runs.open(run_id)

    run = perform(work, json=json)
    if run.kind == WHY and not debug:
        show_why(run, json=json)
    elif run.kind == FOREMAN and not debug:
        show_conversation(run, json=json)
    elif json or run.kind not in (SCENE, ENSEMBLE):
        _say_log(run, hidden=debug)
    elif run.kind == ENSEMBLE:
        show_session(run)
    elif debug:
        typer.echo(render_debug(run.entries), nl=False)
    else:
        typer.echo(result_of(run.id, run.entries).transcript, nl=False)


def _say_log(run: SceneRun, *, hidden: bool) -> None:
    """The log as lines of JSON, and of a scene its result as the last."""
    for entry in run.entries:
        if hidden or entry.event.audience == "public":
            say(entry.model_dump(mode="json", by_alias=True))
    if run.kind == SCENE:
        say(result_of(run.id, run.entries).model_dump(mode="json", by_alias=True))
