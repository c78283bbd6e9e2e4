"""Signs that are looked for by their words first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.model_notes import refusal, thoughts
from dramaturg.model_notes.signs import Sign

SIGNS = (*thoughts._ABOUT_THE_ANSWER, refusal._ALWAYS)
LETTERS = st.characters(codec="utf-8", exclude_characters="ıİſK")
"""Without the four letters that are another one in a pattern that ignores case."""


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.words[0])
@given(data=st.data())
def test_whatever_the_pattern_of_a_sign_matches_holds_one_of_its_words(sign: Sign, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(sign.pattern, alphabet=LETTERS))
    assert sign.is_in(text, text.casefold())


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.words[0])
def test_no_word_of_a_sign_is_another_with_more_letters(sign: Sign) -> None:
    assert not [(one, other) for one in sign.words for other in sign.words if one != other and one in other]


def test_words_without_their_pattern_are_no_sign() -> None:
    assert not thoughts.is_reasoning("The users form a queue. Answer me, you character!")
    assert not refusal.declines_to_play("What role do I have in your policy?", tagged=False)


@pytest.mark.parametrize(
    "words",
    [
        "Es tut mir leid, aber bei dieser Anfrage kann ich nicht helfen.",
        "Ich kann Ihnen mit dieser Anfrage leider nicht weiterhelfen.",
        "Je suis désolé, mais je ne peux pas répondre à cette demande.",
        "Lo siento, pero no puedo ayudarte con esa solicitud.",
        "Mi dispiace, ma non posso soddisfare questa richiesta.",
        "Desculpe, mas não posso atender a esse pedido.",
        "Het spijt me, maar met dit verzoek kan ik je niet helpen.",
    ],
)
def test_a_model_declines_in_the_languages_it_answers_in(words: str) -> None:
    assert refusal.declines_to_play(words, tagged=False)
    assert not refusal.declines_to_play(words, tagged=True)


@pytest.mark.parametrize(
    "words",
    [
        "Ich kann dir nicht helfen, Anna.",
        "Je ne peux pas rester, et tu le sais.",
        "No puedo ayudarte con la barca.",
        "Non posso perdonarti.",
        "Não posso vender o barco.",
    ],
)
def test_a_character_declines_in_the_same_languages(words: str) -> None:
    assert not refusal.declines_to_play(words, tagged=False)
