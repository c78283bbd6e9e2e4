"""`foreman page` and `consultations`: the texts of the book, and what was said about it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, tell
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.shortened import short_line

if TYPE_CHECKING:
    from dramaturg.workshop.book_pages import PageKind, PageSaved, PageText
    from dramaturg.workshop.front import Workshop

app = noun()
Name = Annotated[str, typer.Argument(help="A template such as beat_sheet, a scene such as ch04-sc02, or a path.")]
STDIN = "-"
LONGEST_LINE = 160


def register(foreman: typer.Typer) -> None:
    """Adds the commands."""
    foreman.add_typer(
        app, name="page", help="The texts of the book: pages of the story bible, scenes of the manuscript."
    )
    foreman.command("consultations")(list_consultations)


@app.command("list")
def list_pages(project: Project = Path(), json: Json = False) -> None:
    """List the pages of the story bible and the scenes of the manuscript."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.book_pages import ManuscriptSceneList, PageList

    async def work(foreman: Workshop) -> tuple[PageList, ManuscriptSceneList]:
        return await foreman.pages.pages(), await foreman.pages.scenes()

    pages, scenes = ask_foreman(project, work, json)
    if json:
        for row in (*pages.pages, *scenes.scenes):
            print_value(row)
        return
    _print_rows((one.name, one.words, one.status, one.title, one.problem) for one in pages.pages)
    _print_rows((one.name, one.words, one.beat, one.title, one.problem) for one in scenes.scenes)


@app.command("show")
def show_page(name: Name, project: Project = Path(), json: Json = False) -> None:
    """Print the whole text of a page or a scene; with --json, its digest too."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: _read(foreman, name), json)
    print_value(found) if json else echo(found.text, end="")


@app.command("write")
def write_page(
    name: Name,
    file: Annotated[str, typer.Argument(help="The file with the new text; - for stdin.")] = STDIN,
    project: Project = Path(),
    digest: Annotated[
        str | None,
        typer.Option(help="Write only if the text still has this digest; empty if there is to be no text yet."),
    ] = None,
    json: Json = False,
) -> None:
    """Write the whole text of a page or a scene. The text before it is kept, and 'undo' brings it back."""
    from dramaturg.cli.foreman_view import print_value

    saved = ask_foreman(project, lambda foreman: _write(foreman, name, file, digest), json)
    print_value(saved) if json else echo(saved.said)
    if saved.problem and not json:
        tell(saved.problem, "yellow")


def list_consultations(
    project: Project = Path(),
    page: Annotated[int, typer.Option(min=1, max=1_000_000, help="The page; 1 has the newest.")] = 1,
    limit: Annotated[int, typer.Option(min=1, max=100, help="The maximum number on a page.")] = 20,
    json: Json = False,
) -> None:
    """List what was said, newest first; 'runs show' has all of it."""
    from dramaturg.cli.foreman_view import print_value

    found = ask_foreman(project, lambda foreman: foreman.consultations(page, limit), json)
    if json:
        print_value(found)
        return
    for one in found.consultations:
        echo(f"{one.turn:>4}  > {short_line(one.said, LONGEST_LINE)}")
        echo(f"      {short_line(one.failed or one.message or '(no answer)', LONGEST_LINE)}")
        for done in one.done:
            echo(f"      ✓ {short_line(done, LONGEST_LINE)}")
    if not found.consultations:
        tell(f"There is nothing on page {page}; the conversation has {found.total} messages.")


async def _read(foreman: Workshop, name: str) -> PageText:
    return await foreman.pages.read(_kind(name), name)


async def _write(foreman: Workshop, name: str, file: str, digest: str | None) -> PageSaved:
    text, kind = _text(file), _kind(name)
    if digest is None:
        digest = await foreman.pages.digest(kind, name)
    return await foreman.pages.write(kind, name, text, digest)


def _kind(name: str) -> PageKind:
    """A page of the story bible if it is called so, by its template or its path; else a scene."""
    from dramaturg.workshop.book.bible import FOLDER, bible_path, template_at

    plain = name.strip().replace("\\", "/").removeprefix("./")
    if plain.startswith(f"{FOLDER}/"):
        return "page"
    try:
        return "page" if template_at(bible_path(plain)) else "scene"
    except InvalidConfig:
        return "scene"


def _text(file: str) -> str:
    from dramaturg.kernel.files import read_file
    from dramaturg.workshop.book.manuscript import MOST_BYTES

    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1) if file == STDIN else read_file(Path(file), MOST_BYTES)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InvalidConfig(f"{file} cannot be read: {error.strerror}. Give a text file, or - for stdin.") from error
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{file} is not UTF-8 text. Save it as UTF-8.") from error


def _print_rows(rows: Iterable[tuple[str, int, str, str, str | None]]) -> None:
    for name, words, status, title, problem in rows:
        echo(f"{name:<24} {words:>7} words  {status:<12} {title}".rstrip())
        if problem:
            tell(problem, "yellow")
