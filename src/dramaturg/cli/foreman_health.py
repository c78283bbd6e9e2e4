"""`foreman health`: the checks of a book, with their evidence."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, fail, in_studio, tell, write_out
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.errors import DramaturgError

if TYPE_CHECKING:
    from dramaturg.studio import Studio
    from dramaturg.workshop.foreman.actions.action import Outcome
    from dramaturg.workshop.health.front import BookHealth, WaiverList

app = noun(invoke_without_command=True)
Check = Annotated[str, typer.Argument(help="A check such as A3.")]
Place = Annotated[str, typer.Argument(help="A scene, a chapter, a name, or 'book'.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Start without asking for confirmation.")]


@app.callback(invoke_without_command=True)
def health(
    context: typer.Context,
    project: Project = Path(),
    scope: Annotated[str, typer.Option("--scope", help="A check such as A3, a chapter, a scene, or all.")] = "all",
    extract: Annotated[
        bool, typer.Option("--extract", help="Let a model read the scenes whose front matter leaves something open.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report with its plots to this file.", show_default=False)
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Check the structure of the book: pacing, beats, timeline, flaw, cast, symbols, theme, names, props."""
    if context.invoked_subcommand is not None:
        return

    async def work(studio: Studio) -> str | None:
        from dramaturg.cli.foreman_work import do_work
        from dramaturg.workshop.health.page import report_page
        from dramaturg.workshop.health.work import HealthRequest, HealthResult

        run = await do_work(studio, "health", HealthRequest(scope=scope, extract=extract), yes=yes, json=json)
        result = studio.runs.kind_of(run.record).result(run) if run is not None else None
        return report_page(result.report) if isinstance(result, HealthResult) else None

    page = in_studio(project, work, json=json)
    if html is None or page is None:
        return
    try:
        write_out(html, page.encode())
    except DramaturgError as error:
        fail(error, json=json)
    if not json:
        tell(f"Wrote {html}.")


@app.command("waivers")
def list_waivers(project: Project = Path(), json: Json = False) -> None:
    """List what you mean to be so; every report lists it too."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.health.checks import check_named

    async def work(studio: Studio) -> WaiverList:
        return studio.workshop.health.waivers()

    found = in_studio(project, work, json=json)
    if json:
        print_value(found)
        return
    for one in found.waivers:
        echo(f"{check_named(one.check).code}  {one.place}: {one.reason}")
    for problem in found.problems:
        tell(problem, "yellow")
    if not found.waivers:
        tell("Nothing is waived. To waive something: dramaturg foreman health waive A3 ch02-sc01 --reason '…'")


@app.command("waive")
def waive(
    check: Check,
    place: Place,
    reason: Annotated[str, typer.Option("--reason", help="Why it is meant to be so.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Say that what a check finds at a place is meant to be so."""
    _change(project, lambda health: health.waive(check, place, reason), json)


@app.command("withdraw")
def withdraw(check: Check, place: Place, project: Project = Path(), json: Json = False) -> None:
    """Withdraw a waiver: the check reports again what it finds there."""
    _change(project, lambda health: health.withdraw(check, place), json)


def _change(project: Path, work: Callable[[BookHealth], Coroutine[object, object, Outcome]], json: bool) -> None:
    from dramaturg.cli.foreman_view import print_value

    outcome = in_studio(project, lambda studio: work(studio.workshop.health), json=json)
    print_value(outcome) if json else echo(outcome.said)
