"""Where an interruption cuts."""

import pytest

from dramaturg.scenes.cut import Cut, cut_line

LINE = "Look, I can explain what happened, it was the server."


def test_a_line_ends_with_a_dash_behind_the_phrase_and_keeps_the_rest() -> None:
    assert cut_line(LINE, "explain") == Cut("Look, I can explain—", "what happened, it was the server.")


@pytest.mark.parametrize(
    "phrase",
    [
        "I can explain",
        "i CAN explain",
        "I can explain,",
        "“I can explain”",
        "I can't explain",
        "I can explian",
    ],
)
def test_the_phrase_is_found_despite_case_punctuation_and_small_misquotes(phrase: str) -> None:
    assert cut_line(LINE, phrase) == Cut("Look, I can explain—", "what happened, it was the server.")


@pytest.mark.parametrize("phrase", ["", "...", "the weather in May", "it was the server", "servant"])
def test_a_phrase_that_is_not_there_or_ends_the_line_cuts_nothing(phrase: str) -> None:
    assert cut_line(LINE, phrase) is None


def test_a_comma_before_the_cut_is_not_printed_before_the_dash() -> None:
    assert cut_line("Well, you see, I meant it.", "you see") == Cut("Well, you see—", "I meant it.")


def test_letters_of_any_language_are_words() -> None:
    assert cut_line("Ich wollte es dir längst sagen, ehrlich.", "dir längst") == Cut(
        "Ich wollte es dir längst—", "sagen, ehrlich."
    )
