"""What a Foreman's model thinks aloud is not said to the writer, and JSON after its reasoning is read."""

import pytest

from dramaturg.workshop.foreman.answer_reader import read_answer
from tests.model_notes.cases import HONEST, TAGGED, TALK

SAID = "Where does the second act end?"
KNOWN = {"save_decision": ("topic", "decision")}


@pytest.mark.parametrize("talk", TALK)
def test_talk_about_the_user_is_not_said(talk: str) -> None:
    assert read_answer(talk, KNOWN).message == ""
    answer = read_answer(f"{talk}\n\n{SAID}", KNOWN)
    assert answer.message == SAID
    assert "SECRET" in answer.thinking


@pytest.mark.parametrize("tagged", TAGGED)
def test_reasoning_in_tags_of_any_language_is_not_said(tagged: str) -> None:
    answer = read_answer(f"{tagged}<message>{SAID}</message>", KNOWN)
    assert (answer.message, "SECRET" in answer.thinking) == (SAID, True)


@pytest.mark.parametrize("words", [*HONEST, "Analysis: your second act sags.", "The player wants out of the team."])
def test_what_may_be_said_to_a_writer_stays(words: str) -> None:
    assert read_answer(words, KNOWN).message == words


def test_json_after_reasoning_is_read_and_its_action_done() -> None:
    raw = """<reasoning>SECRET</reasoning>
{"message": "Done.", "actions": [{"type": "save_decision", "topic": "end", "decision": "open"}]}"""
    answer = read_answer(raw, KNOWN)
    assert (answer.message, answer.thinking) == ("Done.", "SECRET")
    assert [one.type for one in answer.actions] == ["save_decision"]


def test_json_inside_reasoning_does_nothing() -> None:
    raw = '<think>{"message": "x", "actions": [{"type": "save_decision", "topic": "a"}]}</think> Wait.'
    answer = read_answer(raw, KNOWN)
    assert (answer.message, answer.actions) == ("Wait.", ())
