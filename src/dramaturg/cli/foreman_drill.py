"""`foreman drill`: known flaws in a copy of the book, to see which checks catch them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import in_studio
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from dramaturg.studio import Studio


def drill(
    project: Project = Path(),
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**31, help="Chooses which flaws are planted where.")] = 1,
    prose_only: Annotated[
        bool, typer.Option("--prose-only", help="Plant the flaws in the prose and leave front matter as it is.")
    ] = False,
    json: Json = False,
) -> None:
    """Plant known flaws in a copy of the book, and show which checks catch them. The book is not touched."""

    async def work(studio: Studio) -> None:
        from dramaturg.cli.foreman_work import do_work
        from dramaturg.workshop.drill.work import DrillRequest

        await do_work(studio, "drill", DrillRequest(seed=seed, prose_only=prose_only), yes=True, json=json)

    in_studio(project, work, json=json)
