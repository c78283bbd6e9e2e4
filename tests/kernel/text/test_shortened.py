"""Texts cut to a number of characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.shortened import short_line, shortened

lengths = st.integers(min_value=1, max_value=40)


@given(st.text(max_size=80), lengths)
def test_no_text_is_longer_than_it_may_be(text: str, most: int) -> None:
    assert len(shortened(text, most)) <= most
    assert len(short_line(text, most)) <= most


@given(st.text(max_size=40))
def test_a_text_that_fits_is_unchanged(text: str) -> None:
    assert shortened(text, max(1, len(text))) == text


@given(st.text(max_size=80), lengths)
def test_what_was_cut_is_a_beginning_and_says_so(text: str, most: int) -> None:
    cut = shortened(text, most)
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("The lamp went out.", 18, "The lamp went out."),
        ("The lamp went out.", 17, "The lamp went ou…"),
        ("The lamp went out.", 10, "The lamp…"),
        ("The lamp went out.", 1, "…"),
    ],
)
def test_a_cut_may_be_inside_a_word_and_leaves_no_space_before_the_ellipsis(text: str, most: int, cut: str) -> None:
    assert shortened(text, most) == cut


def test_a_short_line_has_single_spaces_and_may_fit_because_of_that() -> None:
    assert short_line("  The lamp\n\n\twent   out. ", 18) == "The lamp went out."


def test_line_breaks_stay_in_a_text_that_is_not_made_a_line() -> None:
    assert shortened("one\ntwo\nthree", 9) == "one\ntwo…"
