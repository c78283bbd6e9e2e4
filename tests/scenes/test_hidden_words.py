"""What a model notes or thinks beside a line never reaches the transcript; what a character says and does stays."""

import pytest

from dramaturg.scenes.response import A_THOUGHT, ParsedResponse, parse_response
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


MARKS = (
    "THOUGHT|THOUGHTS|INTERNAL|INNER MONOLOGUE|PLAN|NOTE TO SELF|OOC|O.O.C.|THINKING|THINKS|SUBTEXT|Thought|internal|"
    "PENSÉE|GEDANKE|PENSAMIENTO|МЫСЛЬ|思考|内心|心の声|생각|MYŚL|TANKE|DÜŞÜNCE"
).split("|")
OWN = '[TO: Tomás, TONE: calm] "There are two keys."'


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    "form",
    [
        '[{}, TONE: sad] "SECRET"',
        "[{}, TONE: sad] SECRET",
        '[TONE: sad, {}] "SECRET"',
        '**[{}, TONE: sad]**\n"SECRET"',
        '[{}]\n[TONE: sad]\n"SECRET"',
    ],
)
def test_words_behind_tags_that_mark_a_thought_are_not_said(mark: str, form: str) -> None:
    thought = form.format(mark)
    alone, warnings = parse_response(thought, me="Inés", cast=("Inés", "Tomás"))
    assert (alone.action, alone.nonverbal) == ("silent", None)
    assert A_THOUGHT in warnings
    for raw in (f"{OWN}\n{thought}", f"{thought}\n{OWN}", f"{OWN} {thought}"):
        heard = read(raw)
        assert (heard.content, heard.target, heard.tone, heard.nonverbal) == (SAID, "Tomás", "calm", None)


def test_a_thought_ends_with_its_paragraph() -> None:
    assert read(f'[THOUGHT, TONE: sad] "SECRET"\n\n"{SAID}"').content == SAID
    assert read(f'[THOUGHT, TONE: sad]\n\n"SECRET"\n\n"{SAID}"').content == SAID


@pytest.mark.parametrize(
    "raw",
    [
        "**Thinking:**\nSECRET\n\n**Response:**\n{}",
        "**Thinking:**\n\nSECRET\n\n{}",
        '**Thinking:**\nSECRET\n\n{{"text": "{}"}}',
        '"{}"\n\n*Thoughts:*\nSECRET',
    ],
)
def test_what_stands_below_a_label_of_thoughts_is_not_said(raw: str) -> None:
    assert read(raw.format(SAID)).content == SAID


@pytest.mark.parametrize(
    ("thought", "said"),
    [
        ("Thoughts", "Dialogue"),
        ("Pensées ", "Dialogue "),
        ("Pensée", "Réplique"),
        ("Gedanken", "Dialog"),
        ("Pensieri", "Battuta"),
        ("Gedachten", "Dialoog"),
        ("Düşünceler", "Diyalog"),
        ("Düşünce", "Konuşma"),
        ("Myśli", "Dialog"),
        ("Myśl", "Kwestia"),
        ("Tankar", "Replik"),
        ("Myšlenky", "Dialog"),
        ("Myšlenka", "Replika"),
        ("Мысли", "Реплика"),
        ("思考", "对话"),
        ("想法", "台词"),
        ("考え", "セリフ"),
        ("생각", "대사"),
    ],
)
@pytest.mark.parametrize("colon", [": ", "："])
def test_the_dialogue_below_a_thought_is_said(thought: str, said: str, colon: str) -> None:
    assert read(f"{thought}{colon}SECRET\n{said}{colon}{SAID}").content == SAID


def test_a_gesture_of_thinking_in_brackets_is_no_mark() -> None:
    for gesture in ("thinks", "notes the empty chair", "plans the route on the map", "internal bleeding"):
        heard = read(f'[{gesture}] "{SAID}"')
        assert (heard.content, heard.nonverbal) == (SAID, gesture)


def test_a_plan_and_a_thought_may_be_spoken_of() -> None:
    for words in ("The plan: we leave at nine.", "He wrote [PLAN, TONE: low] on it.", "A thought: words, a note."):
        assert read(f'[TONE: calm] "{words}"').content == words
