"""A claim that two people are bound to each other needs a word for it, in a language whose words are known."""

from __future__ import annotations

import pytest

from dramaturg.workshop.consolidation.bonds import names_bond


@pytest.mark.parametrize(
    ("predicate", "sentence"),
    [
        ("loves", "She danced with Corbin Ashdown until the lamps went out."),
        ("hates", "Er saß neben Okoro und sagte nichts."),
        ("married_to", "Elle avait pris le train avec Marc."),
        ("mother_of", "She waited for Ruth at the gate."),
        ("sibling_of", "He had known Otto since school."),
    ],
)
def test_a_sentence_without_a_word_for_a_bond_does_not_tell_of_it(predicate: str, sentence: str) -> None:
    assert not names_bond(predicate, sentence)


@pytest.mark.parametrize(
    ("predicate", "sentence"),
    [
        ("loves", "She had loved Corbin before she could spell his name."),
        ("loves", "Sie hatte ihn auch geliebt, aber das war lange her."),
        ("hates", "Elle le détestait avec soin."),
        ("married_to", "Ann and Otto were married in May."),
        ("married_to", "Anna war seine Frau, und das seit zwölf Jahren."),
        ("mother_of", "Ruth was her daughter, whatever the papers said."),
        ("sibling_of", "He was the elder of the twins."),
        ("occupation", "She waited for Ruth at the gate."),
        ("loves", "Вера ждала его у ворот."),
        ("loves", "Kochał ją od lat."),
    ],
)
def test_a_bond_is_told_by_its_words_and_in_other_languages_by_the_judgement_of_the_model(
    predicate: str, sentence: str
) -> None:
    assert names_bond(predicate, sentence)
