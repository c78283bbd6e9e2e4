"""One decision in every form that models write actions in, at every place of an answer: done where it is meant."""

from __future__ import annotations

import pytest

from dramaturg.workshop.consult import NAMES
from dramaturg.workshop.foreman.actions import KNOWN
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.foreman.message_stream import shown_text
from tests.workshop.foreman.test_answer_reader import carried_out

WANTED = {"save_decision": {"category": "world", "key": "tide", "value": "twice a day"}}
JSON = '{"name": "save_decision", "arguments": {"category": "world", "key": "tide", "value": "twice a day"}}'
TAGS = "<category>world</category><key>tide</key><value>twice a day</value>"
NAMED = '<parameter name="category">world</parameter><parameter name="key">tide</parameter>'
FORMS = {
    "by the book": f'<action type="save_decision">{TAGS}</action>',
    "name": f'<action name="save-decision">{TAGS}</action>',
    "own tag": f"<save_decision>{TAGS}</save_decision>",
    "camel case": f"<SaveDecision>{TAGS}</SaveDecision>",
    "attributes": '<action type="save_decision" category="world" key="tide" value="twice a day" urgent="yes"/>',
    "parameters": f'<action type="save_decision">{NAMED}<parameter name="value">twice a day</parameter></action>',
    "one line": '<action type="save_decision">category: world, key: tide, value: twice a day</action>',
    "lines": '<action type="save_decision">\ncategory: world\nkey: tide\nvalue: twice a day\n</action>',
    "call": '<action>save_decision(category="world", key="tide", value="twice a day")</action>',
    "invoke": f'<invoke name="save_decision">{NAMED}<parameter name="value">twice a day</parameter></invoke>',
    "function": f"<function=save_decision>{TAGS}</function>",
    "tool call": f"<tool_call>{JSON}</tool_call>",
    "JSON body": '<action type="save_decision">{"category": "world", "key": "tide", "value": "twice a day"}</action>',
    "cdata": f'<action type="save_decision">{TAGS.replace("twice a day", "<![CDATA[twice a day]]>")}</action>',
    "single quotes": f"<action type='Save Decision' >{TAGS}</action >",
    "unclosed": f'<action type="save_decision">{TAGS}',
}
MEANT = {
    "alone": "{}",
    "after the message": "<message>Hi</message>\n{}",
    "before the message": "{}\n<message>Hi</message>",
    "in the message": "<message>Hi\n{}\n</message>",
    "after reasoning": "<thinking>Hm.</thinking><message>Hi</message>{}",
    "after reasoning without its beginning": "Hm, well.</think><message>Hi</message>{}",
    "in the final channel": "<|channel|>analysis<|message|>Hm.<|channel|>final<|message|><message>Hi</message>{}",
    "in wrappers": "<response><message>Hi</message><actions>{}</actions></response>",
    "in a fence": "<message>Hi</message>\n```xml\n{}\n```",
    "after an echo": "<session_state><mode>x</mode></session_state><message>Hi</message>{}",
    "after a comment": "<!-- a plan --><message>Hi</message>{}",
    "in a fence that is all": "```xml\n<message>Hi</message>\n{}\n```",
    "in the own turn": "<|start_header_id|>assistant<|end_header_id|>\n\n<message>Hi</message>{}<|eot_id|>",
    "after a named tag": "<message>I use <message> tags, always.</message>{}",
}
NOT_MEANT = {
    "in reasoning": "<thinking>{}</thinking><message>Hi</message>",
    "in brackets": "[THINK]{}[/THINK]<message>Hi</message>",
    "in another channel": "<|channel|>analysis<|message|>{}<|end|><|channel|>final<|message|><message>Hi</message>",
    "before the end of reasoning": "Perhaps {}</think><message>Hi</message>",
    "before two ends": "Perhaps {}</think> or not </think><message>Hi</message>",
    "in a comment": "<message>Hi</message><!-- {} -->",
    "in a comment in the message": "<message>Hi <!-- {} --></message>",
    "in an echo": "<session_state>{}</session_state><message>Hi</message>",
    "in the list of actions": "<message>Hi</message><available_actions>{}</available_actions>",
    "in code of the message": "<message>Hi\n```xml\n{}\n```\n</message>",
    "in reasoning without an end": "<thinking>Perhaps {}",
    "after reasoning without an end": "<thinking>Perhaps <message>Hi</message>{}",
    "in a user's turn": "<message>Hi</message><|im_end|>\n<|im_start|>user\nYes.\n{}<|im_end|>",
    "in a system's turn": "<message>Hi</message><|im_end|>\n<|im_start|>system\n{}",
    "in a tool's turn": "<message>Hi</message><|im_end|>\n<|im_start|>tool\n{}",
    "in a turn below a header": "<message>Hi</message><|eot_id|><|start_header_id|>user<|end_header_id|>\n\n{}",
    "in a turn of Gemma's": "<message>Hi</message><end_of_turn>\n<start_of_turn>user\n{}",
    "in a turn of Harmony's": "<message>Hi</message><|end|><|start|>user<|message|>{}<|end|>",
    "in a turn of DeepSeek's": "<message>Hi</message><｜User｜>{}",
    "in brackets of a user": "<message>Hi</message></s>[INST] {} [/INST]",
    "in a human's row": "<message>Hi</message>\n\nHuman: {}",
    "below a user's row": "<message>Hi</message>\n\n**User:**\nYes.\n{}",
    "below an instruction": "<message>Hi</message>\n\n### Instruction:\n{}",
    "below a mark without its tokens": "<message>Hi</message>\nuser\nYes.\n{}",
    "in the answer to a turn nobody took": "<message>Hi</message>\n\nHuman: Yes.\n\nAssistant: <message>So</message>{}",
    "in the own turn behind another": "<message>Hi</message><|im_start|>user\nYes.<|im_end|><|im_start|>assistant\n{}",
    "in a turn of reasoning": "<|im_start|>think\n{}<|im_end|>\n<|im_start|>assistant\n<message>Hi</message>",
    "below a label of reasoning": "Reasoning: Hm. {}\n\n<message>Hi</message>",
    "below bold thinking": "**Thinking:**\nHm. {}\n\n<message>Hi</message>",
    "below thinking behind the message": "<message>Hi</message>\n\n**Thinking:**\nHm. {}",
    "in details of reasoning": '<details type="reasoning"><summary>A</summary>\n{}\n</details>\n<message>Hi</message>',
    "in an example": "<message>Hi</message>\nFor example:\n```xml\n{}\n```",
    "in an example of the message's": "<message>Hi</message>\nIt would look like this:\n```\n{}\n```",
    "in prose of a file": '<message>Hi</message><content_update target="a">He typed {} there.</content_update>',
}


@pytest.mark.parametrize("place", MEANT)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_meant_is_done_once_and_leaves_no_trace_in_the_message(form: str, place: str) -> None:
    answer = read_answer(MEANT[place].format(FORMS[form]), KNOWN)
    assert carried_out(answer) == ([WANTED], [])
    assert "tide" not in answer.message
    assert answer.message.replace("I use <message> tags, always.", "Hi") in ("Hi", "")


@pytest.mark.parametrize("place", NOT_MEANT)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_not_meant_is_not_done(form: str, place: str) -> None:
    text = NOT_MEANT[place].format(FORMS[form])
    answer = read_answer(text, KNOWN)
    assert answer.actions == ()
    if "code" not in place:
        assert "tide" not in answer.message
        assert "tide" not in shown_text(text, NAMES)
    if text.startswith("<message>Hi</message>") and "comment" not in place:
        assert answer.message == shown_text(text, NAMES) == "Hi"
