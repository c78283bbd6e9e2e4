"""`runs listen`: what was performed, to be heard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dramaturg.cli.edge import perform, say, settings_of, stdout, tell
from dramaturg.cli.voices import with_engine
from dramaturg.kernel.voices.export import ProgrammeExport
from dramaturg.scenes.audioplay.listening import Listening
from dramaturg.scenes.audioplay.speaking import OnLine
from dramaturg.studio import Studio

MISSING_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """What was asked for on the command line."""

    out: Path | None = None
    engine: str | None = None
    narrator: bool = True
    json: bool = False


def listen_to_run(run_id: str, project: Path, options: ListenOptions) -> None:
    async def work() -> ProgrammeExport:
        settings = with_engine(settings_of(project), options.engine)
        async with Studio.open(settings) as studio:
            with _progress(quiet=options.json) as on_line:
                asked = Listening(out=options.out, narrator=options.narrator, on_line=on_line)
                return await studio.listen(run_id, asked)

    export = perform(work, json=options.json)
    if options.json:
        manifest = export.manifest.model_dump(mode="json", by_alias=True)
        say({"path": str(export.wav), "again": export.reused, "remarks": export.remarks, **manifest})
    else:
        _show(export)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[OnLine]:
    """How many lines are spoken, in place on a terminal; every tenth elsewhere."""
    console = Console(stderr=True, highlight=False)
    if quiet:
        yield lambda done, total: None
    elif console.is_terminal:
        with console.status("Speaking …") as status:
            yield lambda done, total: status.update(_standing(done, total))
    else:
        yield lambda done, total: tell(_standing(done, total)) if done % 10 == 0 or done == total else None


def _standing(done: int, total: int) -> str:
    return f"{done} of {total} lines spoken" + (", mixing …" if done == total else " …")


def _show(export: ProgrammeExport) -> None:
    for remark in export.remarks:
        tell(remark)
    manifest, console = export.manifest, stdout()
    seconds = round(manifest.duration_ms / 1000)
    loud = "nothing to be heard in it" if manifest.lufs is None else f"{manifest.lufs:.1f} LUFS"
    peak = "" if manifest.true_peak_db is None else f", peaks at {manifest.true_peak_db:.1f} dBTP"
    lines = f"{len(manifest.passages)} lines, {export.newly_spoken} newly spoken"
    again = " (as it was before)" if export.reused else ""
    console.print(Text(f"{export.wav}{again}"), soft_wrap=True)
    console.print(Text(f"{seconds // 60}:{seconds % 60:02} min, {lines}, {loud}{peak}", style="dim"), soft_wrap=True)
    console.print(Text(f"with {manifest.captions}, {manifest.chapters_file}, {manifest.wav[:-4]}.json", style="dim"))
    if manifest.silent:
        tell("The engine was 'silent', the double for tests: the times are right, and nothing can be heard.")
    for one in manifest.missing[:MISSING_SHOWN]:
        tell(f"Missing: {one.speaker}: “{one.text}” ({one.reason})")
    if len(manifest.missing) > MISSING_SHOWN:
        tell(f"… and {len(manifest.missing) - MISSING_SHOWN} more lines; {manifest.wav[:-4]}.json lists them.")
