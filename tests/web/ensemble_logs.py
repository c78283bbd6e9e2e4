"""Logs of ensembles, as the public stream of a run sends them, each with the manifest that the server makes of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from dramaturg.ensemble.events import EnsembleRun
from dramaturg.ensemble.request import request_from
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio

SETTINGS = '[models]\ndefault = "rehearsal"\n[voices]\nengine = "silent"\n'


async def write_ensembles(workplace: Path, folder: Path) -> None:
    """One file for each session."""
    folder.mkdir(parents=True, exist_ok=True)
    project = workplace / "ensemble"
    project.mkdir()
    (project / "dramaturg.toml").write_text(SETTINGS, encoding="utf-8")
    async with Studio.open(read_settings(project, {})) as studio:
        async for name, run in _sessions(studio):
            made = _recorded(run, studio)
            (folder / f"{name}.json").write_text(json.dumps(made), encoding="utf-8")


async def _sessions(studio: Studio) -> AsyncIterator[tuple[str, EnsembleRun]]:
    """Six who are heard, two who are not, and one alone, whom nobody comments on."""
    for name, asked in {
        "six": {"message": "What is courage?", "audio": True, "seed": 3},
        "two": {"message": "Why?", "slots": [2, 5], "audio": False, "turn3": "all"},
        "one": {"message": "And you?", "slots": [4], "audio": False},
    }.items():
        run = await studio.ensemble.ask(request_from(asked))
        await studio.engine.join()
        yield name, await studio.ensemble.open_run(run.id)


def _recorded(run: EnsembleRun, studio: Studio) -> dict[str, Any]:
    """What an audience is sent, and what the server makes of the whole log."""
    entries = [entry for entry in run.entries if entry.event.audience == "public"]
    return {
        "entries": [entry.model_dump(mode="json", by_alias=True) for entry in entries],
        "manifest": studio.ensemble.manifest(run).model_dump(mode="json", by_alias=True),
    }
