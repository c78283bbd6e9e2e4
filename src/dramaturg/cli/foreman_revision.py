"""`foreman analyze` and `enhance`: a scene is judged, and revised by patches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import in_studio
from dramaturg.cli.foreman_versions import Scene
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from pydantic import JsonValue

    from dramaturg.studio import Studio

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Start without asking, whatever it costs.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("analyze")(analyze)
    app.command("enhance")(enhance)


def analyze(scene: Scene, project: Project = Path(), yes: Yes = False, json: Json = False) -> None:
    """Judge a scene: voice, prose, beat, characters, continuity, each with the words that show it."""
    from dramaturg.cli.foreman_work import do_work

    async def work(studio: Studio) -> None:
        request = studio.workshop.works.read("analysis", {"scene": scene})
        await do_work(studio, "analysis", request, yes=yes, json=json)

    in_studio(project, work, json=json)


def enhance(
    scene: Scene,
    project: Project = Path(),
    issue: Annotated[
        list[str] | None, typer.Option("--issue", help="What to mend; give it again for more. Else the last analysis.")
    ] = None,
    six_pass: Annotated[
        bool, typer.Option("--six-pass", help="Structure, voice, prose, dialogue, continuity, polish.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Propose changes to a scene. Nothing is changed: 'patches' shows them, 'accept' makes them."""
    from dramaturg.cli.foreman_work import do_work

    async def work(studio: Studio) -> None:
        mode = "six_pass" if six_pass else "action_prompt"
        given: dict[str, JsonValue] = {"scene": scene, "mode": mode, "issues": list(issue or ())}
        request = studio.workshop.works.read("enhancement", given)
        await do_work(studio, "enhancement", request, yes=yes, json=json)
        await studio.workshop.patches.take_in()

    in_studio(project, work, json=json)
