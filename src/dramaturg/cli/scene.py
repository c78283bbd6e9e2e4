"""`scene`: play scenes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.batch_options import asked_limits, asked_tables
from dramaturg.cli.edge import (
    at_speaking_pace,
    check_project,
    echo,
    in_studio,
    open_studio,
    perform,
    print_json,
    project_option,
    settings_of,
    stdout,
    tell,
)
from dramaturg.cli.group import noun
from dramaturg.cli.option_group import command_with
from dramaturg.cli.options import Json, Model, Project, Quiet
from dramaturg.cli.pace import asked_pace
from dramaturg.cli.seat_options import asked_seat

if TYPE_CHECKING:
    from dramaturg.cli.scaffold import NewScene
    from dramaturg.kernel.settings import Settings
    from dramaturg.scenes.check import SceneCheck
    from dramaturg.scenes.insight.takes import TakeTable
    from dramaturg.scenes.wire import SceneResult

app = noun()
SceneName = Annotated[str, typer.Argument(help="Name of a scene in scenes/, or the path of a YAML or JSON file.")]


@app.command("run", cls=command_with(asked_pace, asked_seat))
def run_scene(
    scene: SceneName,
    project: Project = Path(),
    model: Model = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed; with another, the rehearsal company plays it differently.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    also: Annotated[str, typer.Option(help="Extra formats to write, comma-separated: fountain, vtt, md, html.")] = "",
    step: Annotated[bool, typer.Option("--step", help="Wait before each beat, until it is told to go on.")] = False,
) -> None:
    """Play a scene and watch it live. Type /help while it plays to see how to steer it."""
    from dramaturg.cli.direction_lines import AUTHOR, typed_directions
    from dramaturg.cli.scene_view import print_result, watch_scene
    from dramaturg.cli.terminal_seat import seat_at_terminal
    from dramaturg.scenes.directions.direction import Pause
    from dramaturg.scenes.exports import read_formats
    from dramaturg.scenes.scene import PersonsPart, find_scene

    watched = stdout().is_terminal and not json and not quiet

    async def work() -> tuple[SceneResult, Settings]:
        settings = at_speaking_pace(settings_of(project), watched=watched, pace=asked_pace())
        config, formats = find_scene(project, scene), read_formats(also)
        async with open_studio(settings) as studio:
            studio.scenes.kind.also = formats
            if not model and not json and not quiet and not settings.models.default:
                tell((await studio.choose()).reason + "\n", "dim")
            seated = asked_seat()
            run = await studio.scenes.open(
                config, model=model, seed=seed, person=PersonsPart(seated.person, seated.wait)
            )
            seat = await seat_at_terminal(studio, run, seated.person)
            if step:
                await studio.scenes.steer(run.id, Pause(), author=AUTHOR)
            async with typed_directions(studio, run, json=json, quiet=quiet, seat=seat):
                shown_to = None if seated.author else seat
                played = await watch_scene(studio, run, json=json, quiet=quiet, pace=asked_pace(), seat=shown_to)
                return played, settings

    result, settings = perform(work, json=json)
    print_result(result, settings, json=json, quiet=quiet)


@app.command("new")
def create_scene(
    name: Annotated[str, typer.Argument(help="Name of the new scene.")],
    cast: Annotated[
        str,
        typer.Option(help="The characters, comma-separated; who has no card gets one.", show_default="two you have"),
    ] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Write a new scene, explained line by line, that plays at once. Nothing is overwritten."""
    from dramaturg.cli.scaffold import new_scene

    async def work() -> NewScene:
        check_project(project)
        return new_scene(project, name, [one.strip() for one in cast.split(",") if one.strip()])

    made = perform(work, json=json)
    if json:
        print_json({"scene": made.name, "file": made.file, "cards": list(made.cards), "cast": list(made.cast)})
        return
    for file in (made.file, *made.cards):
        echo(f"Created {file}")
    word, where = shlex.quote(made.name), project_option(project)
    echo(f"{' and '.join(made.cast)} are in it. Edit what you like, then:\n")
    echo(f"  dramaturg scene check {word}{where}\n  dramaturg scene run {word}{where}")


@app.command("list")
def list_scenes(project: Project = Path(), json: Json = False) -> None:
    """List the project's scenes: title, cast, goal, and how often each was played."""
    from dramaturg.cli.scene_list import listed_scenes, print_scenes

    scenes = in_studio(project, listed_scenes, json=json)
    if json:
        for scene in scenes:
            print_json(scene)
    else:
        print_scenes(scenes)


@app.command("check")
def check_scene(
    scene: SceneName,
    project: Project = Path(),
    model: Model = None,
    person: Annotated[str | None, typer.Option("--as", metavar="NAME", help="As if a person played this part.")] = None,
    prompts: Annotated[bool, typer.Option("--prompts", help="Show every word that each character is told.")] = False,
    json: Json = False,
) -> None:
    """Show what a scene would be played with: cards, models, price, how its goal is split, and what is missing."""
    from dramaturg.cli.check_view import print_check
    from dramaturg.scenes.scene import PersonsPart, find_scene

    async def work() -> SceneCheck:
        settings = settings_of(project)
        config = find_scene(project, scene)
        async with open_studio(settings) as studio:
            return await studio.scenes.check(config, model=model, person=PersonsPart(person))

    found = perform(work, json=json)
    if json:
        hidden = None if prompts else {"briefings"}
        print_json(found.model_dump(mode="json", by_alias=True, exclude=hidden))
    else:
        print_check(found, prompts=prompts)


@app.command("takes")
def play_takes(
    scene: SceneName,
    project: Project = Path(),
    count: Annotated[int, typer.Option("-n", min=1, max=200, help="Number of takes per model.")] = 3,
    models: Annotated[str, typer.Option(help="The models, comma-separated; each plays every seed.")] = "",
    seeds: Annotated[str, typer.Option(help="The seeds, comma-separated, instead of -n.")] = "",
    agents: Annotated[str, typer.Option(help="How the models play, comma-separated: direct, assisted, task.")] = "",
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Number of takes played at the same time.")] = 4,
    json: Json = False,
) -> None:
    """Play a scene several times and compare the takes."""
    from dramaturg.cli.takes_view import agents_from, names_from, play_setups, print_takes, seeds_from
    from dramaturg.scenes.insight.takes import take_setups, take_table
    from dramaturg.scenes.scene import find_scene

    async def work() -> TakeTable:
        settings, config = settings_of(project), find_scene(project, scene)
        first = next(seed for seed in (config.seed, settings.seed, 1) if seed is not None)
        wanted = take_setups(names_from(models), seeds_from(seeds), agents_from(agents), count=count, first_seed=first)
        async with open_studio(settings) as studio:
            if not models and not settings.models.default and not json:
                tell((await studio.choose()).reason + "\n", "dim")
            played = await play_setups(studio, config, wanted, at_once=at_once, json=json)
        return take_table(config.name, {run.id: run.entries for run in played})

    table = perform(work, json=json)
    if json:
        print_json(table.model_dump(mode="json", by_alias=True) | {"passRate": table.pass_rate})
    else:
        print_takes(table, stdout(), project_option(project))


@app.command("batch", cls=command_with(asked_limits, asked_tables))
def play_batch(
    file: Annotated[Path, typer.Argument(help='JSON Lines: one row per scene, such as {"scene": "NAME"}.')],
    project: Project = Path(),
    model: Model = None,
    name: Annotated[
        str,
        typer.Option(
            help="Name of the batch; under another one the same rows are played anew.", show_default="the file's"
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Play the scenes of a file, thousands if need be. The same command goes on where it stopped."""
    from dramaturg.cli.batch_view import BatchOptions, play_file

    options = BatchOptions(file, name, model, asked_limits(), asked_tables())
    perform(lambda: play_file(settings_of(project), options, json=json), json=json)
