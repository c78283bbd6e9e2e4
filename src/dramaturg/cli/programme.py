"""`programme`: runs as programmes to hand out, and a podcast feed of them."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import replace
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from dramaturg.cli.audio_view import speech_progress
from dramaturg.cli.edge import open_studio, perform, print_json, settings_of, stdout, tell, with_engine
from dramaturg.cli.group import noun
from dramaturg.cli.option_group import command_with
from dramaturg.cli.options import Json, Project
from dramaturg.cli.programme_options import heard_beneath, spoken_parts, the_show
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.voices.export import ProgrammeExport
    from dramaturg.voices.feed import Feed
    from dramaturg.voices.publication import Publication

app = noun()


@app.command("make", cls=command_with(spoken_parts, heard_beneath))
def make_programme(
    run: Annotated[str, typer.Argument(help="A scene, an act or a session of the ensemble.", metavar="RUN")],
    project: Project = Path(),
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path("programmes"),
    form: Annotated[
        str, typer.Option("--format", "-f", help="m4b, mp3, opus, flac or wav; several separated by commas.")
    ] = "m4b",
    name: Annotated[str, typer.Option(help="The name of the files.", show_default="from the title and the run")] = "",
    kbps: Annotated[
        int | None, typer.Option(min=16, max=320, help="The bit rate of m4b, mp3 and opus.", show_default="by format")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="The speech engine, instead of the one in the settings.")] = None,
    json: Json = False,
) -> None:
    """Turn a run into a programme: one sound file with chapters, captions (VTT, SRT) and word times."""
    from dramaturg.voices.publication import PublishRequest, publish, read_media_formats

    folder = Path(normpath(out))
    place = Path(normpath(out.absolute()))  # "../x" begins with the project too, and is not meant to lie in it

    async def work() -> tuple[ProgrammeExport, Publication]:
        if leads_out(place, project):
            raise InvalidConfig(f"{folder} is a link out of the project. Give another folder with --out.")
        formats, wanted = read_media_formats(form), replace(spoken_parts(), backdrop=heard_beneath())
        async with open_studio(with_engine(settings_of(project), engine)) as studio:
            with speech_progress(quiet=json) as on_line:
                export = await studio.listen(run, replace(wanted, on_line=on_line))
            request = PublishRequest(folder, studio.resources.clock.now(), formats, name, kbps)
            return export, await to_thread(publish, export, request)

    export, publication = perform(work, json=json)
    if json:
        written = publication.model_dump(mode="json", by_alias=True)
        missing = [one.model_dump(mode="json", by_alias=True) for one in export.manifest.missing]
        print_json({"folder": str(folder), "remarks": export.told, "missing": missing, **written})
        return
    _print(folder, export, publication)


@app.command("feed", cls=command_with(the_show))
def write_feed(
    folder: Annotated[Path, typer.Argument(help="A folder that 'programme make' wrote to.", metavar="DIR")],
    url: Annotated[str, typer.Option(help="The address at which the folder will be found on the web.")],
    json: Json = False,
) -> None:
    """Write a podcast feed (RSS) of the programmes in a folder. Upload the folder, and subscribe to feed.xml."""
    from dramaturg.voices import feed as feeds

    async def work() -> Feed:
        show = the_show()
        titled = replace(show, url=url, title=show.title or folder.resolve().name)
        return await to_thread(feeds.write_feed, folder, titled)

    feed = perform(work, json=json)
    if json:
        items = [one.model_dump(mode="json", by_alias=True) for one in feed.items]
        print_json({"feed": str(feed.path), "items": items})
        return
    count = "1 programme" if len(feed.items) == 1 else f"{len(feed.items)} programmes"
    stdout().print(Text(f"{feed.path}: {count}"), soft_wrap=True)
    for one in feed.items:
        if one.silent:
            tell(f"Nothing can be heard in '{one.title}': its lines were made by the engine 'silent'.")
    if not the_show().image:
        tell("Directories such as Apple Podcasts also want a picture: --image.")


def _print(folder: Path, export: ProgrammeExport, publication: Publication) -> None:
    for remark in export.told:
        tell(remark)
    console = stdout()
    for file in publication.files:
        console.print(Text(f"{folder / file.file} ({file.bytes / 1000:,.0f} kB)"), soft_wrap=True)
    seconds = round(publication.duration_ms / 1000)
    loud = "silence" if publication.lufs is None else f"{publication.lufs:.1f} LUFS"
    facts = f"{seconds // 60}:{seconds % 60:02} min, {counted(len(publication.chapters), 'chapter')}, {loud}"
    beside = f"with {publication.captions}, {publication.subtitles}, {publication.words}"
    console.print(Text(facts, style="dim"), soft_wrap=True)
    console.print(Text(beside, style="dim"), soft_wrap=True)
    for one in export.manifest.missing:
        tell(f"Missing: {one.speaker}: “{one.text[:120]}” ({one.reason})")
