"""Exports of runs that were really played."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.exports import FORMATS, export_run, playscript_of, read_formats
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.transcript import render_transcript
from dramaturg.scenes.wire import metadata_of
from tests.rehearsals.script import read_rehearsal
from tests.scenes.exports.fountain_reader import read_fountain
from tests.scenes.exports.vtt_reader import read_vtt
from tests.stage import play_scripted

REHEARSAL = """
scene: the-fog        cast: nora, jonas
prompt: Jonas wants to know why. Scene goal: Nora says she was afraid.
opener: jonas
beat 0
  jonas @1.0 [TO: Nora, TONE: curt] "Why did you not bring her in?"
beat 1
  nora  @5.0 [TONE: low] "I could not see the bow from the wheel"
  jonas @5.9 [INTERRUPT after "the bow", TONE: sharp] "You had radar!"
beat 2
  nora  @9.0 [TONE: quiet] "I was afraid."
  jonas @9.0 [TONE: quiet] "I know."
  judge 1 met by Nora: "I was afraid."
  judge natural end
"""


async def test_a_played_scene_keeps_its_cut_its_times_and_its_evidence(tmp_path: Path) -> None:
    rehearsal = read_rehearsal(REHEARSAL)
    run = await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), tmp_path)
    script = playscript_of(run.id, run.entries)
    assert script.arrivals == {1: 1.0, 2: 5.0, 3: 5.9, 4: 9.0, 5: 9.0}
    assert script.end == "SCENE END - Goal: Achieved"

    screenplay = read_fountain(export_run(run.id, run.entries, "fountain"))
    assert screenplay.dialogue[1:4] == [
        ("NORA", "I could not see the bow—"),
        ("JONAS", "You had radar!"),
        ("NORA", "I was afraid."),
    ]
    assert [element.dual for element in screenplay.elements[1:]] == [False, False, True, False, True]
    assert "met: Nora says she was afraid (Nora: “I was afraid.”)" in screenplay.notes[-1]

    starts = [cue.start for cue in read_vtt(export_run(run.id, run.entries, "vtt")).cues]
    assert starts == [0, 4000, 4914, 8000, 8000]


async def test_the_plain_text_is_the_transcript_and_every_form_is_the_same_each_time(tmp_path: Path) -> None:
    rehearsal = read_rehearsal(REHEARSAL)
    run = await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), tmp_path)
    state = scene_state(run.entries)
    transcript = render_transcript(run.entries, state, metadata_of(run.entries, state))
    assert export_run(run.id, run.entries, "txt") == transcript
    for form in FORMATS:
        assert export_run(run.id, run.entries, form) == export_run(run.id, run.entries, form)


def test_formats_are_read_from_a_list_and_a_mistyped_one_is_explained() -> None:
    assert read_formats(" HTML, .fountain,html,") == ("html", "fountain")
    assert read_formats("") == ()
    with pytest.raises(InvalidConfig, match=r"There is no format 'fountin'.* Did you mean 'fountain'"):
        read_formats("md,fountin")
