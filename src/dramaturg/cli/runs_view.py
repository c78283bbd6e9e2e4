"""Runs of every kind in a terminal: listed, shown, and watched when they are resumed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import typer
from rich.table import Table

from dramaturg.cli.edge import print_json, stdout
from dramaturg.kernel.store import RunRecord
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.wire import SceneResult, result_of
from dramaturg.studio import SCENE, WHY, Studio


def print_records(records: Iterable[RunRecord]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("run", "kind", "name", "status", "started"):
        table.add_column(column, no_wrap=column in ("run", "started"))
    for record in records:
        started = datetime.fromtimestamp(record.created_at).astimezone()
        table.add_row(record.id, record.kind, record.name, record.status, f"{started:%Y-%m-%d %H:%M}")
    stdout().print(table)


def print_run(run: SceneRun, *, debug: bool, json: bool) -> None:
    """A run the way its kind is read; with `debug`, its log."""
    from dramaturg.cli.ensemble_view import print_session
    from dramaturg.cli.foreman_view import print_conversation
    from dramaturg.cli.why_view import print_finding
    from dramaturg.ensemble.kiosk import KIND as ENSEMBLE
    from dramaturg.scenes.debug import render_debug
    from dramaturg.workshop.turn_context import FOREMAN

    if run.kind == WHY and not debug:
        print_finding(run, json=json)
    elif run.kind == FOREMAN and not debug:
        print_conversation(run, json=json)
    elif json or run.kind not in (SCENE, ENSEMBLE):
        _print_log(run, hidden=debug)
    elif run.kind == ENSEMBLE:
        print_session(run)
    elif debug:
        typer.echo(render_debug(run.entries), nl=False)
    else:
        typer.echo(result_of(run.id, run.entries).transcript, nl=False)


def _print_log(run: SceneRun, *, hidden: bool) -> None:
    """The log as lines of JSON; a scene's result follows as the last line."""
    for entry in run.entries:
        if hidden or entry.event.audience == "public":
            print_json(entry.model_dump(mode="json", by_alias=True))
    if run.kind == SCENE:
        print_json(result_of(run.id, run.entries).model_dump(mode="json", by_alias=True))


async def watch_resumed(studio: Studio, run: SceneRun, *, json: bool, quiet: bool) -> SceneResult | None:
    """Play a resumed run and print it; the result, if it is a scene."""
    from dramaturg.cli.ensemble_view import print_manifest, watch_session
    from dramaturg.cli.scene_view import watch_scene
    from dramaturg.cli.why_view import print_finding
    from dramaturg.ensemble.kiosk import KIND as ENSEMBLE

    if run.kind == WHY:
        await studio.start(run)
        print_finding(run, json=json)
        return None
    if run.kind == ENSEMBLE:
        manifest = await watch_session(studio, run, json=json)
        print_manifest(manifest, studio.settings.project, json=json)
        return None
    return await watch_scene(studio, run, json=json, quiet=quiet)
