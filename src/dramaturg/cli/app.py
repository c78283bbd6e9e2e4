"""The root of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg import __version__

EPILOG = (
    "Exit codes: 0 done; 2 something the author can mend; 3 a model; 4 the budget; "
    "5 the disk or the database; 130 interrupted."
)

app = typer.Typer(
    name="dramaturg",
    help="A studio for stories that language models perform.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
scene_app = typer.Typer(help="Play scenes: two to five characters, one situation, one goal.", no_args_is_help=True)
runs_app = typer.Typer(help="Look at what was played, and take up what was broken off.", no_args_is_help=True)
app.add_typer(scene_app, name="scene")
app.add_typer(runs_app, name="runs")

Project = Annotated[
    Path, typer.Option("--project", "-p", help="The story project's folder.", show_default="this folder")
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output, and nothing else, on stdout.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dramaturg {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A studio for stories that language models perform."""


@scene_app.command("run")
def scene_run(
    scene: Annotated[str, typer.Argument(help="Name of a scene in scenes/, or the path of a YAML or JSON file.")],
    project: Project = Path(),
    model: Annotated[str | None, typer.Option(help="Who plays: provider/model, a provider, or 'rehearsal'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed, another performance by the company.")] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
) -> None:
    """Play a scene, live."""
    from dramaturg.cli.scene import Options, run_scene

    run_scene(scene, project, Options(model=model, seed=seed, json=json, quiet=quiet))


@runs_app.command("list")
def runs_list(
    project: Project = Path(),
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")] = 20,
    json: Json = False,
) -> None:
    """What was played here, newest first."""
    from dramaturg.cli.runs import list_runs

    list_runs(project, limit, json)


@runs_app.command("show")
def runs_show(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    debug: Annotated[bool, typer.Option(help="Every event with its reason, hidden ones too.")] = False,
    json: Json = False,
) -> None:
    """The transcript of a run, or its whole log."""
    from dramaturg.cli.runs import show_run

    show_run(run, project, debug, json)


@runs_app.command("resume")
def runs_resume(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
) -> None:
    """Play on a run that was stopped or killed. Nothing that was paid for is asked again."""
    from dramaturg.cli.scene import Options, resume_run

    resume_run(run, project, Options(json=json, quiet=quiet))


@app.command("new")
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
) -> None:
    """Make a small story project that plays at once."""
    from dramaturg.cli.new import new_project

    new_project(folder)


@app.command("models")
def models(project: Project = Path(), json: Json = False) -> None:
    """The models that can play here, and why others cannot."""
    from dramaturg.cli.models import list_models

    list_models(project, json)


@app.command("doctor")
def doctor(project: Project = Path(), json: Json = False) -> None:
    """Check this machine and this project."""
    from dramaturg.cli.doctor import examine

    examine(project, json)
