"""`foreman import` and `foreman speakers`: a manuscript comes in, and what an editor did to it comes back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, fail, in_studio, tell
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.studio import Studio
    from dramaturg.workshop.manuscripts.intake.preview import ImportPreview
    from dramaturg.workshop.manuscripts.remarks import WordReview
    from dramaturg.workshop.manuscripts.wire import ImportResult, ReviewView, SpeakerList

MOST_SHOWN = 60
MOST_PREVIEW = 20_000_000


def register(app: typer.Typer) -> None:
    app.command("import")(import_manuscript)
    app.command("speakers")(show_speakers)


def import_manuscript(
    path: Annotated[Path, typer.Argument(help="A Markdown, text, DOCX or ODT file, or a folder of them.")],
    project: Project = Path(),
    preview: Annotated[
        Path | None,
        typer.Option("--preview", help="Write a preview to this file, to correct; nothing else is written."),
    ] = None,
    from_preview: Annotated[
        Path | None, typer.Option("--from-preview", help="Import as this corrected preview says.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Import as proposed, without a corrected preview.")] = False,
    accept: Annotated[
        str, typer.Option(help="An edited DOCX: the changes to make, such as 1,3-5, or all.", show_default=False)
    ] = "",
    json: Json = False,
) -> None:
    """Import a manuscript as chapters and scenes, or bring back a DOCX that was exported and edited."""
    if (preview is not None) + (from_preview is not None) + yes + bool(accept) > 1:
        fail(InvalidConfig("Give one of --preview, --from-preview, --yes and --accept."), json=json)

    async def work(studio: Studio) -> None:
        data = studio.workshop.manuscripts.reviewed(path)
        if data is not None:
            await _review(studio, path.name, data, accept, json)
        elif accept:
            raise InvalidConfig(f"{path} is not a DOCX that was exported from this manuscript; --accept is for those.")
        else:
            await _import(studio, path, preview, from_preview, yes, json)

    in_studio(project, work, json=json)


async def _import(
    studio: Studio, path: Path, preview: Path | None, from_preview: Path | None, yes: bool, json: bool
) -> None:
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.manuscripts.intake.preview import preview_text
    from dramaturg.workshop.manuscripts.wire import import_result

    manuscripts = studio.workshop.manuscripts
    sources = await manuscripts.read(path)
    if preview is not None:
        proposed = await manuscripts.preview(sources)
        _write(preview, preview_text(proposed).encode())
        print_value(proposed) if json else _print_preview(proposed)
        tell(f"Wrote {preview}. Correct it, then: dramaturg foreman import {path} --from-preview {preview}")
        return
    plan = await manuscripts.plan(sources, _read_preview(from_preview) if from_preview else None)
    writes = yes or from_preview is not None
    told = tuple(await manuscripts.apply(plan)) if writes else ()
    result = import_result(plan, written=writes, problems=told)
    print_value(result) if json else _print_result(result)


def _print_preview(preview: ImportPreview) -> None:
    for one in preview.cuts[:MOST_SHOWN]:
        echo(f"{one.cut:8} {one.title or one.words}  ({one.why})")
    if len(preview.cuts) > MOST_SHOWN:
        tell(f"… and {len(preview.cuts) - MOST_SHOWN} more in the file.")
    for problem in preview.problems:
        tell(problem, "yellow")


def _print_result(result: ImportResult) -> None:
    for one in result.files[:MOST_SHOWN]:
        was = f" (was {one.was})" if one.was else ""
        words = f", {one.words} words" if one.words else ""
        echo(f"{one.kind:10} {one.path}{was}  {one.title}{words}")
    if len(result.files) > MOST_SHOWN:
        tell(f"… and {len(result.files) - MOST_SHOWN} more; --json has all.")
    for problem in result.problems:
        tell(problem, "yellow")
    conflicts = sum(one.kind == "conflict" for one in result.files)
    if conflicts:
        tell(f"{counted(conflicts, 'file')} changed here and in the source, and left alone.", "yellow")
    if not result.written:
        tell("Nothing is written yet. Look closer with --preview FILE, or import it so with --yes.")


async def _review(studio: Studio, name: str, data: bytes, accept: str, json: bool) -> None:
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.manuscripts.wire import review_view

    foreman = studio.workshop
    review = await foreman.manuscripts.review(name, data)
    numbers = None if accept.strip().lower() == "all" else _numbers(accept)
    view = review_view(review, await foreman.accept_review(name, data, numbers) if accept else ())
    print_value(view) if json else _print_review(view)


def _print_review(view: ReviewView) -> None:
    review: WordReview = view.review
    for one in review.patches:
        where = f"{one.patch.anchor.path}:{one.line}" if one.line else one.patch.anchor.path
        who = f" ({one.patch.author})" if one.patch.author else ""
        echo(f"{one.number:3} {where}{who}: “{one.patch.anchor.quote}” → “{one.patch.new}”")
        if one.state != "ready":
            tell(f"    waits: {one.why}", "yellow")
    for note in review.notes:
        where = f"{note.note.anchor.path}:{note.line}" if note.line else note.note.anchor.path
        who = f" ({note.note.author})" if note.note.author else ""
        echo(f"  # {where}{who} on “{note.note.anchor.quote}”: {note.note.text}")
    for problem in review.problems:
        tell(problem, "yellow")
    if view.changed:
        tell(f"Changed {', '.join(view.changed)}. Undo: dramaturg foreman undo")
    elif not review.patches and not review.notes and not review.untouched:
        tell("It brings back nothing to this manuscript.")
    elif not review.patches and not review.notes:
        tell("1 scene, as it went out." if review.scenes == 1 else f"{review.scenes} scenes, all as they went out.")
    else:
        tell(f"{review.untouched} of {review.scenes} scenes are untouched. Make changes with --accept 1,3 or all.")


def show_speakers(
    scene: Annotated[str, typer.Argument(help="A scene such as ch04-sc02; all if omitted.")] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Show who says what, and how the text tells: by a tag, by turns, or not at all."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.manuscripts.wire import speaker_list

    async def work(studio: Studio) -> SpeakerList:
        return speaker_list(await studio.workshop.manuscripts.speakers(scene))

    found = in_studio(project, work, json=json)
    if json:
        print_value(found)
        return
    for one in found.lines:
        sure = "" if one.certain or one.speaker is None else "?"
        echo(f"{one.scene} ¶{one.paragraph}  {(one.speaker or '-') + sure}: “{one.text}”  ({one.reason})")
    if not found.lines:
        tell("There are no quoted lines.")


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()) or len(part) > 12:
            raise InvalidConfig(f"--accept takes numbers such as 1,3-5, or all; not '{text}'.")
        found += range(int(first), min(int(last or first), int(first) + 10_000) + 1)
    return found


def _read_preview(path: Path) -> ImportPreview:
    from dramaturg.kernel.files import read_file
    from dramaturg.workshop.manuscripts.intake.preview import read_preview

    try:
        data = read_file(path, MOST_PREVIEW)
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}.", path=str(path)) from error
    if len(data) > MOST_PREVIEW:
        raise InvalidConfig(f"{path} is too large for a preview.", path=str(path))
    return read_preview(data.decode("utf-8-sig", "replace"))


def _write(path: Path, data: bytes) -> None:
    from dramaturg.kernel.store import Artifacts

    Artifacts(path.absolute().parent).write_bytes(path.name, data)
