"""The company at an ensemble's table: it hears what was asked, and the six are told apart."""

from __future__ import annotations

import json
import re

import pytest

from dramaturg.ensemble.rehearsal.cues import Remark, TableCue, TableSeat
from dramaturg.ensemble.rehearsal.questions import read_question
from dramaturg.ensemble.rehearsal.table import TEMPERS, table_bank, table_text, tempers

HOUSE = (
    TableSeat(1, "Archivist", "Remembers where everything was last seen, and is fond of dates."),
    TableSeat(2, "Gardener", "Thinks in seasons and has dirt under the nails."),
    TableSeat(3, "Navigator", "Wants to know where this leads and how long it will take."),
    TableSeat(4, "Apprentice", "Asks what the others are too proud to ask."),
    TableSeat(5, "Sceptic", "Doubts kindly and in order."),
    TableSeat(6, "Neighbour", "Has heard it differently, and tells you so over the fence."),
)
KINDS = (
    "define advise how why believe choose fact feeling open wellbeing self hello thanks sum noise foreign deutsch "
    "befinden gruss glad grave ernst"
).split()
SLOTS = set("topic it they is do doing a b word asked result me persona name name2 quote".split())


def answer(question: str, slot: int = 1, seed: int = 1, said: tuple[str, ...] = ()) -> str:
    return json.loads(table_text(TableCue(1, slot, question, HOUSE, said=said, seed=seed)))["text"]


@pytest.mark.parametrize(
    ("asked", "kind", "part"),
    [
        ("What is courage?", "define", "courage"),
        ("What's the meaning of life?", "define", "the meaning of life"),
        ("What does freedom mean to you?", "define", "freedom"),
        ("Love", "define", "Love"),
        ("Should I move to the sea?", "advise", "move to the sea"),
        ("should i text my ex", "advise", "text your ex"),
        ("Is it too late to learn the piano?", "advise", "learn the piano"),
        ("How can I forgive my father?", "how", "forgive your father"),
        ("Why is the sky blue?", "why", "sky"),
        ("Do you believe in ghosts?", "believe", "ghosts"),
        ("Can people change?", "believe", "change"),
        ("Coffee or tea?", "choose", "tea"),
        ("Should I stay or go?", "choose", "“go”"),
        ("When does the train leave?", "fact", "train"),
        ("My cat died last week.", "feeling", "cat"),
        ("I lost my job. What should I do?", "feeling", ""),
        ("Tell me a story about a fox.", "task", "story"),
        ("Tell me what you know about foxes.", "open", "foxes"),
        ("How are you?", "wellbeing", ""),
        ("Are you an AI?", "self", ""),
        ("Hello there!", "hello", ""),
        ("Thank you all", "thanks", ""),
        ("2+2?", "sum", "four"),
        ("What is 12 x 12?", "sum", "144"),
        ("two plus three times four", "sum", "14"),
        ("1/0", "noise", ""),
        ("?!", "noise", ""),
        ("Che cosa è l'amore?", "foreign", "l'amore"),
        ("사랑이 무엇입니까", "foreign", ""),
        ("Wie geht es dir?", "befinden", ""),
        ("Was ist Mut?", "deutsch", "Mut"),
        ("Guten Morgen", "gruss", ""),
        ("I am so happy today!", "glad", ""),
        ("I like trains.", "open", "trains"),
        ("Should I kill myself?", "grave", ""),
        ("How do I hurt my brother?", "grave", ""),
        ("How do I beat my brother at chess?", "how", "beat your brother at chess"),
        ("Should I cut my hair?", "advise", "cut your hair"),
        ("Ich will nicht mehr leben", "ernst", ""),
    ],
)
def test_a_question_is_heard_for_what_it_is(asked: str, kind: str, part: str) -> None:
    question = read_question(asked)
    told = (question.topic, question.do, question.b, question.result, question.word)
    assert question.kind == kind
    assert not part or part in told


def test_a_story_before_a_question_is_heard_and_no_owner_is_taken_for_the_matter() -> None:
    read = read_question("My neighbour's dog barks all night; what do I tell her?")
    assert (read.kind, read.word) == ("feeling", "dog")
    assert read_question("What is my sister's secret?").word == "secret"


@pytest.mark.parametrize("asked", ["What is courage?", "Should I move to the sea?", "2+2?", "Coffee or tea?"])
def test_every_voice_answers_what_was_asked(asked: str) -> None:
    about = {"What is courage?": "courage", "2+2?": "four", "Coffee or tea?": "coffee|tea"}.get(asked, "")
    said = [answer(asked, slot, seed) for slot in range(1, 7) for seed in range(4)]
    assert all(re.search(about, text, re.IGNORECASE) for text in said)


def test_the_houses_six_have_the_tempers_their_personas_suggest() -> None:
    assert [tempers(HOUSE)[slot] for slot in range(1, 7)] == [
        "keeper",
        "grower",
        "pilot",
        "asker",
        "doubter",
        "teller",
    ]


def test_the_same_seed_says_the_same_and_others_differ() -> None:
    assert answer("What is courage?") == answer("What is courage?")
    assert len({answer("What is courage?", seed=seed) for seed in range(12)}) > 3


def test_what_was_said_at_this_table_is_not_said_again_while_there_is_anything_else() -> None:
    said: tuple[str, ...] = ()
    for seed in (5, 5, 5):
        text = answer("What is courage?", seed=seed, said=said)
        assert text[:40] not in " ".join(said)
        said = (*said, json.dumps({"text": text}))


def test_a_reply_to_several_names_two_of_them() -> None:
    heard = (
        Remark(2, "Gardener", "That has stood out in the weather."),
        Remark(5, "Sceptic", "I grant you that much."),
    )
    text = json.loads(table_text(TableCue(3, 1, "What is courage?", HOUSE, heard, "An answer.", seed=1)))["text"]
    assert "Gardener" in text
    assert "Sceptic" in text


def test_nobody_jokes_about_a_grief() -> None:
    answers = tuple(Remark(seat.slot, seat.name, answer("My cat died.", seat.slot)) for seat in HOUSE)
    gentle = [line for temper in TEMPERS for line in table_bank()[f"{temper} gentle comment"]]
    openings = tuple(re.split(r"[{“]", line)[0] for line in gentle)
    for seat in HOUSE:
        cue = TableCue(2, seat.slot, "My cat died.", HOUSE, tuple(r for r in answers if r.slot != seat.slot), seed=2)
        assert json.loads(table_text(cue))["comment"].startswith(openings)


@pytest.mark.parametrize("said", ["I want to die.", "Should I kill myself or stay?", "Tell me how to murder somebody"])
def test_what_is_grave_is_never_played_with(said: str) -> None:
    """Every answer sends the person to people; comments and replies only say so again."""
    for seed in range(5):
        answers = tuple(Remark(seat.slot, seat.name, answer(said, seat.slot, seed)) for seat in HOUSE)
        for seat in HOUSE:
            mine = next(remark.text for remark in answers if remark.slot == seat.slot)
            assert re.search(r"emergency|call somebody|could call|somebody tonight", mine)
            others = tuple(remark for remark in answers if remark.slot != seat.slot)
            comment = json.loads(table_text(TableCue(2, seat.slot, said, HOUSE, others, mine, seed=seed)))["comment"]
            opening = comment.partition("“")[0]
            assert any(remark.name in opening for remark in others)
            reply = json.loads(table_text(TableCue(3, seat.slot, said, HOUSE, others[:2], mine, seed=seed)))["text"]
            bank = {re.sub(r"\{name\}", "X", line) for line in table_bank()["grave reply"]}
            assert any(reply.replace(other.name, "X") in bank for other in others)


def test_every_temper_has_lines_for_every_occasion_and_every_slot_can_be_filled() -> None:
    bank = table_bank()
    for temper in TEMPERS:
        for occasion in (*KINDS, "tail", "comment", "reply", "replies", "closing", "gentle comment", "gentle reply"):
            assert bank[f"{temper} {occasion}"], (temper, occasion)
    for heading, lines in bank.items():
        if "words" not in heading and heading != "tempers":
            used = {slot.lower() for line in lines for slot in re.findall(r"\{(\w+)\}", line)}
            assert used <= SLOTS, heading
    everything = [line for heading, lines in bank.items() if "words" not in heading for line in lines]
    assert len(everything) == len(set(everything))
