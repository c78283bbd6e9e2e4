"""A run exported as audio: progress while it is spoken, and what was written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.text import Text

from dramaturg.cli.edge import open_studio, perform, print_json, settings_of, stderr, stdout, tell, with_engine
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.audioplay.recordings import OnLine
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.listen import ListenRequest

MISSING_SHOWN = 5


def listen(
    run_id: str,
    project: Path,
    *,
    out: Path | None = None,
    engine: str | None = None,
    narrator: bool = True,
    json: bool = False,
) -> None:
    """Export a run's audio, with progress on stderr, and print what was written."""

    async def work() -> ProgrammeExport:
        async with open_studio(with_engine(settings_of(project), engine)) as studio:
            with speech_progress(quiet=json) as on_line:
                return await studio.listen(run_id, ListenRequest(out=out, narrator=narrator, on_line=on_line))

    export = perform(work, json=json)
    if json:
        manifest = export.manifest.model_dump(mode="json", by_alias=True)
        print_json({"path": str(export.wav), "again": export.reused, "remarks": export.remarks, **manifest})
    else:
        _print(export)


@contextmanager
def speech_progress(*, quiet: bool) -> Iterator[OnLine]:
    """Count the spoken lines, in place at a terminal; elsewhere, one line for each."""
    console = stderr()
    if quiet:
        yield lambda done, total: None
    elif console.is_terminal:
        with console.status("Speaking …") as status:
            yield lambda done, total: status.update(_count_of(done, total))
    else:
        yield lambda done, total: tell(_count_of(done, total))


def _count_of(done: int, total: int) -> str:
    return f"{done} of {total} lines spoken" + ("." if done == total else " …")


def _print(export: ProgrammeExport) -> None:
    for remark in export.told:
        tell(remark)
    manifest, console = export.manifest, stdout()
    seconds = round(manifest.duration_ms / 1000)
    loud = "silence" if manifest.lufs is None else f"{manifest.lufs:.1f} LUFS"
    peak = "" if manifest.true_peak_db is None else f", true peak {manifest.true_peak_db:.1f} dBTP"
    lines = f"{counted(len(manifest.passages), 'line')}, {export.newly_spoken} newly spoken"
    again = " (unchanged)" if export.reused else ""
    console.print(Text(f"{export.wav}{again}"), soft_wrap=True)
    console.print(Text(f"{seconds // 60}:{seconds % 60:02} min, {lines}, {loud}{peak}", style="dim"), soft_wrap=True)
    console.print(Text(f"with {manifest.captions}, {manifest.chapters_file}, {manifest.wav[:-4]}.json", style="dim"))
    for one in manifest.missing[:MISSING_SHOWN]:
        tell(f"Missing: {one.speaker}: “{one.text}” ({one.reason})")
    if len(manifest.missing) > MISSING_SHOWN:
        tell(f"… and {len(manifest.missing) - MISSING_SHOWN} more lines; {manifest.wav[:-4]}.json lists them.")
