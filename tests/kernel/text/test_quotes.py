"""A quotation is believed only if its words are in the text; how it is written down makes no difference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.quotes import find_quote, is_quoted
from dramaturg.kernel.text.words import words

LETTER = "I’ll meet you at the mill — at 10:45, “not later”… and bring the 12 letters."


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("meet you at the mill", id="as it is"),
        pytest.param("ｍｅｅｔ　ｙｏｕ　ａｔ　ｔｈｅ　ｍｉｌｌ", id="full width"),
        pytest.param("the １２ letters", id="full-width digits"),
        pytest.param("I'll meet you", id="straight apostrophe"),
        pytest.param('at 10:45, "not later"', id="straight quotation marks"),
        pytest.param("‘not later’", id="single curly quotation marks"),
        pytest.param("at the mill - at 10:45", id="hyphen for a dash"),
        pytest.param("at the mill – at 10:45", id="short dash"),
        pytest.param("not later... and bring", id="three dots for an ellipsis"),
        pytest.param("not later and bring", id="no ellipsis"),
        pytest.param("MEET You AT", id="case"),
        pytest.param("  meet\n\tyou   at ", id="whitespace"),
    ],
)
def test_the_same_words_written_otherwise_are_the_same_quotation(quote: str) -> None:
    assert is_quoted(quote, LETTER)


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("meet you at the old mill", id="a word more"),
        pytest.param("meet at the mill", id="a word less"),
        pytest.param("eet you at", id="half a word"),
        pytest.param("at the mill at 10:46", id="another digit"),
        pytest.param("the 1 letters", id="part of a number"),
        pytest.param("mill the at", id="another order"),
        pytest.param("meet you … the 12 letters", id="words left out"),
        pytest.param("", id="nothing"),
        pytest.param(" … — “” ", id="punctuation only"),
        pytest.param("I", id="one letter"),
        pytest.param("1", id="one digit"),
    ],
)
def test_other_words_are_not(quote: str) -> None:
    assert not is_quoted(quote, LETTER)


def test_one_letter_counts_only_as_the_whole_text() -> None:
    assert not is_quoted("I", "I did it.")
    assert is_quoted("I", "“I!”")
    assert not is_quoted("猫", "猫 犬")


def test_too_few_words_prove_nothing_unless_nothing_else_was_said() -> None:
    assert not is_quoted("Yes", "Yes, I was there.", fewest=2)
    assert is_quoted("yes, I", "Yes, I was there.", fewest=2)
    assert is_quoted("Yes", "Yes!", fewest=2)


def test_scripts_without_spaces_are_compared_by_their_characters() -> None:
    assert is_quoted("猫がいる", "庭に猫がいるよ")
    assert not is_quoted("犬がいる", "庭に猫がいるよ")


def test_a_quotation_does_not_run_from_one_line_into_the_next() -> None:
    lines = ("I never said", "that I loved her")
    assert find_quote("said that I", lines) == ()
    assert find_quote("never said", lines) == (0,)
    assert find_quote("I", lines) == ()
    assert find_quote("i never", (*lines, "I never")) == (0, 2)


def test_an_ellipsis_may_stand_for_words_left_out_in_order_and_in_one_text() -> None:
    text = "The tide comes in at dawn and takes the boats with it."
    for quote in ("the tide … takes the boats", "The tide... boats with it", "the tide [...] the boats", "… at dawn …"):
        assert is_quoted(quote, text, elided=True), quote
    assert not is_quoted("takes the boats … the tide", text, elided=True)
    assert not is_quoted("the tide … the ships", text, elided=True)
    assert not is_quoted("the tide comes … comes in", text, elided=True)
    assert not find_quote("the tide … the gulls", ("The tide comes in.", "The gulls wake."), elided=True)
    assert not is_quoted("…", text, elided=True)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_whatever_is_cut_out_between_words_is_found(before: str, quote: str, after: str) -> None:
    found = is_quoted(quote, f"{before} {quote} {after}")
    assert found == (len("".join(words(quote))) > 1 or (bool(words(quote)) and not words(before + " " + after)))
