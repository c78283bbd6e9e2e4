"""`foreman draft`, `variants`, `choose`, `hybrid` and `perform`: a scene in several versions, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, in_studio
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.foreman_revision import Yes
from dramaturg.cli.option_group import OptionGroup, command_with
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from pydantic import JsonValue

    from dramaturg.studio import Studio

Draft = Annotated[str, typer.Argument(metavar="RUN", help="The draft; 'last' is the newest.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("draft", cls=command_with(who_writes))(draft)
    app.command("variants")(variants)
    app.command("choose")(choose)
    app.command("hybrid")(hybrid)
    app.command("perform")(perform)


@OptionGroup
def who_writes(
    strategy: Annotated[
        list[str] | None, typer.Option(help="ACTION, CHARACTER, DIALOGUE, BALANCED or your own. Can be repeated.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option(help="A model that writes. Can be repeated.")] = None,
) -> dict[str, list[str]]:
    """The strategies and the models; each writes with each."""
    return {"strategies": list(strategy or ()), "models": list(model or ())}


def draft(
    target: Annotated[str, typer.Argument(help="The scene or its scaffold, such as ch04-sc02; else the next.")] = "",
    project: Project = Path(),
    brief: Annotated[str, typer.Option("--brief", help="What should happen, in your words.")] = "",
    words: Annotated[
        int | None, typer.Option("--words", help="The word target; that of the scaffold if not set.")
    ] = None,
    base: Annotated[str, typer.Option("--base", help="The run of a scene that was performed, to be told.")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Draft a scene in variants: every model with every strategy. Nothing is written to the manuscript yet."""
    from dramaturg.cli.foreman_work import do_work

    async def work(studio: Studio) -> None:
        given: dict[str, JsonValue] = {"target": target, "brief": brief, "words": words, "base": base}
        for name, chosen in who_writes().items():
            given[name] = [*chosen]
        await do_work(studio, "draft", studio.workshop.works.read("draft", given), yes=yes, json=json)

    in_studio(project, work, json=json)


def variants(
    run: Draft = "last",
    project: Project = Path(),
    only: Annotated[list[str] | None, typer.Option("--only", help="Show only this variant; repeat it.")] = None,
    json: Json = False,
) -> None:
    """Show the variants of a draft side by side; A3 is the third paragraph of A."""
    from dramaturg.cli.draft_view import print_variants
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.drafts.draft(run, only or ()), json)
    print_value(found) if json else print_variants(found)


def choose(
    run: Draft,
    letter: Annotated[str, typer.Argument(help="The variant, such as B.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Make a variant the scene. Where there is prose already, it becomes patches that you accept one by one."""
    from dramaturg.cli.foreman_view import print_value

    saved = ask_foreman(project, lambda foreman: foreman.drafts.choose(run, letter), json)
    print_value(saved) if json else echo(saved.said)


def hybrid(
    run: Draft,
    parts: Annotated[list[str], typer.Argument(help="Paragraphs in their order: A1-3 B4 C5- (a letter alone is all).")],
    project: Project = Path(),
    preview: Annotated[bool, typer.Option("--preview", help="Show it with its seams, and write nothing.")] = False,
    json: Json = False,
) -> None:
    """Make a scene of chosen paragraphs, and show where they meet."""
    from dramaturg.cli.draft_view import print_hybrid
    from dramaturg.cli.foreman_view import print_value

    made = ask_foreman(project, lambda foreman: foreman.drafts.hybrid(run, parts, write=not preview), json)
    print_value(made) if json else print_hybrid(made)


def perform(
    scaffold: Annotated[str, typer.Argument(help="The scaffold, such as ch04-sc02.")],
    project: Project = Path(),
    cast: Annotated[
        list[str] | None, typer.Option("--cast", help="Who plays, instead of those in the scaffold; repeat it.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a scene of this name that has changed.")] = False,
    json: Json = False,
) -> None:
    """Hand a scaffold to the stage: a scene to play with 'scene run', and a card for whoever has none."""
    from dramaturg.cli.foreman_view import print_value

    staged = ask_foreman(project, lambda foreman: foreman.drafts.perform(scaffold, cast or (), replace=replace), json)
    print_value(staged) if json else echo(staged.said)
