"""`foreman graph`: who is who in the book, how they are connected, and who knows what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, fail, tell, write_out
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.workshop.graph.wire import FactView

app = noun()
_WHO = "A name, an alias, or a number such as #12."
_SCENE = "A scene: ch04-sc02, a path, or its title."
MOST_SHOWN = 40


@app.command("who")
def show_who(
    name: Annotated[str, typer.Argument(help=f"{_WHO} All characters if omitted.", show_default=False)] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """List the characters by how central they are, or show everything that is known about one entity."""
    from dramaturg.cli.foreman_view import print_value

    if name:
        found = ask_foreman(project, lambda foreman: foreman.graph.who(name), json)
        if json:
            print_value(found)
            return
        also = f", also {', '.join(found.entity.aliases)}" if found.entity.aliases else ""
        echo(f"#{found.entity.id} {found.entity.name} ({found.entity.kind}){also}")
        _print_facts(found.facts)
        return
    ranks = ask_foreman(project, lambda foreman: foreman.graph.characters(), json)
    if json:
        print_value(ranks)
        return
    for one in ranks.characters:
        echo(f"{one.rank:6.1%}  #{one.entity.id} {one.entity.name} ({counted(one.facts, 'fact')})")
    echo(f"{ranks.entities} entities, {ranks.facts} facts.")
    for problem in ranks.problems:
        tell(problem, "yellow")


@app.command("path")
def show_path(
    start: Annotated[str, typer.Argument(help=_WHO)],
    end: Annotated[str, typer.Argument(help=_WHO)],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Show the shortest way between two, with the facts on it."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.graph.path(start, end), json)
    if json:
        print_value(found)
        return
    for step in found.steps:
        echo(f"{step.start} - {step.end}")
        _print_facts(step.facts[:3])
    if not found.steps:
        echo("They are one.")


@app.command("knows")
def show_knowledge(
    who: Annotated[str, typer.Argument(help=_WHO)],
    project: Project = Path(),
    at: Annotated[str, typer.Option("--at", help=f"{_SCENE} Without it, the end of the book.")] = "",
    json: Json = False,
) -> None:
    """Show what a character knows at a place of the book, and how."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.graph.knows(who, at), json)
    if json:
        print_value(found)
        return
    echo(f"{found.character}, {f'at {found.at}' if found.at else 'at the end'}: {len(found.facts)} facts")
    for one in found.facts:
        echo(f"  {one.way:9}  {one.fact.said} [{one.fact.file}]")


@app.command("scene")
def show_scene(
    name: Annotated[str, typer.Argument(help=_SCENE)], project: Project = Path(), json: Json = False
) -> None:
    """Show what lies around a scene, the nearest first."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.graph.scene(name), json)
    if json:
        print_value(found)
        return
    echo(f"{found.scene.name}: {len(found.facts)} facts")
    for one in found.facts[:MOST_SHOWN]:
        echo(f"  {one.distance:g}  {one.fact.said} [{one.fact.file}]")
    if len(found.facts) > MOST_SHOWN:
        tell(f"… and {len(found.facts) - MOST_SHOWN} farther away; --json has all.")


@app.command("together")
def show_together(
    who: Annotated[list[str], typer.Argument(help=_WHO)], project: Project = Path(), json: Json = False
) -> None:
    """Show the scenes in which all of these were present, and when."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.graph.together(*who), json)
    if json:
        print_value(found)
        return
    for one in found.meetings:
        when = f" ({one.time_from}{f' to {one.time_to}' if one.time_to else ''})" if one.time_from else ""
        echo(f"{one.scene}{when}: {', '.join(one.cast)}")
    if not found.meetings:
        tell("They are never in one scene.")


@app.command("merge")
def merge(
    name: Annotated[str, typer.Argument(help=_WHO)],
    into: Annotated[str, typer.Argument(help="The one that it is, whose name stays.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Make two entities one: 'the widow' is Elena. No fact is changed; 'split' undoes it."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.graph.merge(name, into), json)
    print_value(found) if json else echo(f"{name} is {found.name} now. Undo it: dramaturg foreman graph split '{name}'")


@app.command("split")
def split(
    name: Annotated[str, typer.Argument(help="The name of one that was merged into another.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Take an entity out of the one that it was merged into."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.graph.split(name), json)
    print_value(found) if json else echo(f"{found.name} (#{found.id}) stands alone again.")


@app.command("export")
def export(
    file: Annotated[Path, typer.Argument(help="A file to write; .graphml for GraphML, otherwise JSON.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Write the whole graph to a file, retired facts included."""
    data = ask_foreman(project, lambda foreman: foreman.graph.export(graphml=file.suffix.lower() == ".graphml"), json)
    try:
        write_out(file, data)
    except DramaturgError as error:
        fail(error, json=json)
    tell(f"Wrote {file} ({len(data)} bytes).")


@app.command("import")
def import_graph(
    file: Annotated[Path, typer.Argument(help="A file that 'export' wrote.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Take over an exported graph into a book that has none."""
    try:
        data = file.read_bytes()
    except OSError as error:
        fail(InvalidConfig(f"{file} cannot be read: {error.strerror}."), json=json)
    graph = ask_foreman(project, lambda foreman: foreman.graph.fill(data), json)
    tell(f"Imported {len(graph.entities)} entities and {len(graph.facts)} facts.")


def _print_facts(facts: tuple[FactView, ...]) -> None:
    for one in facts:
        echo(f"  {one.said} [{one.file}]")
        if one.quote:
            tell(f"    “{' '.join(one.quote.split())}”", "dim")
