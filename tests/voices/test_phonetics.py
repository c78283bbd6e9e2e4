"""Words as sounds: phrases that fit into a breath, and when each word is heard."""

import pytest

from dramaturg.voices.providers.graph import with_output
from dramaturg.voices.providers.phonetics import Phonetics, Phrase, Pronunciation


@pytest.fixture(scope="module")
def phonetics() -> Phonetics:
    return Phonetics(british=False)


def said(phrase: Phrase) -> str:
    return " ".join(piece.text for piece in phrase.pieces if any(letter.isalnum() for letter in piece.text))


def test_sentences_are_spoken_together_while_they_fit(phonetics: Phonetics) -> None:
    text = "Come in. Sit down. Dr. Smith is late."
    assert [said(phrase) for phrase in phonetics.phrases(text, 500, together=True)] == [
        "Come in Sit down Dr Smith is late"
    ]
    assert len(phonetics.phrases(text, 500, together=False)) == 3
    assert [said(phrase) for phrase in phonetics.phrases(text, 24, together=True)][:1] == ["Come in Sit down"]


@pytest.mark.parametrize("most", [12, 40, 100])
def test_no_phrase_is_longer_than_a_breath_and_no_word_is_lost(phonetics: Phonetics, most: int) -> None:
    text = "When the rain had stopped, and the others had gone, she went out again without a word to anybody at all."
    phrases = phonetics.phrases(text, most, together=True)
    assert all(len(phrase.sounds) <= most for phrase in phrases)
    assert all(phrase.sounds[-1] != phrase.space for phrase in phrases)
    assert " ".join(said(phrase) for phrase in phrases) == text.replace(",", "").rstrip(".")


def test_a_long_sentence_is_parted_at_a_comma_if_there_is_one(phonetics: Phonetics) -> None:
    first, _ = phonetics.phrases("When the rain stopped, she went out again.", 40, together=True)
    assert said(first) == "When the rain stopped"


def test_what_has_no_words_has_no_phrases(phonetics: Phonetics) -> None:
    assert phonetics.phrases("… — !", 400, together=True) == []


def test_words_are_timed_by_how_long_their_sounds_are_held() -> None:
    pieces = (
        Pronunciation("Hi", (1, 2), spaced=True),
        Pronunciation("you", (3,), spaced=False),
        Pronunciation(".", (4,), spaced=True),
    )
    phrase = Phrase(pieces, space=9)
    assert phrase.sounds == (1, 2, 9, 3, 4, 9)
    first, second = phrase.times([10, 2, 2, 1, 4, 1, 0, 20], seconds=4.0)
    assert (first.word, first.start, first.end) == ("Hi", 0.95, 1.35)
    assert (second.word, second.start, second.end) == ("you", 1.45, 1.85)


def test_a_model_is_extended_and_not_changed() -> None:
    model = b"\x08\x07anything"
    assert with_output(model, "/x").startswith(model)
    assert with_output(model, "/x" * 100)[len(model) :].count(b"/x") == 100
