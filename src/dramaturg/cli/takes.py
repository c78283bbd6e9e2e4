"""`takes`: performances of one scene, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import (
    check_can_write,
    echo,
    in_studio,
    open_studio,
    perform,
    print_json,
    settings_of,
    stdout,
    tell,
)
from dramaturg.cli.group import noun
from dramaturg.cli.options import Force, Json, Project, RunId

if TYPE_CHECKING:
    from dramaturg.scenes.insight.alignment import TakeComparison
    from dramaturg.studio import Studio

app = noun()


@app.command("compare")
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(help="Two or more runs of one scene; or one of several takes, for all of them.", metavar="RUN…"),
    ],
    project: Project = Path(),
    html: Annotated[Path | None, typer.Option("--html", help="Write a page to this file instead.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show the lines that are the same as well.")] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Show takes side by side, the lines that differ opposite one another. The first run is the baseline."""
    from dramaturg.cli.comparison_view import print_comparison

    async def work() -> TakeComparison:
        settings = settings_of(project)
        if html is not None:
            check_can_write(html, force=force)
        async with open_studio(settings) as studio:
            found = await studio.scenes.compare(runs)
        if html is not None:
            from dramaturg.kernel.store import Artifacts
            from dramaturg.scenes.exports.takes_page import render_takes

            Artifacts(html.parent).write_text(html.name, render_takes(found))
            tell(f"Written to {html}")
        return found

    found = perform(work, json=json)
    if json:
        print_json(found.model_dump(mode="json", by_alias=True))
    elif html is None:
        print_comparison(found, stdout(), everything=everything)


@app.command("pick")
def pick(
    run: RunId,
    project: Project = Path(),
    undo: Annotated[bool, typer.Option("--undo", help="It is no favourite any more.")] = False,
) -> None:
    """Mark a run as the favourite of its scene; of takes played together, only one is."""

    async def work(studio: Studio) -> tuple[str, tuple[str, ...]]:
        return await studio.scenes.pick(run, picked=not undo)

    picked, before = in_studio(project, work)
    if undo:
        echo(f"Run {picked} is no favourite any more.")
        return
    instead = f", instead of {' and '.join(before)}" if before else ""
    echo(f"Run {picked} is the favourite{instead}. 'dramaturg runs list' and 'dramaturg scene list' show it.")
