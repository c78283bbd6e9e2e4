"""`foreman export`: the manuscript as DOCX, EPUB, Markdown or text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import fail, in_studio, print_json, tell
from dramaturg.cli.options import Force, Json, Project
from dramaturg.kernel.errors import InvalidConfig

if TYPE_CHECKING:
    from dramaturg.studio import Studio
    from dramaturg.workshop.manuscripts.export.book import ExportedBook, Form

PAPERS = ("letter", "a4")


def register(app: typer.Typer) -> None:
    app.command("export")(export_manuscript)


def export_manuscript(  # noqa: PLR0913  # reason: one parameter per option of the command
    to: Annotated[str, typer.Option(help="docx, epub, md or txt.", show_default="what --output ends in, or docx")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write.", show_default="data/exports/TITLE")
    ] = None,
    project: Project = Path(),
    title: Annotated[str, typer.Option(help="The title; that of the settings if not given.")] = "",
    author: Annotated[str, typer.Option(help="The author's name.")] = "",
    contact: Annotated[
        list[str] | None, typer.Option(help="A line of the address on the title page; repeat it.")
    ] = None,
    chapters: Annotated[str, typer.Option(help="Chapters such as 1-3,5; all if not given.")] = "",
    scene: Annotated[list[str] | None, typer.Option(help="A scene such as ch04-sc02; repeat it.")] = None,
    planned: Annotated[bool, typer.Option("--planned", help="With scenes that are planned and not drafted.")] = False,
    scene_titles: Annotated[bool, typer.Option("--scene-titles", help="With the titles of scenes.")] = False,
    paper: Annotated[str, typer.Option(help="DOCX: letter or a4.")] = "letter",
    track: Annotated[bool, typer.Option("--track", help="DOCX: record an editor's changes from the start.")] = False,
    remarks: Annotated[
        bool, typer.Option("--remarks", help="DOCX: conflicts and findings as comments, patches as tracked changes.")
    ] = False,
    language: Annotated[str, typer.Option(help="The language of the book, such as en or de.")] = "en",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the manuscript as one file: DOCX in standard manuscript format, EPUB 3, Markdown or text."""
    from dramaturg.authored import check_folder
    from dramaturg.kernel.store import Artifacts
    from dramaturg.workshop.manuscripts.book_text import Selection
    from dramaturg.workshop.manuscripts.front import ExportWish

    if paper not in PAPERS:
        fail(InvalidConfig(f"--paper is letter or a4, not '{paper}'.", paper=paper), json=json)

    async def work(studio: Studio) -> tuple[ExportedBook, Path]:
        selection = Selection(chapters, tuple(scene or ()), planned, scene_titles)
        wish = ExportWish(_form(to, output), title, author, tuple(contact or ()), language, selection, paper, track)
        out = await studio.workshop.exports.export(wish, remarks=remarks)
        named = title or studio.settings.workshop.title or studio.settings.project.resolve().name
        if output is None:
            check_folder(studio.settings.data / "exports")
            return out, Artifacts(studio.settings.data).write_bytes(f"exports/{_stem(named)}.{out.form}", out.data)
        if output.exists() and not force:
            raise InvalidConfig(
                f"{output} exists. Choose another name, or overwrite it with --force.", path=str(output)
            )
        return out, Artifacts(output.absolute().parent).write_bytes(output.name, out.data)

    done, place = in_studio(project, work, json=json)
    if json:
        print_json({"file": str(place), "bytes": len(done.data), "format": done.form, "unplaced": done.unplaced})
        return
    for one in done.unplaced:
        tell(one, "yellow")
    tell(f"Wrote {place} ({len(done.data)} bytes).")


def _form(to: str, output: Path | None) -> Form:
    """The format that was asked for, by name or by the ending of the file; both must be the same."""
    from dramaturg.workshop.manuscripts.export.book import FORMS, read_form

    ending = output.suffix.lower().removeprefix(".") if output else ""
    if to and ending in FORMS and read_form(to) != ending:
        raise InvalidConfig(f"--to says {to}, and {output} ends in .{ending}. Name one of the two.", form=to)
    return read_form(to or ending or "docx")


def _stem(title: str) -> str:
    return re.sub(r"[^\w-]+", "-", title).strip("-")[:80] or "manuscript"
