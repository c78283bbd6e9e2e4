"""Where the judge failed, the end line, the metadata and the terminal say so."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from dramaturg.cli.scene_view import SceneView
from dramaturg.kernel.errors import ModelUnavailable
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.wire import result_of
from tests.stage import play_scripted

SCENE = {
    "name": "talk", "prompt": "Scene goal: Bob apologizes.", "characters": ["alice", "bob"], "maxBeats": 4,
    "initialSpeaker": "bob", "lookahead": False,
}  # fmt: skip


def reply(request: ModelRequest) -> str | Exception:
    if request.purpose != "judging":
        return f'[TONE: low] "I am sorry about {request.key}."'
    if request.key in ("beat-1/judge", "beat-2/judge"):
        return ModelUnavailable("The judge is asleep.")
    return '{"goals": []}'


async def test_beats_that_were_not_judged_are_counted_wherever_the_end_is_told(tmp_path: Path) -> None:
    run = await play_scripted(SCENE, ScriptedModel(reply), tmp_path)
    result = result_of(run.id, run.entries)
    assert "[SCENE END - Maximum length reached, 2 of 4 beats unscored]" in result.transcript
    assert [(one.beat, one.reason) for one in result.metadata.unscored] == [
        (1, "The judge is asleep."),
        (2, "The judge is asleep."),
    ]
    page = io.StringIO()
    view = SceneView(Console(file=page, width=200))
    for entry in run.entries:
        view.show(entry.event)
    view.summary(result, tmp_path)
    assert "2 of 4 beats unscored]" in page.getvalue()
    assert "The judge failed on 2 of 4 beats, which are unscored: The judge is asleep." in page.getvalue()
