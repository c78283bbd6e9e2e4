"""`foreman health`: the checks of a book, with their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import fail, in_studio, tell
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.errors import InvalidConfig

if TYPE_CHECKING:
    from dramaturg.studio import Studio

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Start without asking for confirmation.")]


def health(
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
        html.write_text(page, encoding="utf-8")
    except OSError as error:
        fail(InvalidConfig(f"{html} cannot be written: {error.strerror}. Choose another place."), json=json)
    if not json:
        tell(f"Wrote {html}.")
