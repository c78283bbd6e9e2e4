"""`scene`: play scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(help="Play scenes: two to five characters, one situation, one goal.", no_args_is_help=True)


@app.command("run")
def scene_run(
    scene: Annotated[str, typer.Argument(help="Name of a scene in scenes/, or the path of a YAML or JSON file.")],
    project: Project = Path(),
    model: Annotated[str | None, typer.Option(help="Who plays: provider/model, a provider, or 'rehearsal'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed, another performance by the company.")] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
    also: Annotated[str, typer.Option(help="Also write it as fountain, vtt, md or html; several with commas.")] = "",
) -> None:
    """Play a scene, live."""
    from dramaturg.cli.scene import Options, run_scene

    run_scene(scene, project, Options(model=model, seed=seed, json=json, quiet=quiet, also=also))


@app.command("takes")
def scene_takes(
    scene: Annotated[str, typer.Argument(help="Name of a scene in scenes/, or the path of a YAML or JSON file.")],
    project: Project = Path(),
    count: Annotated[int, typer.Option("-n", min=1, max=200, help="How many takes of each model.")] = 3,
    models: Annotated[str, typer.Option(help="Who plays, several with commas; each plays every seed.")] = "",
    seeds: Annotated[str, typer.Option(help="The seeds, with commas, instead of -n.")] = "",
    agents: Annotated[str, typer.Option(help="How models play: direct, assisted, task; several with commas.")] = "",
    at_once: Annotated[int, typer.Option(min=1, max=64, help="How many are played at once.")] = 4,
    json: Json = False,
) -> None:
    """Play a scene several times and compare the takes."""
    from dramaturg.cli.takes import TakeOptions, play_takes

    play_takes(scene, project, TakeOptions(count, models, seeds, agents, at_once, json))
