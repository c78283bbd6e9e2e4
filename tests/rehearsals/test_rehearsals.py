"""Every rehearsal in `scripts/` is played by the real loop over a real store and must end as it says."""

from pathlib import Path

import pytest

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import result_of
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.txt"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
async def test_the_rehearsal_ends_as_it_says(path: Path, tmp_path: Path) -> None:
    rehearsal = read_rehearsal(path.read_text(encoding="utf-8"))
    model = ScriptedModel(rehearsal.answer)
    run = await play_scripted(rehearsal.config(), model, tmp_path, languages=rehearsal.languages)
    result = result_of(run.id, run.entries)
    assert _lines(result.transcript) == rehearsal.expected
    assert result.metadata.reason == rehearsal.end
    assert [(e.character, e.beat, e.error) for e in result.metadata.errors] == rehearsal.errors
    assert [f"{leak.line} by {leak.speaker} of {leak.source}" for leak in result.metadata.leaks] == rehearsal.leaks
    state = scene_state(run.entries)
    for name, expected in rehearsal.heard.items():
        assert [line.rendered() for line in heard_by(name.title(), state.lines)] == expected


def _lines(transcript: str) -> list[str]:
    body = transcript.split("[SCENE START]")[1].split("\n\n---")[0]
    return [line for line in body.splitlines() if line]
