"""`character import`, `character export` and `lorebook check`: cards and books from elsewhere, and back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import typer
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import perform, say, stdout, tell
from dramaturg.episodes.lore_scan import LoreMessage, LoreScan, LoreSettings, activate
from dramaturg.kernel.characters.exchange import (
    CardExport,
    CardImport,
    export_card,
    import_card,
)
from dramaturg.kernel.characters.load import MAX_FOREIGN
from dramaturg.kernel.characters.lorebook import Lorebook, load_book
from dramaturg.kernel.characters.tavern import Version
from dramaturg.kernel.characters.tavern.file import CardFormat
from dramaturg.kernel.errors import InvalidConfig, NotFound

FORMS: dict[str, CardFormat] = {".json": "json", ".png": "png", ".charx": "charx"}
SPECS: dict[str, Version] = {f"v{version}": version for version in get_args(Version)}


def import_character(path: Path, project: Path, name: str | None, json: bool) -> None:
    async def work() -> CardImport:
        _check_folder(project)
        return import_card(project, _bytes(path), stem=path.stem, name=name)

    imported = perform(work, json=json)
    data, book = imported.file.card.data, imported.book
    written, kept = (place.relative_to(project).as_posix() for place in (imported.written, imported.kept))
    if json:
        say(
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
    typer.echo(f"{imported.card.display_name} ({what}) is in {written}; the original is kept in {kept}.")
    headings = [section.heading for section in imported.card.sections if section.heading]
    lore = f"; lore: {len(book.entries)}" if book else ""
    typer.echo(f"  {', '.join(['Description', *headings])}; greetings: {len(data.greetings)}{lore}")
    if data.creator_notes.strip():
        stdout().print(Text(f"  {data.creator or 'The creator'} notes: {_brief(data.creator_notes)}", "dim"))
    for remark in imported.remarks:
        tell(f"  {remark}", "yellow")


def export_character(
    name: str, target: Path, project: Path, spec: str | None, image: Path | None, *, force: bool, json: bool
) -> None:
    async def work() -> CardExport:
        form, version = _form(target), _spec(spec)
        _check_free(target, force=force)
        exported = export_card(project, name, form, version=version, image=_bytes(image) if image is not None else None)
        _write(target, exported.data)
        return exported

    exported = perform(work, json=json)
    if json:
        say(
            {
                "name": exported.card.data.name,
                "file": str(target),
                "form": _form(target),
                "spec": f"v{exported.card.version}",
                "bytes": len(exported.data),
                "remarks": list(exported.remarks),
            }
        )
        return
    typer.echo(f"{exported.card.data.name} (V{exported.card.version}) is in {target}.")
    for remark in exported.remarks:
        tell(f"  {remark}", "yellow")


def check_lorebook(path: Path, text: str, json: bool) -> None:
    async def work() -> tuple[Lorebook, LoreScan]:
        book = load_book(path)
        said = [LoreMessage(text=text)] if text else []
        return book, activate([book], said, settings=LoreSettings(budget_tokens=book.token_budget or 1_000_000))

    book, scan = perform(work, json=json)
    if json:
        say(_checked(book, scan))
        return
    on = sum(entry.enabled for entry in book.entries)
    typer.echo(f"{book.name} ({_KINDS[book.form]}): {len(book.entries)} entries, {on} of them enabled.")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("told", "tokens", "where", "why"):
        table.add_column(column, no_wrap=column in ("tokens", "where"))
    for one in scan.told:
        table.add_row(Text(one.entry.label), str(one.tokens), one.entry.position, Text(one.reason))
    if scan.told:
        stdout().print(table)
    for untold in scan.untold:
        tell(f"  {untold.label}: {untold.reason}", "yellow")
    for name, count in _unknown(book).items():
        tell(f"  @@{name} (in {count}) is not known here and does nothing.", "yellow")


_KINDS = {"card": "a card's book", "world": "World Info", "standalone": "V3 stand-alone"}


def _checked(book: Lorebook, scan: LoreScan) -> dict[str, object]:
    return {
        "name": book.name,
        "form": book.form,
        "entries": len(book.entries),
        "enabled": sum(entry.enabled for entry in book.entries),
        "told": [
            {"label": one.entry.label, "position": one.entry.position, "tokens": one.tokens, "reason": one.reason}
            for one in scan.told
        ],
        "untold": [{"label": one.label, "reason": one.reason} for one in scan.untold],
        "unknownDecorators": dict(_unknown(book)),
    }


def _unknown(book: Lorebook) -> Counter[str]:
    return Counter(name for entry in book.entries for name in entry.decorators.unknown)


def _form(path: Path) -> CardFormat:
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise InvalidConfig(f"'{path.name}' says nothing of its form. End it in {', '.join(FORMS)}.")
    return form


def _spec(spec: str | None) -> Version | None:
    if spec is None:
        return None
    version = SPECS.get(spec.lower())
    if version is None:
        raise InvalidConfig(f"There is no version '{spec}' of cards. Say {', '.join(SPECS)}.")
    return version


def _check_folder(project: Path) -> None:
    if not project.is_dir():
        raise NotFound(f"There is no folder {project}. 'dramaturg new {project}' makes a story project.")


def _check_free(path: Path, *, force: bool) -> None:
    if path.is_dir():
        raise InvalidConfig(f"{path} is a folder. Give the name of a file.", file=str(path))
    if path.exists() and not force:
        raise InvalidConfig(f"{path} exists already. Give another name, or --force.", file=str(path))


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be written: {error.strerror or error}.", file=str(path)) from error


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FOREIGN + 1)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.") from None
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_FOREIGN:
        raise InvalidConfig(f"{path} is over {MAX_FOREIGN // 2**20} MB. Use a smaller one.")
    return data


def _brief(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 300 else f"{words[:300]}…"
