"""`runs export`: a run in the form that another program reads."""

from __future__ import annotations

import sys
from pathlib import Path

from dramaturg.cli.edge import perform, settings_of, tell
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.exports import FORMATS, Format, export_run, read_formats
from dramaturg.studio import Studio


def export(run_id: str, project: Path, form: str | None, output: Path | None, *, force: bool) -> None:
    """To a file, or to stdout. Without a format, the file's ending says it."""

    async def work() -> None:
        chosen = _chosen(form, output)
        if output is not None:
            _check_free(output, force=force)
        async with Studio.open(settings_of(project)) as studio:
            run = await studio.open_scene_run(run_id)
        text = export_run(run.id, run.entries, chosen)
        if output is None:
            sys.stdout.buffer.write(text.encode())
            sys.stdout.buffer.flush()
        else:
            Artifacts(output.parent).write_text(output.name, text)
            tell(f"Written to {output}")

    perform(work)


def _chosen(form: str | None, output: Path | None) -> Format:
    named = form or (output.suffix.removeprefix(".") if output else "")
    found = read_formats(named)
    if len(found) != 1:
        raise InvalidConfig(f"Say in which form: --format {'|'.join(FORMATS)}.", provided=named)
    return found[0]


def _check_free(output: Path, *, force: bool) -> None:
    if output.is_dir() or not output.name:
        raise InvalidConfig(f"{output} is a folder. Give the name of a file.", file=str(output))
    if output.exists() and not force:
        raise InvalidConfig(f"{output} exists already. Give another name, or --force.", file=str(output))
