"""The four files of a performance, written from the log: transcript, metadata, debug log, scene document."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.debug import render_debug
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.exports import Format, export_run
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import document_of, result_of


def write_outputs(artifacts: Artifacts, run: SceneRun, also: Sequence[Format] = ()) -> None:
    """Write or renew the files in the run's folder; they can be made again from the log at any time.

    `also` adds the scene in other forms: `scene.fountain`, `scene.html` …
    """
    state = scene_state(run.entries)
    result = result_of(run.id, run.entries, state)
    folder = state.scene.folder
    artifacts.write_text(f"{folder}/transcript.txt", result.transcript)
    artifacts.write_text(f"{folder}/metadata.json", result.metadata.model_dump_json(indent=2) + "\n")
    artifacts.write_text(f"{folder}/debug.log", render_debug(run.entries))
    artifacts.write_text(
        f"{folder}/scene.json", document_of(run.id, run.entries, state).model_dump_json(indent=2) + "\n"
    )
    for form in also:
        if form not in ("json", "txt"):  # those two are written above, under their own names
            artifacts.write_text(f"{folder}/scene.{form}", export_run(run.id, run.entries, form))
