"""Logs that the server wrote, each with the scene that the server's own fold makes of it: for the studio's fold."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.revision.changes import Edit, Strike
from dramaturg.scenes.scene import named_scene
from dramaturg.scenes.wire import document_of
from dramaturg.studio import Studio
from tests.web.ensemble_logs import write_ensembles
from tests.web.session_logs import write_sessions

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"
SCENE = "the-apology"


def recorded(run: SceneRun) -> dict[str, Any]:
    """The whole log as the author's stream sends it, and the document of the scene."""
    entries = [entry.model_dump(mode="json", by_alias=True) for entry in run.entries]
    return {"entries": entries, "document": document_of(run.id, run.entries).model_dump(mode="json", by_alias=True)}


async def scenes(project: Path) -> AsyncIterator[tuple[str, SceneRun]]:
    """Scenes of the rehearsal company: as it was played, revised by its author, and forked with another goal."""
    async with Studio.open(read_settings(project, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
        run = await studio.scenes.open(named_scene(project, SCENE))
        await studio.start(run)
        run = await studio.scenes.open_run(run.id)
        yield "played", run
        spoken = [line.number for line in document_of(run.id, run.entries).lines if line.kind == "line"]
        await studio.scenes.revisions.revise(run.id, str(spoken[3]), Edit("I would rather not say."))
        await studio.scenes.revisions.revise(run.id, str(spoken[5]), Strike())
        yield "revised", await studio.scenes.open_run(run.id)
        forked = await studio.scenes.fork(run.id, 4, goal="Bob gives sincere apology. Charlie leaves the room.")
        await studio.start(forked)
        yield "forked", await studio.scenes.open_run(forked.id)


async def write(folder: Path) -> None:
    """One file for each log."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        project = Path(made) / "story"
        shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
        async for name, run in scenes(project):
            (folder / f"{name}.json").write_text(json.dumps(recorded(run)), encoding="utf-8")
        await write_sessions(Path(made), folder / "sessions")
        await write_ensembles(Path(made), folder / "ensembles")


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
