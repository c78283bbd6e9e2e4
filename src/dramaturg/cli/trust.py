"""`trust`: what a project asks for, and consent to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import (
    AUTHOR,
    check_project,
    confirm_wishes,
    fail,
    perform,
    print_json,
    somebody_is_here,
    stdout,
    tell,
)
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from dramaturg.trust import Wish

app = noun()


@app.command()
def trust_project(
    project: Project = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Allow it without asking.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Forget what this project was allowed.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List every project that was allowed something.")] = False,
    json: Json = False,
) -> None:
    """Show what a project asks for: keys at other addresses, programs, files outside itself. Allow it if you agree."""
    if listing:
        _list(json=json)
    elif revoke:
        _revoke(project)
    else:
        _decide(project, yes=yes, json=json)


def _decide(project: Path, *, yes: bool, json: bool) -> None:
    from dramaturg.trust import ConsentBook, refusal

    async def work() -> tuple[tuple[Wish, ...], tuple[Wish, ...]]:
        book, wishes = ConsentBook.of(os.environ), tuple(dict.fromkeys(_wishes(project)))
        return wishes, book.missing(project, wishes)

    wishes, missing = perform(work, json=json)
    if json:
        asked = {wish.digest: wish for wish in missing}
        rows = [
            {
                "wish": asked.get(wish.digest, wish).sentence,
                "kind": wish.kind,
                "allowed": wish.digest not in asked or yes,
            }
            for wish in wishes
        ]
        print_json({"project": str(project.resolve()), "wishes": rows})
    elif not missing:
        for wish in wishes:
            tell(f"  allowed: {wish.sentence}")
        typer.echo("Everything this project asks for is allowed." if wishes else "This project asks for nothing.")
    if not missing:
        return
    if not yes:
        if json:
            raise typer.Exit(AUTHOR)
        if not somebody_is_here():
            fail(refusal(project, missing))
        if not confirm_wishes(missing):
            tell("Nothing is allowed, and nothing was changed.")
            raise typer.Exit(AUTHOR)
    _remember(project, wishes, json=json)


def _remember(project: Path, wishes: tuple[Wish, ...], *, json: bool) -> None:
    from dramaturg.trust import ConsentBook

    async def work() -> Path:
        return ConsentBook.of(os.environ).remember(project, wishes)

    file = perform(work, json=json)
    if not json:
        for wish in wishes:
            tell(f"  allowed: {wish.sentence}")
        typer.echo(f"Remembered in {file.parent}. A change to any of it asks again.")


def _wishes(project: Path) -> Iterator[Wish]:
    """The wishes of the settings, then those of cards and the ensemble, which choose models of their own."""
    from dramaturg.characters.load import written_card
    from dramaturg.ensemble.ensemble import read_ensemble
    from dramaturg.kernel.errors import AuthorError
    from dramaturg.kernel.settings import read_settings
    from dramaturg.trust import model_wish, wishes_of

    check_project(project)
    yield from wishes_of(read_settings(project, os.environ))
    named: list[tuple[str, str | None]] = []
    for name in _cards(project):
        try:
            named.append((f"the card of {name}", written_card(project, name).model))
        except AuthorError as error:
            tell(error.message, "yellow")
    try:
        slots = read_ensemble(project).slots
        named += [("ensemble.yaml", one) for slot in slots for one in (slot.model, slot.agent)]
    except AuthorError as error:
        tell(error.message, "yellow")
    for where, model in named:
        if model and (wish := model_wish(model, project, where)):
            yield wish


def _cards(project: Path) -> tuple[str, ...]:
    from dramaturg.characters import known_cards
    from dramaturg.kernel.errors import AuthorError

    try:
        return known_cards(project)
    except AuthorError as error:
        tell(error.message, "yellow")
        return ()


def _revoke(project: Path) -> None:
    from dramaturg.trust import ConsentBook

    async def work() -> bool:
        return ConsentBook.of(os.environ).revoke(project)

    typer.echo("What it was allowed is forgotten." if perform(work) else "This project was not allowed anything.")


def _list(*, json: bool) -> None:
    from dramaturg.trust import ConsentBook

    for consent in ConsentBook.of(os.environ).all():
        if json:
            print_json({"project": consent.project, "wishes": list(consent.wishes.values())})
            continue
        stdout().print(consent.project, markup=False, soft_wrap=True)
        for sentence in consent.wishes.values():
            stdout().print(f"  - {sentence}", markup=False, soft_wrap=True)
