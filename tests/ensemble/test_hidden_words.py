"""What a model thought, or said that is no answer: none of it reaches the public."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.ensemble.events import UNREADABLE, SlotFailed
from dramaturg.ensemble.exports import export_text
from dramaturg.ensemble.play import DECLINED, public_reason
from dramaturg.ensemble.salvage import prose_in
from dramaturg.kernel.errors import (
    KeyRejected,
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreadable,
)
from dramaturg.kernel.runs.events import public
from dramaturg.model_notes.spoken_part import spoken_part
from tests.ensemble.table import play, scripted, sent
from tests.model_notes.cases import HONEST, NOTES, ROWS, TAGGED, TALK

SAID = "There are two keys."


@pytest.mark.parametrize("turn", [1, 2, 3])
async def test_what_a_model_thought_is_published_nowhere_and_stays_in_the_log(tmp_path: Path, turn: int) -> None:
    said = "<think>SECRET the others are fools</think> {SECRET I would rather pick nobody."
    model = scripted({f"turn-{turn}/slot-1": said, f"turn-{turn}/slot-1#repair": said})
    run = await play(tmp_path, model, audio=False)
    told = [
        json.dumps(sent(run)),
        *(entry.event.model_dump_json() for entry in public(run.entries)),
        *(export_text(run, form) for form in ("txt", "md", "json")),
    ]
    assert not [text for text in told if "SECRET" in text or "two attempts" in text]
    assert any("SECRET" in entry.event.model_dump_json() for entry in run.entries)


def test_a_log_of_an_earlier_release_that_quotes_an_answer_does_not_publish_it() -> None:
    failed = SlotFailed(turn=2, slot_id=1, error="unreadable", message="x/y did not … It said: <think>SECRET</think>")
    assert failed.told == UNREADABLE


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelRejected("x/y declined to answer: SECRET", model="x/y", finish="refusal"), DECLINED),
        (ModelUnreadable("x/y did not return a Line. It said: SECRET", model="x/y"), UNREADABLE),
        (ModelUnavailable("x/y cannot be reached.", model="x/y"), "the model cannot be reached."),
        (KeyRejected("x/y refuses the key.", model="x/y"), "the model refuses the key."),
        (ModelTimeout("No answer within 30 seconds."), "No answer within 30 seconds."),
    ],
)
def test_a_failure_tells_everybody_what_happened_and_names_no_model(error: ModelError, told: str) -> None:
    assert public_reason(error, "x/y") == told


@pytest.mark.parametrize("note", [*NOTES, *TAGGED])
def test_a_note_is_no_part_of_a_line(note: str) -> None:
    assert spoken_part(f"{SAID} {note}") == SAID
    assert spoken_part(f"{note} {SAID}") == SAID


@pytest.mark.parametrize("thought", [*ROWS, *TALK])
def test_a_thought_before_a_line_is_no_part_of_it_and_alone_it_is_none(thought: str) -> None:
    assert prose_in([f"{thought}\n\n{SAID}"]) == SAID
    assert prose_in([f"{thought} Respuesta: {SAID}"]) == SAID
    assert prose_in([thought]) is None


@pytest.mark.parametrize("words", HONEST)
def test_what_a_person_may_say_stays(words: str) -> None:
    assert spoken_part(words) == words


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm sorry, as an AI I can't answer that.", "refused"),
        ("Hm, the user asks about courage. SECRET.", "unreadable"),
    ],
)
@pytest.mark.parametrize("in_form", [True, False])
async def test_a_refusal_and_a_thought_aloud_are_not_published(
    tmp_path: Path, text: str, kind: str, in_form: bool
) -> None:
    said = json.dumps({"text": text, "voiceProfile": "calm_precise"}) if in_form else text
    run = await play(tmp_path, scripted({"turn-1/slot-1": said, "turn-1/slot-1#repair": said}), audio=False)
    error = sent(run, "slot.error")[0]
    assert (error["slotId"], error["error"]["type"]) == (1, kind)
    assert not any(text in json.dumps(one) for one in sent(run))
