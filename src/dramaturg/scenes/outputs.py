"""The four files of a performance, written from the log: transcript, metadata, debug log, scene document."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.text.control import visible
from dramaturg.scenes.debug import render_debug
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.exports import Format, export_run
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.wire import SceneResult, document_of, result_of


def write_outputs(
    artifacts: Artifacts, run: SceneRun, also: Sequence[Format] = (), state: SceneState | None = None
) -> SceneResult:
    """Write or refresh the files in the run's folder; they can be rebuilt from the log at any time. Returns the result.

    `also` adds the scene in other formats: `scene.fountain`, `scene.html` … `state` saves folding the log again.
    """
    state = state or scene_state(run.entries)
    result = result_of(run.id, run.entries, state)
    document = document_of(run.id, run.entries, state, result.metadata)
    files = {
        "transcript.txt": visible(result.transcript),
        "metadata.json": result.metadata.model_dump_json(indent=2) + "\n",
        "debug.log": visible(render_debug(run.entries)),
        "scene.json": document.model_dump_json(indent=2) + "\n",
    }
    for form in also:
        if form not in ("json", "txt"):  # those two are written above, under their own names
            files[f"scene.{form}"] = export_run(run.id, run.entries, form)
    artifacts.write_folder(state.scene.folder, files)
    return result
