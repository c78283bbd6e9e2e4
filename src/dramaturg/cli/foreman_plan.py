"""`foreman scaffold`, `scaffolds` and `promises`: scenes are planned, and what the book promises is kept in sight."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dramaturg.cli.edge import echo, in_studio, tell
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from pydantic import JsonValue

    from dramaturg.studio import Studio
    from dramaturg.workshop.front import Workshop
    from dramaturg.workshop.promises.wire import Promise, PromiseList, PromiseState
    from dramaturg.workshop.scaffold.wire import ScaffoldView

app = noun(invoke_without_command=True)
Name = Annotated[str, typer.Argument(help="The name of a promise, such as the_photograph.")]
InScene = Annotated[str, typer.Option("--scene", help="The scene that has the words, such as ch04-sc02.")]
Quote = Annotated[str, typer.Option("--quote", help="The words; without them, those of the name are looked for.")]


def register(foreman: typer.Typer) -> None:
    """Adds the commands."""
    foreman.command("scaffold")(plan_scene)
    foreman.command("scaffolds")(show_scaffolds)
    foreman.add_typer(app, name="promises", help="What the book promises: planted, taken up, due, paid or dropped.")


def plan_scene(
    target: Annotated[str, typer.Argument(help="The scene to plan, such as ch04-sc02.")],
    project: Project = Path(),
    title: Annotated[str, typer.Option("--title", help="Its title.")] = "",
    enrichment: Annotated[
        list[str] | None,
        typer.Option(
            "--enrichment",
            help="What to draw on, once for each: beat_sheet, character_arcs, theme, world_rules, earlier_scenes, "
            "later_scenes, promises, graph, notebooks. Everything if not given.",
        ),
    ] = None,
    words: Annotated[int | None, typer.Option("--words", help="The word target.", min=1, max=200_000)] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start without asking, whatever it costs.")] = False,
    json: Json = False,
) -> None:
    """Plan a scene from what the book says. What its file settles already stays; edit the file as you like."""
    from dramaturg.cli.foreman_work import do_work

    async def work(studio: Studio) -> None:
        given: dict[str, JsonValue] = {"scene": target, "title": title, "word_target": words}
        given["enrichment"] = [part for one in enrichment or () for part in one.split(",") if part.strip()]
        request = studio.workshop.works.read("scaffold", given)
        await do_work(studio, "scaffold", request, yes=yes, json=json)

    in_studio(project, work, json=json)


def show_scaffolds(
    scene: Annotated[str, typer.Argument(help="Show the plan of this scene.", show_default=False)] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """List the planned scenes, or show one plan with where each of its fields came from."""
    from dramaturg.cli.foreman_view import print_value

    if scene.strip():
        found = ask_foreman(project, lambda foreman: foreman.scaffolds.scaffold(scene), json)
        print_value(found) if json else _print_scaffold(found)
        return
    listed = ask_foreman(project, lambda foreman: foreman.scaffolds.scaffolds(), json)
    if json:
        print_value(listed)
        return
    for row in listed.scaffolds:
        state = "cannot be read" if row.problem else "written" if row.is_drafted else "planned"
        told = ", ".join(filter(None, (row.title, row.beat_alignment)))
        still = f" (open: {', '.join(row.open_fields)})" if row.open_fields and not row.is_drafted else ""
        echo(f"{row.scaffold_id}  {state}  {row.problem or told}{still}".rstrip())
    if not listed.scaffolds:
        tell("No scene is planned yet. Plan one: dramaturg foreman scaffold ch01-sc01")


@app.callback(invoke_without_command=True)
def show_promises(
    context: typer.Context,
    project: Project = Path(),
    state: Annotated[str, typer.Option("--state", help="Only those: due, overdue, planted …")] = "",
    json: Json = False,
) -> None:
    """List what the book promises, and where each promise stands."""
    if context.invoked_subcommand is None:
        _list(project, state, json)


@app.command("list")
def list_promises(
    project: Project = Path(),
    state: Annotated[str, typer.Option("--state", help="Only those: due, overdue, planted …")] = "",
    json: Json = False,
) -> None:
    """List what the book promises, and where each promise stands."""
    _list(project, state, json)


@app.command("plant")
def plant(
    name: Name,
    project: Project = Path(),
    scene: InScene = "",
    quote: Quote = "",
    what: Annotated[str, typer.Option("--what", help="The promise in a sentence.")] = "",
    due: Annotated[str, typer.Option("--due", help="When it must be kept: a scene, a beat, or 'end'.")] = "",
    json: Json = False,
) -> None:
    """Note a promise, and the words that plant it. Without a scene it is only planned."""
    _take(project, json, step="plant", name=name, scene=scene, quote=quote, what=what, due=due)


@app.command("echo")
def take_up(name: Name, scene: InScene, project: Project = Path(), quote: Quote = "", json: Json = False) -> None:
    """Note that a scene takes a promise up again."""
    _take(project, json, step="echo", name=name, scene=scene, quote=quote)


@app.command("pay")
def pay(name: Name, scene: InScene, project: Project = Path(), quote: Quote = "", json: Json = False) -> None:
    """Note that a scene keeps a promise, with its words."""
    _take(project, json, step="pay", name=name, scene=scene, quote=quote)


@app.command("drop")
def drop(
    name: Name,
    reason: Annotated[str, typer.Option("--reason", help="Why it is given up.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Give a promise up, for a reason."""
    _take(project, json, step="drop", name=name, reason=reason)


def _list(project: Path, state: str, json: bool) -> None:
    from typing import get_args

    from dramaturg.cli.foreman_view import print_value
    from dramaturg.kernel.errors import InvalidConfig
    from dramaturg.workshop.promises.wire import PromiseState

    async def listed(foreman: Workshop) -> PromiseList:
        known = get_args(PromiseState)
        if state and state not in known:
            raise InvalidConfig(f"No promise is ever '{state}'; there is: {', '.join(known)}.")
        return await foreman.promises.promises(cast("PromiseState", state) if state else None)

    found = ask_foreman(project, listed, json)
    if json:
        print_value(found)
        return
    for one in found.promises:
        _print_promise(one)
    if found.problem:
        tell(found.problem, "yellow")
    elif not found.promises:
        tell("The book promises nothing yet. Scaffolds do, and: dramaturg foreman promises plant NAME --scene …")


def _take(project: Path, json: bool, **given: str) -> None:
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.promises.wire import read_step

    done = ask_foreman(project, lambda foreman: foreman.promises.take(read_step(dict(given))), json)
    print_value(done) if json else echo(done.said)


def _print_promise(one: Promise) -> None:
    when = "at the end" if one.due == "end" else f"in {one.due}"
    due = "" if not one.due else f" {when}" if one.state == "due" else f", due {when}"
    echo(f"{one.name}: {one.state}{due}{f'. {one.what}' if one.what else ''}")
    places = [("planted", one.planted), *(("taken up", place) for place in one.echoed), ("paid", one.paid)]
    for how, place in places:
        if place is not None:
            echo(f"  {how} in {place.scene}: “{place.quote}”{' (found by its words)' if place.found else ''}")
    for problem in one.problems:
        echo(f"  ! {problem}")
    if one.dropped:
        echo(f"  dropped: {one.dropped}")


def _print_scaffold(found: ScaffoldView) -> None:
    echo(f"{found.path} ({'written' if found.is_drafted else 'planned'})")
    for name, text in found.fields.items():
        source = f"  ({found.sources[name]})" if name in found.sources else ""
        echo(f"{name.replace('_', ' ')}: {text}{source}")
    for name, text in found.notes.items():
        echo(f"{name}: {' '.join(text.split())}")
    if found.open_fields:
        echo(f"open: {', '.join(found.open_fields)}")
    for one in found.remarks:
        tell(one, "yellow")
