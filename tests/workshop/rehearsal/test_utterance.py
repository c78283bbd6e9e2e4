"""The company's Foreman listens: what is no answer to the open question never becomes part of the book."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.foreman.actions import ACTIONS, KNOWN
from dramaturg.workshop.foreman.answer import ForemanAnswer
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.rehearsal.cues import ForemanCue
from dramaturg.workshop.rehearsal.fields import labelled_fields
from dramaturg.workshop.rehearsal.foreman import foreman_text
from dramaturg.workshop.rehearsal.utterance import utterance_of
from tests.workshop.rehearsal.test_foreman import CUE, FIELDS

HALF = tuple(
    replace(one, value="Trusts nobody" if one.name == "fatal_flaw" else "People leave", missing=False)
    if one.name in ("fatal_flaw", "the_lie")
    else one
    for one in FIELDS
)
PLANNED = replace(CUE, fields=HALF, before="[asked: protagonist.arc_start] [settled: protagonist.the_lie]")
MODES = ("VOICE_CALIBRATION", "DIRECTOR", "EDITOR")
BEATS = (
    "A keeper lights the lamp alone", "Her brother says nobody can row two boats", "The island empties for the winter",
    "A letter says the lamp is sold", "She counts what staying would cost", "She rows to the mainland",
    "A deaf clockmaker takes her in", "She learns to read lips and ledgers", "She wins the auction with stolen money",
    "The island stops answering her", "The lamp fails and a boat is lost", "She sits with the drowned man's wife",
    "The clockmaker gives her the missing part", "She tells the truth and lights the lamp", "Two people row one boat",
)  # fmt: skip


def answered(message: str, cue: ForemanCue = PLANNED) -> ForemanAnswer:
    return read_answer(foreman_text(replace(cue, message=message)), KNOWN)


def written(answer: ForemanAnswer) -> dict[str, str]:
    """What an answer would write into the story bible."""
    found: dict[str, str] = {}
    for action in answer.actions:
        if action.type == "write_template":
            found |= ACTIONS["write_template"].read(action.params).content
    return found


@pytest.mark.parametrize("open_question", ["protagonist.arc_start", "protagonist.arc_midpoint"])
@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        (
            "No, that is not Amparo's flaw. Her flaw is that she cannot apologise.",
            "fatal_flaw",
            "that she cannot apologise.",
        ),
        ("No, that's not her flaw. She can never say that she is sorry.", "fatal_flaw", None),
        ("That isn't the lie. The lie is that silence protects people.", "the_lie", "that silence protects people."),
        (
            "No, ese no es el defecto de Amparo. Su defecto es que nunca pide perdón.",
            "fatal_flaw",
            "nunca pide perdón.",
        ),
        ("Nein, das ist nicht ihr Makel. Ihr Makel ist, dass sie nie um Hilfe bittet.", "fatal_flaw", None),
        ("Non, ce n’est pas son défaut. Son défaut est qu’elle refuse toute aide.", "fatal_flaw", None),
        ("Su mentira es que nadie vuelve jamás.", "the_lie", "nadie vuelve jamás."),
    ],
)
def test_a_correction_is_written_where_it_belongs(said: str, field: str, value: str | None, open_question: str) -> None:
    cue = replace(PLANNED, before=f"[asked: {open_question}] [settled: protagonist.the_lie]")
    heard = utterance_of(said, HALF, open_question, "protagonist.the_lie")
    assert heard.where == f"protagonist.{field}"
    assert value is None or heard.value == value
    assert set(written(answered(said, cue))) <= {field}


def test_what_is_only_denied_is_opened_again_and_nothing_is_written() -> None:
    answer = answered("No, that is not her flaw.")
    assert written(answer) == {}
    assert "Trusts nobody" in answer.message


@pytest.mark.parametrize("said", ["No theme park is ever empty, she says. It is where she hides.", "It is not enough."])
def test_an_answer_that_denies_something_else_is_an_answer(said: str) -> None:
    assert not utterance_of(said, HALF, "protagonist.arc_start").where.endswith(("flaw", "lie"))


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Let's do the theme first", "theme.central_theme"),
        ("Can we talk about the world rules instead?", "world_rules.fundamental_rules"),
        ("I'd rather start with beat 9", "beat_sheet.beat_9"),
        ("Theme first, please.", "theme.central_theme"),
        ("Let's skip ahead to the midpoint", "beat_sheet.beat_9"),
        ("go back one", "protagonist.the_lie"),
        ("Back, please", "protagonist.the_lie"),
        ("that was wrong", "protagonist.the_lie"),
        ("No, scratch that.", "protagonist.the_lie"),
        ("Let's look at the flaw again", "protagonist.fatal_flaw"),
    ],
)
def test_a_wish_for_another_subject_is_followed_and_nothing_is_written(said: str, asked: str) -> None:
    answer = answered(said)
    assert not answer.actions
    assert f"[asked: {asked}]" in answer.thinking


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("change the flaw to envy that dresses as care", "fatal_flaw", "envy that dresses as care"),
        ("Actually, the flaw is that she never forgives", "fatal_flaw", "that she never forgives"),
        ("Her lie should be: whoever asks for help owes", "the_lie", "whoever asks for help owes"),
        ("I want the theme to be mercy against order", "central_theme", "mercy against order"),
        ("No, that was wrong: make it whoever needs people gets left", "the_lie", "whoever needs people gets left"),
        ("Change it to whoever needs people gets left", "the_lie", "whoever needs people gets left"),
        ("Set beat 4 to the lamp is sold to a hotel", "beat_4", "the lamp is sold to a hotel"),
    ],
)
def test_a_change_reaches_the_field_it_names_and_no_other(said: str, field: str, value: str) -> None:
    assert written(answered(said)) == {field: value}


def test_a_change_returns_to_the_question_that_was_open() -> None:
    assert "[asked: protagonist.arc_start]" in answered("change the flaw to envy that dresses as care").thinking


def test_a_weak_change_is_challenged_and_stands_in_its_own_words_if_the_writer_insists() -> None:
    first = answered("change the flaw to she is poor")
    assert not first.actions
    assert "CHALLENGE" in first.message
    cue = replace(PLANNED, before=first.thinking, said_before="change the flaw to she is poor")
    assert written(answered("I insist, keep it.", cue)) == {"fatal_flaw": "she is poor"}


def test_the_protagonist_is_renamed() -> None:
    answer = answered("Call her Nora instead")
    assert written(answer) == {"name": "Nora"}


@pytest.mark.parametrize("cue", [replace(PLANNED, before=""), replace(PLANNED, before="", protagonist="")])
def test_the_first_sentence_said_to_a_book_half_planned_is_heard(cue: ForemanCue) -> None:
    noted = answered("The harbour freezes over in the second act.", cue)
    assert [action.params["value"] for action in noted.actions] == ["The harbour freezes over in the second act."]
    assert "harbour freezes" in noted.message
    assert written(answered("Her flaw is that she never forgives.", cue))["fatal_flaw"] == "that she never forgives."
    assert "Trusts nobody" in answered("What was her flaw again?", cue).message
    assert "[asked: theme.central_theme]" in answered("Let's do the theme.", cue).thinking


NUMBERED = [f"{number}. {beat}" for number, beat in enumerate(BEATS, start=1)]
TITLED = [f"{title}: {beat}" for title, beat in zip(
    ["Opening image", "Theme stated", "Set-up", "Catalyst", "Debate", "Break into two", "B story", "Fun and games",
     "Midpoint", "Bad guys close in", "All is lost", "Dark night of the soul", "Break into three", "Finale",
     "Final image"], BEATS, strict=True)]  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "\n".join(NUMBERED),
        "Here are all my beats:\n\n" + "\n\n".join(NUMBERED),
        " ".join(NUMBERED),
        "\n".join(TITLED),
        "\n".join(f"- {line}" for line in TITLED),
        "All fifteen beats:\n" + "\n".join(BEATS),
        "\n".join(f"Beat {line.replace('.', ':', 1)}\n   and more of it" for line in NUMBERED),
    ],
)
@pytest.mark.parametrize("asked", ["protagonist.arc_start", "beat_sheet.beat_1"])
def test_all_fifteen_beats_given_at_once_are_all_kept(said: str, asked: str) -> None:
    answer = answered(said, replace(PLANNED, before=f"[asked: {asked}]"))
    kept = written(answer)
    assert [*kept] == [f"beat_{number}" for number in range(1, 16)]
    assert all(text.startswith(beat) for text, beat in zip(kept.values(), BEATS, strict=True))
    assert len(answer.actions) <= 12


def test_of_many_fields_the_weak_one_is_kept_too_and_asked_for_again() -> None:
    said = "\n".join([*NUMBERED[:13], "14. Sad", NUMBERED[14]])
    answer = answered(said)
    assert len(written(answer)) == 15
    assert "CHALLENGE" in answer.message
    assert "[asked: beat_sheet.beat_14; challenged]" in answer.thinking


def test_a_label_in_running_text_is_no_list() -> None:
    said = "She keeps a diary.\nTheme: trust\nThat is written on its first page."
    assert labelled_fields(said, FIELDS) == {}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("The second chapter drags badly.", "The second chapter drags badly"),
        ("What is her fatal flaw?", "Trusts nobody"),
        ("Change the flaw to envy that dresses as care", "envy that dresses as care"),
        ("Where are we?", "2 of 23 fields"),
        ("Hello", "Good to have you back"),
        ("Can you write me chapter two?", "Can you write me chapter two"),
        ("that was wrong", "/undo"),
        ("I prefer short chapters.", "I prefer short chapters"),
        ("Let's talk about the villain", "the villain"),
        ("Thanks!", "I am listening"),
    ],
)
def test_in_every_mode_the_words_that_were_said_are_answered(mode: str, said: str, met: str) -> None:
    assert met in answered(said, replace(PLANNED, mode=mode, before="")).message


@pytest.mark.parametrize(
    ("said", "to"),
    [
        ("Let's go back to the architect mode.", "ARCHITECT"),
        ("go back to VOICE_CALIBRATION", "VOICE_CALIBRATION"),
        ("Can we go back?", "DIRECTOR"),
    ],
)
def test_going_back_to_an_earlier_mode_is_no_change_of_subject(said: str, to: str) -> None:
    answer = answered(said, replace(PLANNED, mode="EDITOR", before=""))
    assert [dict(action.params) for action in answer.actions] == [{"to": to}]


def test_a_taste_is_kept_as_a_preference() -> None:
    answer = answered("I prefer short chapters.")
    assert [action.params["category"] for action in answer.actions] == ["preference"]
    assert not written(answer)


ANSWERS = {
    "protagonist.arc_start": "She lets the phone ring and mends the lamp alone",
    "beat_sheet.beat_2": "The theme is stated by the ferryman, in passing",
    "beat_sheet.beat_5": "Go back or go on: the ferry leaves at six and she counts her money",
    "protagonist.arc_midpoint": "She wins the auction and thinks the lie was right",
    "beat_sheet.beat_14": "Tell the truth, lose the house, light the lamp",
    "protagonist.the_lie": "Nobody helps without wanting something back",
    "protagonist.fatal_flaw": "Never answers a question she has not asked herself",
    "theme.central_theme": "What we owe against what we can give",
    "theme.theme_statement": "Help that is not asked for is a kind of theft",
    "beat_sheet.beat_11": "The lamp goes out; no one can change what the sea has taken",
    "beat_sheet.beat_6": "She takes the boat without asking",
    "beat_sheet.beat_13": "Let me think like him, she says, and reads the ledger backwards",
}


@pytest.mark.parametrize("asked", ANSWERS)
def test_an_answer_stays_an_answer(asked: str) -> None:
    answer = answered(ANSWERS[asked], replace(CUE, before=f"[asked: {asked}]"))
    assert written(answer) == {asked.partition(".")[2]: ANSWERS[asked]}


@given(st.text(max_size=300), st.sampled_from(["", "protagonist.arc_start", "premise", "advance"]))
def test_any_message_is_something(said: str, asked: str) -> None:
    assert utterance_of(said, FIELDS, asked).kind


STRANGERS = yaml.safe_load((Path(__file__).parent / "strangers.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", STRANGERS, ids=lambda row: row["said"][:50])
def test_what_strangers_said_lands_where_it_belongs(row: dict[str, str]) -> None:
    note = f"[asked: {row['asked']}] [settled: protagonist.the_lie]"
    answer = answered(row["said"], replace(PLANNED, before=note))
    fields, asked_again = written(answer), "challenged]" in answer.thinking
    if "writes" in row and not asked_again:
        assert [*fields] == [row["writes"]]
        assert fields[row["writes"]].startswith(row.get("begins", ""))
    else:
        assert {*fields} <= {row.get("at_most", "")}
    kept = any(action.type == "save_decision" for action in answer.actions)
    assert not row.get("keeps") or kept


CLOSED = replace(PLANNED, gate=("Theme: central_theme", "Beat Sheet: beat_1 to beat_15"))


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Is the gate open?", "Beat Sheet: beat_1 to beat_15"),
        ("Hm. Can we start with the scenes already?", "Theme: central_theme"),
        ("Are we ready for the drafting?", "still closed"),
        ("Thanks. What have we settled so far?", "“Trusts nobody”"),
        ("Show me everything we have decided.", "“People leave”"),
        ("That was wrong, take it back.", "`/undo`"),
        ("Undo the last one, please.", "`/undo`"),
        ("No idea what happens there. Let's leave that.", "Left open"),
    ],
)
def test_a_question_about_the_plan_is_answered_and_writes_nothing(said: str, answer: str) -> None:
    found = answered(said, CLOSED)
    assert answer in found.message
    assert not found.actions


@pytest.mark.parametrize(
    "said",
    ["Then let us stop here for today.", "Good night!", "That's enough for today.", "Let's call it a day, thanks."],
)
def test_who_stops_for_today_is_asked_nothing_more_and_the_question_waits(said: str) -> None:
    text = foreman_text(replace(PLANNED, message=said))
    assert "?" not in read_answer(text, KNOWN).message
    assert "[asked: protagonist.arc_start]" in text


def test_a_sentence_that_says_where_it_belongs_in_the_arc_goes_there() -> None:
    assert "arc_resolution" in written(answered("In the end she lets the boy buy his own ticket at the counter."))
    asked_for_the_lie = replace(PLANNED, before="[asked: protagonist.the_lie]")
    assert "the_lie" in written(answered("In the end everybody leaves you with the bill.", asked_for_the_lie))


@pytest.mark.parametrize("said", ["Her brother Aksel wants to sell the boat.", "The villain, Orr, owns the bridge."])
def test_somebody_else_is_kept_as_a_decision_and_becomes_no_rule_of_the_world(said: str) -> None:
    found = answered(said, replace(PLANNED, before="[asked: world_rules.fundamental_rules]"))
    assert [one.type for one in found.actions] == ["save_decision"]
