"""The four files of a performance, written from the log: transcript, metadata, debug log, scene document."""

from __future__ import annotations

from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.debug import render_debug
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import document_of, result_of


def write_outputs(artifacts: Artifacts, run: SceneRun) -> None:
    """Write or renew the files in the run's folder; they can be made again from the log at any time."""
    result = result_of(run.id, run.entries)
    folder = scene_state(run.entries).scene.folder
    artifacts.write_text(f"{folder}/transcript.txt", result.transcript)
    artifacts.write_text(f"{folder}/metadata.json", result.metadata.model_dump_json(indent=2) + "\n")
    artifacts.write_text(f"{folder}/debug.log", render_debug(run.entries))
    artifacts.write_text(f"{folder}/scene.json", document_of(run.id, run.entries).model_dump_json(indent=2) + "\n")
