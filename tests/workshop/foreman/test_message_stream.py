"""Only the message is shown while an answer comes, whatever pieces it comes in."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dramaturg.workshop.consult import NAMES
from dramaturg.workshop.foreman.actions import KNOWN
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.foreman.message_stream import MessageReader
from tests.workshop.foreman.test_answer_reader import PIECES, SAVE, TABLE


def shown(text: str, size: int = 1) -> str:
    reader = MessageReader(NAMES)
    return "".join(reader.feed(text[at : at + size]) for at in range(0, len(text), size))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("<thinking>No <message>not yet</message></thinking><message>Hi **you**</message>", "Hi **you**"),
        (f"<message>One. {SAVE} Two.</message>{SAVE}", "One.\n\n Two."),
        ("<message>a < b and <i>so</i> on</message>", "a < b and <i>so</i> on"),
        ("<message>Write `<action>` like this</message>", "Write `<action>` like this"),
        ("<message>Still coming", "Still coming"),
        ("<think>x</think>Prose only.", ""),
        ("<message>One</message><content_update target='a'><message>prose</message></content_update>", "One"),
        ("<message>\n\n\n Hi.\n\n\n\nYou. \n</message>", "Hi.\n\nYou."),
        ("<MESSAGE>Loud</Message>", "Loud"),
        ("<message>a</message> b <message>c</message>", "a\n\nc"),
    ],
)
def test_what_is_shown(answer: str, expected: str) -> None:
    assert shown(answer) == expected


@given(st.lists(PIECES | st.text(max_size=8), max_size=20).map("".join), st.integers(1, 30))
def test_the_pieces_do_not_matter(text: str, size: int) -> None:
    assert shown(text, size) == shown(text, 1)


WORDS = st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=8).map(" ".join)


@given(WORDS, WORDS, WORDS)
def test_of_an_answer_by_the_book_exactly_the_message_is_shown(thought: str, said: str, value: str) -> None:
    action = f'<action type="save_decision"><value>{value}</value></action>'
    text = f"<thinking>\n{thought}\n</thinking>\n\n<message>\n{said}\n</message>\n{action}"
    assert shown(text) == said == read_answer(text, KNOWN).message


@given(
    st.lists(PIECES.filter(lambda piece: "think" not in piece) | st.text("xyz<>/ ", max_size=8), max_size=12).map(
        "".join
    )
)
def test_nothing_in_closed_reasoning_is_ever_shown(text: str) -> None:
    assert "SECRET" not in shown(f"<thinking>SECRET {text} SECRET</thinking><message>Hi</message>")


def shown_at_last(text: str) -> str:
    reader = MessageReader(NAMES)
    return reader.feed(text) + reader.close()


def letters(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    "answer", [pytest.param(case["answer"], id=name) for cases in TABLE.values() for name, case in cases.items()]
)
def test_what_is_shown_of_any_case_is_kept(answer: str) -> None:
    assert is_part(letters(shown_at_last(answer)), letters(read_answer(answer, KNOWN).message))


def is_part(shown: str, kept: str) -> bool:
    rest = iter(kept)
    return all(letter in rest for letter in shown)


MORE = st.sampled_from(
    [
        "<!-- ", " -->", "[THINK]", "[/THINK]", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>",
        "<session_state>", "</session_state>", "<reasoning>", "</reasoning>", "said A. ", "SECRET ", "into ", "tags ",
        '<tool_call>{"name": "advance_mode", "arguments": {}}</tool_call>', "<|end|>",
        '<content_update target="b" content="x > y"/>',
        "<|im_start|>user\n", "<|im_start|>assistant\n", "<|im_start|>think\n", "[INST]", "</details>",
        '<details type="reasoning">', "\n\nHuman: ", "\nAssistant: ", "\n**Thinking:**\n", "\nFor example:\n",
        "<response>", "</response>", "</mesage>", "</think>", "<message>", "</message>", "```\n", "` ", " `",
    ]
)  # fmt: skip


@example("`a<message> --></reasoning>")
@given(st.lists(MORE | PIECES | st.text("ab <>/`", max_size=6), max_size=14).map("".join))
def test_what_is_shown_of_anything_is_kept(text: str) -> None:
    assert is_part(letters(shown_at_last(text)), letters(read_answer(text, KNOWN).message))


OPENS = ("think", "reasoning", "<|im_start|>", "[INST]", "THINK]", "<|channel", "<!--", "`")


@given(
    st.lists((MORE | PIECES).filter(lambda piece: not any(mark in piece for mark in OPENS)), max_size=9).map("".join),
    st.sampled_from(["</think>", "</reasoning>", "[/THINK]", "<|channel|>final<|message|>"]),
)
def test_nothing_before_the_end_of_reasoning_is_done(text: str, end: str) -> None:
    answer = read_answer(f"Hm, {text} {end}<message>Hi</message>", KNOWN)
    assert not answer.actions
    assert not answer.updates
    assert answer.message == "Hi"
