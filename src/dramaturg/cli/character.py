"""`character`: cards from other programs, and what characters remember."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, get_args

import typer

from dramaturg.cli.edge import (
    AUTHOR,
    check_can_write,
    check_project,
    echo,
    in_studio,
    perform,
    print_json,
    stdout,
    tell,
    write_out,
)
from dramaturg.cli.group import noun
from dramaturg.cli.options import Force, Json, Project
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.shortened import short_line

if TYPE_CHECKING:
    from dramaturg.characters.exchange import CardExport, CardImport
    from dramaturg.characters.tavern import Version
    from dramaturg.characters.tavern.file import CardFormat
    from dramaturg.scenes.store import MemoryStore
    from dramaturg.studio import Studio

app = noun()
T = TypeVar("T")
CharacterName = Annotated[str, typer.Argument(help="Name of a card in .claude/agents/.")]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, or the start of one.")]
FORMS: dict[str, CardFormat] = {".json": "json", ".png": "png", ".charx": "charx"}


@app.command("new")
def create_character(
    name: Annotated[str, typer.Argument(help="The character's name.")],
    role: Annotated[str, typer.Option(help="What they are, in a few words.", show_default="a placeholder")] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Write a new card with its sections explained, ready to play. Nothing is overwritten."""
    from dramaturg.cli.scaffold import display_name, new_character

    async def work() -> str:
        check_project(project)
        return new_character(project, name, role)

    file = perform(work, json=json)
    if json:
        print_json({"name": display_name(name), "card": file})
    else:
        echo(f"Created {file}\nIts notes in {{{{// double braces}}}} are for you; no model is told them.")


@app.command("import")
def import_character(
    file: Annotated[Path, typer.Argument(help="A character card: JSON, PNG or CharX.")],
    name: Annotated[str | None, typer.Option(help="Its name in this project.", show_default="the card's")] = None,
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Import a character card from another program."""
    from dramaturg.characters.exchange import import_card
    from dramaturg.cli.card_choice import foreign_bytes

    async def work() -> CardImport:
        check_project(project)
        return import_card(project, foreign_bytes(file), stem=file.stem, name=name)

    _print_imported(perform(work, json=json), project, json=json)


def _print_imported(imported: CardImport, project: Path, *, json: bool) -> None:
    data, book = imported.file.card.data, imported.book
    written, kept = (place.relative_to(project).as_posix() for place in (imported.written, imported.kept))
    if json:
        print_json(
            {
                "name": imported.card.name,
                "displayName": imported.card.display_name,
                "spec": f"v{imported.file.card.version}",
                "form": imported.file.form,
                "card": written,
                "original": kept,
                "greetings": len(data.greetings),
                "loreEntries": len(book.entries) if book else 0,
                "remarks": list(imported.remarks),
            }
        )
        return
    what = f"V{imported.file.card.version}, {imported.file.form.upper()}"
    echo(f"{imported.card.display_name} ({what}) is in {written}; the original is in {kept}.")
    headings = [section.heading for section in imported.card.sections if section.heading]
    lore = f"; lore: {len(book.entries)}" if book else ""
    echo(f"  {', '.join(['Description', *headings])}; greetings: {len(data.greetings)}{lore}")
    if data.creator_notes.strip():
        note = f"  {data.creator or 'The creator'} notes: {short_line(data.creator_notes, 300)}"
        stdout().print(note, style="dim", markup=False)
    for remark in imported.remarks:
        tell(f"  {remark}", "yellow")


@app.command("export")
def export_character(
    name: CharacterName,
    to: Annotated[Path, typer.Option("--to", help="The file to write: .json, .png or .charx.")],
    spec: Annotated[str | None, typer.Option(help="v1, v2 or v3.", show_default="the card's own, or v3")] = None,
    image: Annotated[Path | None, typer.Option(help="A PNG picture of the character.")] = None,
    force: Force = False,
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Export a character as a card that other programs can read."""
    from dramaturg.characters.exchange import export_card
    from dramaturg.cli.card_choice import foreign_bytes

    async def work() -> CardExport:
        check_project(project)
        form, version = _form(to), _spec(spec)
        check_can_write(to, force=force)
        exported = export_card(
            project, name, form, version=version, image=foreign_bytes(image) if image is not None else None
        )
        write_out(to, exported.data)
        return exported

    exported = perform(work, json=json)
    if json:
        print_json(
            {
                "name": exported.card.data.name,
                "file": str(to),
                "form": _form(to),
                "spec": f"v{exported.card.version}",
                "bytes": len(exported.data),
                "remarks": list(exported.remarks),
            }
        )
        return
    echo(f"{exported.card.data.name} (V{exported.card.version}) is in {to}.")
    for remark in exported.remarks:
        tell(f"  {remark}", "yellow")


@app.command("show")
def show_character(name: CharacterName, project: Project = Path(), json: Json = False) -> None:
    """Show memories and where they come from, mood and bonds."""
    from dramaturg.cli.character_view import print_past

    past = _with_memory(name, project, lambda memory, who: memory.past(who), json=json)
    model = _own_model(project, name)
    if json:
        memories = [{"id": memory.id, **memory.model_dump(mode="json")} for memory in past.memories]
        print_json({**past.model_dump(mode="json"), "model": model, "memories": memories})
        return
    if model:
        tell(f"The card names its own model, {model!a}, and is played by it.", "yellow")
    if not past.memories and not past.bonds:
        echo(f"{past.character} remembers nothing yet. Scenes with 'remembers: true' are remembered.")
    else:
        print_past(past)


def _own_model(project: Path, name: str) -> str | None:
    """The model that a character's card names; None if there is no card any more."""
    from dramaturg.characters import load_card
    from dramaturg.kernel.errors import CharacterLoadError

    try:
        return load_card(project, name).model
    except CharacterLoadError:
        return None


@app.command("edit")
def edit_memory(
    name: CharacterName,
    memory: MemoryId,
    text: Annotated[str, typer.Argument(help="The new text, addressed to the character: 'Bob promised you …'")],
    project: Project = Path(),
) -> None:
    """Reword a memory."""
    edited = _with_memory(name, project, lambda store, who: store.edit(who, memory, text))
    echo(f"{edited.id} now reads: {edited.text}")


@app.command("forget")
def forget_memory(name: CharacterName, memory: MemoryId, project: Project = Path()) -> None:
    """Delete one memory for good."""
    echo(f"{_with_memory(name, project, lambda store, who: store.forget(who, memory))} is forgotten.")


@app.command("reset")
def reset_character(
    name: CharacterName,
    project: Project = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete everything a character remembers: memories, mood and bonds."""
    from dramaturg.cli.line_reader import confirmed

    question = f"Delete everything that {name} remembers, feels and thinks of others?"
    if not yes and not perform(lambda: confirmed(question)):
        tell("Nothing was changed. With --yes, the question is skipped.")
        raise typer.Exit(AUTHOR)

    async def reset(store: MemoryStore, who: str) -> str:
        await store.reset(who)
        return who

    echo(f"{_with_memory(name, project, reset)} no longer remembers anything.")


def _with_memory(
    name: str, project: Path, work: Callable[[MemoryStore, str], Awaitable[T]], *, json: bool = False
) -> T:
    """Do something with the memory of a character, who may have no card any more."""

    async def found(studio: Studio) -> T:
        from dramaturg.characters import load_cast

        known = {one.casefold(): one for one in await studio.scenes.memory.characters()}
        who = known.get(name.casefold()) or load_cast(studio.settings.project, [name])[0].name
        return await work(studio.scenes.memory, who)

    return in_studio(project, found, json=json)


def _form(path: Path) -> CardFormat:
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise InvalidConfig(f"'{path.name}' does not say which kind of card to write. Use one of {', '.join(FORMS)}.")
    return form


def _spec(spec: str | None) -> Version | None:
    if spec is None:
        return None
    from dramaturg.characters.tavern import Version

    versions: dict[str, Version] = {f"v{version}": version for version in get_args(Version)}
    version = versions.get(spec.lower())
    if version is None:
        raise InvalidConfig(f"There is no version '{spec}' of character cards. Choose one of {', '.join(versions)}.")
    return version
