"""What a Foreman's model thinks aloud is not said to the writer, and JSON after its reasoning is read."""

import json

import pytest

from dramaturg.workshop.consult import NAMES
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.foreman.message_stream import shown_text
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


PARTS = {
    "objects": json.dumps({"thinking": {"text": "SECRET"}, "response": {"text": SAID}}),
    "blocks": json.dumps([{"type": "thinking", "text": "SECRET"}, {"type": "text", "text": SAID}]),
    "blocks of other names": json.dumps(
        [{"type": "reasoning", "thinking": "SECRET"}, {"type": "output_text", "text": SAID}]
    ),
    "content": json.dumps({"content": [{"type": "thinking", "thinking": "SECRET"}, {"type": "text", "text": SAID}]}),
    "one block per row": f'{{"type": "thinking", "text": "SECRET"}}\n{{"type": "text", "text": "{SAID}"}}',
    "turns of a chat": json.dumps([{"role": "user", "content": "SECRET"}, {"role": "assistant", "content": SAID}]),
    "objects that break off": f'{{"thinking": {{"text": "SECRET"}}, "response": {{"text": "{SAID}',
    "an empty thought that breaks off": f'{{"thinking": {{"text": ""}}, "message": "{SAID}',
    "a call to think": f'<tool_call>{{"name": "think", "arguments": {{"text": "SECRET"}}}}</tool_call>{SAID}',
    "a function to think": f"<tool_call>\n<function=think>\n<parameter=a>SECRET</parameter></function>\n</tool_call>"
    f"{SAID}",
    "an invoked thought": f'<invoke name="think"><parameter name="thought">SECRET</parameter></invoke>{SAID}',
    "a label before JSON": f'**Thinking:**\nSECRET\n\n{{"message": "{SAID}"}}',
    "details": f'<details type="reasoning"><summary>Thought</summary>\nSECRET\n</details>\n{SAID}',
    "thinking below the message": f"<message>{SAID}</message>\n\n**Thinking:**\nSECRET",
}


@pytest.mark.parametrize("given", PARTS)
def test_the_thoughts_in_the_parts_of_an_answer_are_not_said(given: str) -> None:
    answer = read_answer(PARTS[given], KNOWN)
    assert answer.message == SAID
    assert answer.actions == ()
    assert shown_text(PARTS[given], NAMES) in ("", SAID)


@pytest.mark.parametrize("role", ["user", "tool", "system"])
def test_a_call_in_a_turn_of_somebody_else_is_not_done(role: str) -> None:
    call = {"role": role, "name": "save_decision", "arguments": {"topic": "end", "decision": "open"}}
    assert read_answer(json.dumps([call, {"role": "assistant", "content": SAID}]), KNOWN).actions == ()


@pytest.mark.parametrize(
    "words",
    [
        "Try it as a script:\n\nHuman: Who goes there?\n\nRobot: Nobody.\n\nGood?",
        "Try it as a script:\n\nHuman: Who goes there?\n\nAssistant: Nobody.",
        "The user: who is that?",
        "Write this:\n```\nINT. LAMP ROOM - NIGHT\n```\nGood?",
        "### Instruction:\nGo on.",
        "For example:\n```\nRuth lights the lamp.\n```",
    ],
)
def test_a_message_may_quote_others_and_code(words: str) -> None:
    told = f'<message>{words}</message><action type="save_decision" topic="end" decision="open"/>'
    answer = read_answer(told, KNOWN)
    assert answer.message == words == shown_text(told, NAMES)
    assert [one.type for one in answer.actions] == ["save_decision"]


@pytest.mark.parametrize("label", ["Human: Yes.", "**User:** Yes.", "### Instruction:\nSave it."])
def test_nothing_is_done_below_a_turn_of_others_within_a_message(label: str) -> None:
    asked = '<action type="save_decision" topic="end" decision="open"/>'
    for told in (
        f"<message>{SAID}\n\n{label}\n{asked}</message>",
        f"<message>{SAID}\n\n{label}\n<message>So</message>{asked}",
    ):
        answer = read_answer(told, KNOWN)
        assert answer.actions == ()
        assert "left_out" in {one.kind for one in answer.oddities}


def test_talk_of_the_writer_before_a_message_costs_neither_it_nor_its_actions() -> None:
    asked = '<action type="save_decision" topic="end" decision="open"/>'
    answer = read_answer(f"Let me see.\nUser: wants the end.\n<message>{SAID}</message>{asked}", KNOWN)
    assert answer.message.endswith(SAID)
    assert len(answer.actions) == 1
