"""Rows that close an answer for whoever ordered it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.model_notes.closings import ClosingFilter, without_closings

ROWS = st.sampled_from(
    [
        "The lamp went out.",
        "“Who is there?” she asked.",
        "Would you like me to continue the scene?",
        "**Let me know if you would like a different version!**",
        "Would you",
        "Would you like some tea?",
        "What do you do?",
        "- Let me know",
        "Soll ich die Szene fortsetzen?",
        "",
        "   ",
        "***",
    ]
)


@given(st.lists(ROWS, max_size=6))
def test_a_whole_text_loses_the_rows_that_it_loses_by_the_character(rows: list[str]) -> None:
    text, kept = "\n".join(rows), []
    by_character = ClosingFilter(kept.append)
    for char in text:
        by_character.hear(char)
    by_character.end()
    assert without_closings(text) == "".join(kept)


def test_an_offer_below_an_answer_is_left_out_and_a_question_in_it_stays() -> None:
    assert "continue" not in without_closings("The lamp went out.\n\nWould you like me to continue the scene?")
    tea = "She put the kettle on.\n\nWould you like some tea?"
    assert without_closings(tea) == tea
