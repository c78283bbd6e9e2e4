"""However a model marks its reasoning, nothing in it is done and nothing of it is shown."""

from __future__ import annotations

import pytest

from dramaturg.workshop.foreman.actions import KNOWN
from dramaturg.workshop.foreman.answer_reader import read_answer
from tests.workshop.foreman.test_message_stream import shown_at_last

ACT = '<action type="advance_mode"><force>true</force></action>'
SAID = "<message>Hello there.</message>"
NAMES = (
    "think", "THINK", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis",
    "seed:think", "inner_monologue", "internal_monologue", "inner_thoughts", "chain_of_thought", "deliberation",
    "planning", "plan", "thinkng", "intrenal", "scratchpd", "rationale", "self-talk",
)  # fmt: skip
MARKS = (
    *((f"<{name}>", f"</{name}>") for name in NAMES),
    ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"), ("<unused94>thought\n", "<unused95>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"), ("<!-- ", " -->"),
)  # fmt: skip


@pytest.mark.parametrize(("start", "end"), MARKS)
def test_nothing_between_the_marks_is_done_or_shown(start: str, end: str) -> None:
    answer = f"{start}I could weigh {ACT} or {SAID.replace('Hello', 'SECRET')} first.{end}{SAID}"
    read = read_answer(answer, KNOWN)
    assert (read.actions, read.updates, read.message) == ((), (), "Hello there.")
    assert shown_at_last(answer).strip() == "Hello there."


@pytest.mark.parametrize(("start", "end"), [one for one in MARKS if one[0] != "<!-- "])
def test_nothing_before_a_lone_closing_mark_is_done(start: str, end: str) -> None:
    read = read_answer(f"I could weigh {ACT} first.{end}{SAID}", KNOWN)
    assert (read.actions, read.message) == ((), "Hello there.")


@pytest.mark.parametrize(("start", "end"), [one for one in MARKS if one[0] != "<!-- "])
def test_nothing_of_reasoning_that_broke_off_is_done(start: str, end: str) -> None:
    assert read_answer(f"{start}I could weigh {ACT}", KNOWN).actions == ()
