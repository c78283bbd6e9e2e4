"""Where a sentence ends, and where a text is cut."""

from __future__ import annotations

import pytest

from dramaturg.ensemble.lengths import Length, fit_text, sentences, without_interjection


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Four.", 1),
        ("Yes! No. Perhaps?", 3),
        ("It was 3.5 miles to St. Ives, e.g. on foot. Then rain.", 2),
        ("Dr. Rhee met J. K. Adler at 5 p. m. sharp", 1),
        ("He asked: “Who?” and left. Nobody knew.", 2),
        ("“Who?” He left.", 2),
        ("Well... perhaps not. Fine.", 2),
        ("Und z. B. hier. Da.", 2),
        ("勇気です。愛も！", 2),
        ("Look at example.org for more", 1),
        ("So am I. Are you?", 2),
        ("What?! Never.", 2),
        ("See no. 5 for more.", 1),
        ("You said “Leave it. Wait.” and I believe you. Truly.", 2),
        ('You said "Leave it. Wait." and I do.', 1),
        ("Du sagst „Lass es. Warte.“ und ich tue es.", 1),
        ("“Leave it. Wait.” That is right.", 2),
        ("“Leave it. Wait. I believe you.", 3),
    ],
)
def test_sentences_are_counted_as_a_reader_counts_them(text: str, count: int) -> None:
    assert len(sentences(text)) == count, sentences(text)


def test_what_fits_is_left_as_it_is() -> None:
    fit = fit_text("One.  Two.\nThree.", Length(3, 400))
    assert (fit.text, fit.shortened) == ("One. Two. Three.", False)


def test_too_many_sentences_end_at_the_last_that_is_allowed() -> None:
    assert fit_text("One. Two. Three. Four.", Length(3, 400)).text == "One. Two. Three."
    assert fit_text("Is it? Yes, it is.", Length(1, 200)).text == "Is it?"


def test_a_quotation_is_not_cut_at_the_end_of_a_sentence_in_it() -> None:
    assert fit_text("“Go. Now.” you said. I went.", Length(1, 200)).text == "“Go. Now.” you said."
    assert fit_text(f"“Go. Now, {'or never, ' * 20}” you said.", Length(1, 40)).text == "“Go."


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("Hm. I like that.", "I like that."),
        (" Ah! I like that. Really.", "I like that. Really."),
        ("Yes.", "Yes."),
        ("Oh, Bob! I like that.", "Oh, Bob! I like that."),
        ("", ""),
    ],
)
def test_where_one_sentence_is_allowed_a_word_before_it_is_not_the_one(text: str, telling: str) -> None:
    assert without_interjection(text, Length(1, 200)) == telling
    assert without_interjection(text, Length(2, 200)) == text


def test_too_many_characters_cost_whole_sentences() -> None:
    assert fit_text(f"Short. A{'a' * 50}.", Length(3, 40)).text == "Short."


def test_one_sentence_that_is_too_long_ends_at_a_clause_or_a_word() -> None:
    long = "I went down to the harbour, where the boats were lying on their sides like cattle in the heat"
    assert fit_text(long, Length(1, 40)).text == "I went down to the harbour…"
    assert (
        fit_text("I went down to the harbour to see the boats", Length(1, 30)).text == "I went down to the harbour to…"
    )
    assert fit_text("a" * 100, Length(1, 20)).text == "a" * 19 + "…"
