"""`act`: play several scenes in order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import at_speaking_pace, echo, open_studio, perform, print_json, settings_of, stdout, tell
from dramaturg.cli.group import noun
from dramaturg.cli.option_group import command_with
from dramaturg.cli.options import Json, Model, Project, Quiet, RunId
from dramaturg.cli.pace import asked_pace

if TYPE_CHECKING:
    from dramaturg.scenes.acts.check import ActCheck
    from dramaturg.scenes.acts.wire import ActResult

app = noun()
ActName = Annotated[str, typer.Argument(help="Name of an act in acts/, or the path of a YAML or JSON file.")]
Seed = Annotated[int | None, typer.Option(help="The seed of every scene, instead of their own.")]


@app.command("run", cls=command_with(asked_pace))
def run_act(
    act: ActName,
    project: Project = Path(),
    model: Model = None,
    seed: Seed = None,
    json: Json = False,
    quiet: Quiet = False,
    also: Annotated[str, typer.Option(help="Extra formats to write, comma-separated: fountain, vtt, md, html.")] = "",
) -> None:
    """Play an act and watch it live: its scenes one after the other, each chosen by how the last one ended."""
    from dramaturg.cli.act_view import print_act_result, watch_act
    from dramaturg.scenes.acts.act import find_act
    from dramaturg.scenes.exports import read_formats

    watched = stdout().is_terminal and not json and not quiet

    async def work() -> ActResult:
        settings = at_speaking_pace(settings_of(project), watched=watched, pace=asked_pace())
        config, formats = find_act(project, act), read_formats(also)
        async with open_studio(settings) as studio:
            studio.acts.kind.also = formats
            if not model and not json and not quiet and not settings.models.default:
                tell((await studio.choose()).reason + "\n", "dim")
            run = await studio.acts.open(config, model=model, seed=seed)
            return await watch_act(studio, run, json=json, quiet=quiet, pace=asked_pace())

    print_act_result(perform(work, json=json), project, json=json, quiet=quiet)


@app.command("check")
def check_act(act: ActName, project: Project = Path(), model: Model = None, json: Json = False) -> None:
    """Show where each scene of an act leads, and what is missing; nothing is played."""
    from dramaturg.cli.act_view import print_act_check
    from dramaturg.scenes.acts.act import find_act

    async def work() -> ActCheck:
        settings = settings_of(project)
        config = find_act(project, act)
        async with open_studio(settings) as studio:
            return await studio.acts.check(config, model=model)

    found = perform(work, json=json)
    if json:
        print_json(found.model_dump(mode="json", by_alias=True))
    else:
        print_act_check(found)


@app.command("list")
def list_acts(project: Project = Path(), json: Json = False) -> None:
    """List the acts of this project, also those that cannot be played."""
    from dramaturg.cli.act_view import print_acts
    from dramaturg.scenes.acts.act import act_listings

    async def work() -> None:
        found = act_listings(settings_of(project).project)
        if json:
            for one in found:
                print_json(one.model_dump(mode="json", by_alias=True))
        elif not found:
            echo("There are no acts here yet. An act is a YAML file in acts/ with a list of 'scenes:'.")
        else:
            print_acts(found)

    perform(work, json=json)


@app.command("fork", cls=command_with(asked_pace))
def fork_act(
    run: RunId,
    scene: Annotated[int, typer.Option(min=1, help="The scene to play again from its beginning, as it is counted.")],
    project: Project = Path(),
    model: Model = None,
    seed: Seed = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play an act again from one of its scenes on. The scenes before it are shared; the original is not changed."""
    from dramaturg.cli.act_view import print_act_result, watch_act

    watched = stdout().is_terminal and not json and not quiet

    async def work() -> ActResult:
        async with open_studio(at_speaking_pace(settings_of(project), watched=watched, pace=asked_pace())) as studio:
            forked = await studio.acts.fork(run, scene, model=model, seed=seed)
            if not json and not quiet:
                tell(f"Run {forked.id} continues with scene {scene}.\n", "dim")
            return await watch_act(studio, forked, json=json, quiet=quiet, pace=asked_pace())

    print_act_result(perform(work, json=json), project, json=json, quiet=quiet)
