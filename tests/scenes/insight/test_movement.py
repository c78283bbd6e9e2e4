"""How far one answer lies from another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.insight.movement import movement, word_distance
from dramaturg.scenes.response import ParsedResponse

TEXTS = st.lists(st.sampled_from(["no", "yes", "the", "cup", "broke", "I"]), max_size=8).map(" ".join)


def says(content: str, **more: str) -> ParsedResponse:
    return ParsedResponse.model_validate({"action": "speak", "tone": "even", "content": content} | more)


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        (says("I broke the cup."), 0.0),
        (says("i BROKE the cup"), 0.0),
        (says("I broke the cup.", tone="cold"), 0.1),
        (says("I broke the cup.", target="Alice"), 0.05),
        (says("I broke the plate."), 0.175),
        (says("You did."), 0.7),
        (ParsedResponse(action="silent"), 1.0),
    ],
)
def test_words_count_most_then_what_is_done_with_them(after: ParsedResponse, moved: float) -> None:
    assert movement(says("I broke the cup."), after).moved == pytest.approx(moved)


def test_a_gesture_without_words_is_compared_as_words_are() -> None:
    nods, shrugs = (ParsedResponse(action="react", nonverbal=gesture) for gesture in ("nods slowly", "shrugs"))
    assert movement(nods, nods).moved == 0
    assert movement(nods, shrugs).words == 1


@given(TEXTS, TEXTS)
def test_the_distance_is_the_same_both_ways_and_between_nought_and_one(one: str, other: str) -> None:
    assert 0 <= word_distance(one, other) <= 1
    assert word_distance(one, other) == word_distance(other, one)
    assert word_distance(one, one) == 0
