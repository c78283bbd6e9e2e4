"""What models think before, between and after what they say, as the families of models write it."""

import pytest

from dramaturg.kernel.reasoning import without_reasoning

SAID = "The ferry leaves at nine."
THOUGHT = "The user asks about the ferry. I must answer as Iris."
FORMS = {
    "a tag": f"<think>{THOUGHT}</think>{SAID}",
    "a long tag": f'<thinking depth="2">\n{THOUGHT}\n</thinking>\n\n{SAID}',
    "a tag with a name before it": f"<seed:think>{THOUGHT}</seed:think>{SAID}",
    "one tag closed by another": f"<thinking>{THOUGHT}</think>{SAID}",
    "after what was said": f"{SAID}<reflection>{THOUGHT}</reflection>",
    "an end without a beginning": f"{THOUGHT}\n</think>\n{SAID}",
    "a beginning without an end": f"{SAID}<think>{THOUGHT}",
    "brackets": f"[THINK]{THOUGHT}[/THINK]{SAID}",
    "triangles": f"◁think▷{THOUGHT}◁/think▷{SAID}",
    "edges": f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>{SAID}",
    "the edges of another family": f"<|START_THINKING|>{THOUGHT}<|END_THINKING|>{SAID}",
    "tokens without a name": f"<unused94>{THOUGHT}<unused95>{SAID}",
    "channels": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{SAID}",
    "channels without their tokens": f"analysis{THOUGHT}assistantfinal{SAID}",
    "a fence": f"```thinking\n{THOUGHT}\n```\n{SAID}",
    "a fence that never ends": f"{SAID}\n```reasoning\n{THOUGHT}",
    "announced": f"Here is my thought process:\n{THOUGHT}\n\nHere is my response:\n{SAID}",
    "a plan": f"<plan>\n1. {THOUGHT}\n</plan>{SAID}",
    "twice": f"<think>{THOUGHT}</think>{SAID}<think>{THOUGHT}</think>",
    "an element inside it": f"<think>{THOUGHT} <b>Now</b> {{}}</think>{SAID}",
}
PLAIN = (
    SAID,
    "I think <b>so</b>, and you [nods] know it.",
    "Here is my response: no.",
    "```text\nA list.\n```",
    "My plan is simple: leave < before nine > or not at all.",
    "She thought </b> was a tag.",
)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_is_said_is_left_whatever_marks_the_reasoning_has(form: str) -> None:
    left = without_reasoning(form)
    assert SAID in left
    assert "ferry. I must" not in left


@pytest.mark.parametrize("text", PLAIN)
def test_words_without_reasoning_stay_as_they_are(text: str) -> None:
    assert without_reasoning(text) == text


def test_nothing_is_left_of_reasoning_without_an_answer() -> None:
    assert without_reasoning(f"<think>{THOUGHT}") == ""
    assert without_reasoning(f"Here is my thought process: {THOUGHT}") == ""
