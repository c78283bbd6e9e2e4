"""What models think before, between and after what they say, as the families of models write it."""

import pytest

from dramaturg.kernel.reasoning import is_reasoning_name, without_reasoning
from tests.kernel.reasoning_forms import FORMS, SAID, THOUGHT

PLAIN = (
    SAID,
    "I think <b>so</b>, and you [nods] know it.",
    "Here is my response: no.",
    "```text\nA list.\n```",
    "My plan is simple: leave < before nine > or not at all.",
    "She thought </b> was a tag.",
    "<sighs> Is it <half-past> nine?",
    "<lost-in-thought> The ferry leaves at nine.",
    "If a < b and b > c, I think not.",
    "Thinking...\n\nNo, the ferry leaves at nine.",
    "Thinking of the ferry, are you?",
    "My thought process? There is none.",
    "~~~ Come in ~~~",
    "AT&T &lt;sighs&gt; ＜笑＞ [a_note] stays.",
    "<|im_start|>assistant\nThe ferry leaves at nine.<|im_end|>",
)
NAMES = ("inner_thought", "thinking-process", "antThinking", "chainOfThought", "pensées_intérieures", "internal_note")
OTHERS = ("sighs", "knock-knock", "lost_in_thought", "well-thought-out", "thinker", "afterthought", "inner", "content")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_is_said_is_left_whatever_marks_the_reasoning_has(form: str) -> None:
    left = without_reasoning(form)
    assert SAID in left
    assert "ferry. I must" not in left


@pytest.mark.parametrize("text", PLAIN)
def test_words_without_reasoning_stay_as_they_are(text: str) -> None:
    assert without_reasoning(text) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_of_reasoning_if_a_part_of_it_is(name: str) -> None:
    assert is_reasoning_name(name)


@pytest.mark.parametrize("name", OTHERS)
def test_a_name_that_only_holds_the_letters_or_tells_a_manner_is_none(name: str) -> None:
    assert not is_reasoning_name(name)


def test_nothing_is_left_of_reasoning_without_an_answer() -> None:
    assert without_reasoning(f"<think>{THOUGHT}") == ""
    assert without_reasoning(f"Here is my thought process: {THOUGHT}") == ""
