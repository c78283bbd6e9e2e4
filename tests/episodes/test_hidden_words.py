"""What a model notes or thinks beside an answer is never shown to the player; what a character says and does stays."""

import json

import pytest

from dramaturg.episodes.answer_stream import AnswerReader, read_answer, shown_text
from tests.model_notes.cases import GESTURES, HONEST, NOTES, ROWS, TAGGED, TALK

SAID = "There are two keys."


def in_form(action: str, dialogue: str) -> str:
    return json.dumps({"action": action, "dialogue": dialogue, "internal": "SECRET"}, ensure_ascii=False)


@pytest.mark.parametrize("note", [*NOTES, *TAGGED])
@pytest.mark.parametrize(
    "raw",
    [
        in_form("", f"{SAID} NOTE"),
        in_form("smiles NOTE", SAID),
        in_form("NOTE", f"NOTE {SAID}"),
        f"NOTE\n\n{SAID}",
        f"{SAID} NOTE",
        f'"{SAID}"\nNOTE',
    ],
)
def test_a_note_is_not_shown_wherever_it_stands(note: str, raw: str) -> None:
    text = raw.replace("NOTE", note, 2)
    assert "SECRET" not in shown_text(text)
    assert SAID in shown_text(text)
    answer = read_answer(text)
    assert "SECRET" not in f"{answer.dialogue} {answer.action}"


@pytest.mark.parametrize("thought", ROWS)
@pytest.mark.parametrize("form", ["{}\n\n{}", "{}.\nRespuesta: {}", "{}. Respuesta: {}", "{}. Answer: {}"])
def test_a_labelled_thought_before_the_answer_is_not_shown(thought: str, form: str) -> None:
    assert shown_text(form.format(thought, SAID)).strip() == SAID


@pytest.mark.parametrize("thought", TALK)
def test_talk_about_the_player_is_not_shown_before_a_form(thought: str) -> None:
    assert "SECRET" not in shown_text(thought)
    shown = shown_text(f"{thought}\n{in_form('', SAID)}")
    assert SAID in shown
    assert "SECRET" not in shown


@pytest.mark.parametrize("text", [in_form("*nods* (OOC: SECRET)", SAID), f"[PLAN: SECRET]\n\n*nods* {SAID}"])
def test_what_is_shown_does_not_depend_on_how_the_answer_was_split(text: str) -> None:
    whole = shown_text(text)
    reader = AnswerReader()
    assert "".join(map(reader.feed, text)) + reader.close() == whole


@pytest.mark.parametrize("words", HONEST)
def test_what_a_person_may_say_stays(words: str) -> None:
    assert read_answer(in_form("nods", words)).dialogue == words


@pytest.mark.parametrize("words", [one for one in HONEST if not one.startswith("Note:")])
def test_what_a_person_may_say_stays_in_prose(words: str) -> None:
    assert shown_text(words).strip() == words


@pytest.mark.parametrize("gesture", GESTURES)
def test_gestures_of_thinking_and_of_notes_stay(gesture: str) -> None:
    assert gesture in shown_text(f"{gesture} {SAID}")
    assert read_answer(in_form(gesture.strip("*"), SAID)).action == gesture.strip("*")
