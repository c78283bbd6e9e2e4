"""What is shown of a line while it is written: never more than the line will hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.preview import line_preview
from dramaturg.scenes.response import parse_response
from tests.scenes.test_everyday_answers import CASES, CAST, PIECES

IN_FORM = '[TO: Alice, TONE: sad, *looks (down)*] "I sold the boat, *sighs* and the _nets_, (quietly) to Tom."'


def previews(raw: str) -> list[str]:
    """What is shown after each character."""
    return [line_preview(raw[:end], me="Bob", cast=CAST) for end in range(len(raw) + 1)]


def line(raw: str) -> str:
    return parse_response(raw, me="Bob", cast=CAST)[0].content


def strays(raw: str) -> list[str]:
    """What was shown and is not the beginning of the line."""
    said = line(raw)
    return [shown for shown in previews(raw) if not said.startswith(shown.rstrip(" .,"))]


TAKEN_BACK = "a model's refusal with tags"
"""In the form, and known for a refusal only once it has said that it is a model."""


@pytest.mark.parametrize("case", [case for case in CASES if case != TAKEN_BACK])
def test_of_an_everyday_answer_only_the_beginning_of_its_line_is_shown(case: str) -> None:
    assert strays(CASES[case][0]) == []


def test_a_refusal_in_the_form_is_taken_back() -> None:
    assert previews(CASES[TAKEN_BACK][0])[-1] == line(CASES[TAKEN_BACK][0]) == ""


def test_a_line_in_the_form_grows_word_by_word_to_the_whole() -> None:
    raw = '[TO: Alice, TONE: sad] "I sold the boat, and the nets."'
    shown = previews(raw)
    assert shown[-1] == line(raw) == "I sold the boat, and the nets."
    assert len(set(shown)) > 20
    assert strays(IN_FORM) == []
    assert previews(IN_FORM)[-1] == "I sold the boat"


@pytest.mark.parametrize(
    "raw",
    [
        '<think>Bob lies. [TONE: calm] "Draft."</think>[TONE: calm] "Not that one."',
        '<thinking>\n[TONE: calm] "Draft."\n</thinking>\n[TONE: calm] "Not that one."',
        'Bob would lie. [TONE: calm] "Draft." No.</think>[TONE: calm] "Not that one."',
        'Reasoning: he lies.\n"Draft."\n[TONE: calm] "Not that one."',
        'Sure! Here is Bob\'s response:\n[TONE: calm] "Not that one."',
        '{"tone": "calm", "thoughts": "Draft.", "line": "Not that one."}',
        '<|channel|>analysis<|message|>Draft.<|end|><|channel|>final<|message|>[TONE: calm] "Not that one."',
        "[SILENT, *thinks of the draft*]",
        '[SCENE END - Goal: Achieved] "Draft."',
    ],
)
def test_what_is_not_part_of_the_line_is_never_shown(raw: str) -> None:
    assert not any(word in shown for shown in previews(raw) for word in ("Draft", "Bob", "Reason", "think", "Goal"))


@given(st.lists(st.sampled_from((*PIECES, '[TONE: low] "', "I ", "sold ", "Alice: ", "*nods* ", "\n")), max_size=12))
def test_no_answer_breaks_it(pieces: list[str]) -> None:
    raw = '[TONE: low] "' + "".join(pieces)
    for shown in previews(raw):
        assert "[" not in shown
