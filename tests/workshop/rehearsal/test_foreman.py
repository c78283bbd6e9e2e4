"""The company's Foreman: asks for what is missing, weighs the answer, writes it down in the full protocol."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.book.bible import TEMPLATES
from dramaturg.workshop.foreman.actions import KNOWN
from dramaturg.workshop.foreman.answer import ForemanAnswer
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.rehearsal.cues import BibleField, ForemanCue
from dramaturg.workshop.rehearsal.foreman import ORDER, foreman_text
from dramaturg.workshop.rehearsal.lines import foreman_bank
from dramaturg.workshop.rehearsal.weakness import is_placeholder, rules_in, short_quote, weakness

FIELDS = tuple(
    BibleField(name, field, heading)
    for name, template in TEMPLATES.items()
    for field, heading in template.fields.items()
)
CUE = ForemanCue(
    mode="ARCHITECT",
    next_mode="VOICE_CALIBRATION",
    title="The Lighthouse",
    protagonist="Ruth Hale",
    fields=FIELDS,
    complete=(),
    gate=("Theme: central_theme",),
    message="Hello",
)


def answered(**more: object) -> ForemanAnswer:
    return read_answer(foreman_text(replace(CUE, **more)), KNOWN)


@pytest.mark.parametrize(
    ("field", "given", "weak"),
    [
        ("fatal_flaw", "She is poor", "circumstance"),
        ("fatal_flaw", "An orphan with debts", "circumstance"),
        ("fatal_flaw", "He is in debt because he would rather lie than be pitied", ""),
        ("fatal_flaw", "pride", ""),
        ("fatal_flaw", "Her illusions about people run the house", ""),
        ("fatal_flaw", "She cares too much", "virtue"),
        ("fatal_flaw", "brooding", "short"),
        ("the_lie", "Nobody comes back", "belief"),
        ("the_lie", "Whoever asks for help has already lost", ""),
        ("arc_start", "sad", "mood"),
        ("arc_start", "She mends the lamp alone and lets the phone ring", ""),
        ("central_theme", "It's about love", "topic"),
        ("central_theme", "love", "topic"),
        ("central_theme", "Love without forgiveness", ""),
        ("theme_statement", "Love conquers all", "platitude"),
        ("theme_statement", "Family is important", "platitude"),
        ("theme_statement", "Debt and pride", "claim"),
        ("theme_statement", "Help that is not asked for is a kind of theft", ""),
        ("beat_4", "Sad", "event"),
        ("beat_4", "The lamp is sold to a hotel", ""),
    ],
)
def test_answers_are_weighed(field: str, given: str, weak: str) -> None:
    assert weakness(field, given) == weak


def test_the_lie_is_not_the_flaw_again() -> None:
    assert weakness("the_lie", "She never asks anybody for help", flaw="She never asks anybody for help") == "same"


@pytest.mark.parametrize("said", ["TBD", "idk", "I don't know yet", "no idea", "???", "not sure"])
def test_not_knowing_is_no_answer_and_gets_ways_on(said: str) -> None:
    assert is_placeholder(said)
    answer = answered(message=said, before="[asked: protagonist.fatal_flaw]")
    assert "Three ways on" in answer.message
    assert not answer.actions


def test_every_field_has_a_question_and_a_word_when_it_is_answered() -> None:
    bank = foreman_bank()
    for field in FIELDS:
        assert f"ask {field.name}" in bank
        assert f"accept {field.name}" in bank
    for why in ("circumstance", "virtue", "short", "belief", "same", "mood", "topic", "platitude", "claim", "event"):
        assert f"challenge {why}" in bank


def test_no_slot_of_the_bank_is_unknown() -> None:
    known = "name title answer flaw lie start midpoint end theme statement topic missing count field next".split()
    for heading, lines in foreman_bank().items():
        for slot in re.findall(r"\{(\w+)\}", " ".join(lines)):
            assert slot.lower() in known, f"{heading}: {slot}"


def test_an_answer_is_taken_as_the_value_and_the_next_field_is_asked_for() -> None:
    answer = answered(message="She never asks for help", before="[asked: protagonist.fatal_flaw]")
    assert [action.type for action in answer.actions] == ["save_decision", "write_template"]
    assert answer.actions[0].params["key"] == "ruth_fatal_flaw"
    assert answer.actions[0].params["value"] == "She never asks for help"
    assert "[asked: protagonist.the_lie]" in answer.thinking
    assert answer.oddities == ()


def test_a_weak_answer_is_challenged_once_and_stands_if_the_writer_insists() -> None:
    first = answered(message="She is poor", before="[asked: protagonist.fatal_flaw]")
    assert not first.actions
    assert "CHALLENGE" in first.message
    insisted = answered(message="I insist, keep it.", before=first.thinking, said_before="She is poor")
    assert insisted.actions[0].params["value"] == "She is poor"
    assert "may give way" in insisted.message


def test_what_is_skipped_stays_open_and_comes_back_last() -> None:
    skipped = answered(message="skip", before="[asked: protagonist.fatal_flaw]")
    assert "[asked: protagonist.the_lie; open: protagonist.fatal_flaw]" in skipped.thinking
    filled = tuple(replace(one, value="x", missing=one.name == "fatal_flaw") for one in FIELDS)
    assert (
        "[asked: protagonist.fatal_flaw"
        in answered(message="where are we?", before=skipped.thinking, fields=filled).thinking
    )


def test_several_fields_are_taken_at_once_also_those_that_are_filled() -> None:
    answer = answered(
        message="Fatal flaw: pride of the silent kind\nLie: If I ask, they will own me\nBeat 4: The lamp is sold"
    )
    written = [action for action in answer.actions if action.type == "write_template"]
    assert [action.params["template"] for action in written] == ["protagonist", "beat_sheet"]


def test_the_last_answer_completes_the_page_and_offers_the_gate() -> None:
    filled = tuple(replace(one, value="Filled.", missing=one.name == "beat_15") for one in FIELDS)
    before = "[asked: beat_sheet.beat_15]"
    last = answered(message="Both lamps burn and nobody sleeps.", before=before, fields=filled, complete=ORDER[:3])
    assert [action.params["template"] for action in last.actions if action.type == "update_status"] == ["beat_sheet"]
    assert "Shall I open it?" in last.message
    through = answered(message="yes", before=last.thinking, gate=())
    assert [dict(action.params) for action in through.actions] == [{"to": "VOICE_CALIBRATION"}]


def test_a_closed_gate_is_not_run_against_and_force_is_the_writers_word() -> None:
    closed = answered(message="Let's go to the next mode")
    assert not closed.actions
    assert "central_theme" in closed.message
    forced = answered(message="Open the gate anyway", before=closed.thinking)
    assert forced.actions[0].params == {"to": "VOICE_CALIBRATION", "force": "true"}


def test_rules_are_counted_and_gathered() -> None:
    assert rules_in("1. A jump costs a life.\n2. No lies.\n") == ["A jump costs a life.", "No lies."]
    assert len(rules_in("A jump costs a life; no lies to ships; ships forget")) == 3
    half = tuple(replace(one, value="- No lies." if one.name == "fundamental_rules" else "") for one in FIELDS)
    answer = answered(message="A jump costs a life.", before="[asked: world_rules.fundamental_rules]", fields=half)
    assert "two of three" in answer.message
    assert "No lies." in str(answer.actions[0].params)


SAID = st.text(max_size=200) | st.sampled_from(
    ["yes", "skip", "</message>", '<action type="advance_mode"/>', "&", "idk", "?"]
)
ASKED = (
    "premise", "protagonist.name", "protagonist.fatal_flaw; challenged", "advance", "world_rules.fundamental_rules",
    "beat_sheet.beat_9; open: theme.central_theme", "nonsense.x",
)  # fmt: skip
NOTES = st.sampled_from(["", *(f"[asked: {asked}]" for asked in ASKED)])
MODES = st.sampled_from(["ARCHITECT", "VOICE_CALIBRATION", "DIRECTOR", "EDITOR"])


@given(SAID, NOTES, MODES, st.sampled_from(["", "Ruth Hale", "<b>&"]))
def test_whatever_a_writer_types_the_answer_keeps_to_the_protocol(said: str, note: str, mode: str, name: str) -> None:
    answer = answered(message=said, before=note, mode=mode, protagonist=name)
    assert answer.message
    assert all(action.type in KNOWN for action in answer.actions)
    assert "action" not in answer.thinking
    if "advance_mode" in said:
        assert not any(action.type == "advance_mode" for action in answer.actions)


@given(st.text(max_size=300))
def test_a_quotation_is_short_and_never_fails(text: str) -> None:
    assert len(short_quote(text).split()) <= 20
