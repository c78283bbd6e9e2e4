"""An interruption that quotes a line with a word too many or too few cuts where it meant to."""

from __future__ import annotations

import pytest

from dramaturg.scenes.cut import cut_line

LINE = "Look, I can explain what happened, it was the server."
LETTER = "I gave the letter to your brother on Monday and never asked again."


@pytest.mark.parametrize(
    ("line", "phrase", "said"),
    [
        (LINE, "look I can just explain", "Look, I can explain—"),
        (LINE, "explain what really happened", "Look, I can explain what happened—"),
        (LETTER, "the letter to your dear brother", "I gave the letter to your brother—"),
    ],
)
def test_a_misquote_with_one_word_more_cuts(line: str, phrase: str, said: str) -> None:
    cut = cut_line(line, phrase)
    assert cut is not None
    assert cut.said == said


@pytest.mark.parametrize(
    ("line", "phrase", "said"),
    [
        (LINE, "I can what happened", "Look, I can explain what happened—"),
        (LINE, "explain happened", "Look, I can explain what happened—"),
        (LETTER, "the letter to brother", "I gave the letter to your brother—"),
    ],
)
def test_a_misquote_with_one_word_less_cuts(line: str, phrase: str, said: str) -> None:
    cut = cut_line(line, phrase)
    assert cut is not None
    assert cut.said == said


def test_a_single_word_must_be_the_word() -> None:
    assert cut_line(LINE, "explained") is None
