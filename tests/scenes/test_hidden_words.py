"""What a model notes or thinks beside a line never reaches the transcript; what a character says and does stays."""

import pytest

from dramaturg.scenes.response import ParsedResponse, parse_response
from tests.model_notes.cases import GESTURES, HONEST, NOTES, ROWS, TAGGED, TALK

SAID = "There are two keys."


def read(raw: str) -> ParsedResponse:
    return parse_response(raw, me="Inés", cast=("Inés", "Tomás"))[0]


@pytest.mark.parametrize("note", [*NOTES, *TAGGED])
@pytest.mark.parametrize(
    "form",
    [
        '[TONE: calm] "{said}" {note}',
        '{note}\n[TONE: calm] "{said}"',
        '[TONE: calm] {note} "{said}"',
        '{{"tone": "calm", "line": "{said} {note}", "gesture": "{note}"}}',
    ],
)
def test_a_note_is_left_out_wherever_it_stands(note: str, form: str) -> None:
    heard = read(form.format(said=SAID, note=note))
    assert "SECRET" not in heard.model_dump_json()
    assert (heard.content, heard.nonverbal, heard.tone) == (SAID, None, "calm")


@pytest.mark.parametrize("thought", [*ROWS, *TALK])
@pytest.mark.parametrize("form", ['{}\n[TONE: calm] "{}"', '{}\n\n[TONE: calm] "{}"', "{}\n\nRespuesta: {}"])
def test_a_thought_before_the_line_is_left_out(thought: str, form: str) -> None:
    heard = read(form.format(thought, SAID))
    assert "SECRET" not in heard.model_dump_json()
    assert (heard.content, heard.nonverbal) == (SAID, None)


def test_the_notes_of_a_bracket_with_tags_are_left_out() -> None:
    heard = read('[TONE: calm, *piensa: SECRET*] "Siete."')
    assert (heard.content, heard.tone, heard.nonverbal) == ("Siete.", "calm", None)


def test_a_row_that_only_mentions_its_label_is_left_out_before_the_tags() -> None:
    heard = read('SECRET pensamiento: no decir nada\n[TONE: calm] "Seis."')
    assert (heard.content, heard.nonverbal) == ("Seis.", None)


def test_what_a_model_means_to_do_is_no_gesture() -> None:
    assert read('I will be brief. "Dos."').nonverbal is None
    assert read('I shake my head. "Dos."').nonverbal == "shake my head"


@pytest.mark.parametrize("words", HONEST)
def test_what_a_person_may_say_stays(words: str) -> None:
    assert read(f'[TONE: calm] "{words}"').content == words


@pytest.mark.parametrize("gesture", GESTURES)
def test_gestures_of_thinking_and_of_notes_stay(gesture: str) -> None:
    heard = read(f'{gesture} "{SAID}"')
    assert (heard.content, heard.nonverbal) == (SAID, gesture.strip("*"))
