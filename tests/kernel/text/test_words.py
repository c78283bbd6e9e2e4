"""Words as the director counts them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.words import common_words, content, function_words, runs, stem, words


def test_case_and_apostrophes_do_not_make_another_word() -> None:
    assert words("Don’t! DON'T — don't...") == ("dont", "dont", "dont")


@pytest.mark.parametrize(
    "family",
    [
        "walk walks walked walking",
        "stop stopped stopping",
        "bake bakes baked baking",
        "tell told telling",
        "take takes took taken taking",
        "give gives gave given giving",
        "choose chooses chose chosen choosing",
        "hide hides hid hidden hiding",
        "go goes went gone going",
        "city cities",
    ],
)
def test_forms_of_one_word_have_one_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("pair", ["past paste", "bus but", "this thing", "need need-not", "glass glad", "ring run"])
def test_other_words_keep_apart(pair: str) -> None:
    one, other = pair.split()
    assert stem(one) != stem(other)


def test_matter_is_what_is_left_without_function_words() -> None:
    assert content("I was going to tell you about the money") == ("tell", "money")


def test_a_script_without_spaces_is_read_two_characters_at_a_time() -> None:
    assert words("金庫の番号") == ("金庫", "庫の", "の番", "番号")


def test_no_word_is_both_function_and_matter() -> None:
    assert not function_words() & common_words() - {stem(word) for word in function_words()}


@given(st.text())
def test_any_text_has_words_and_each_its_stem(text: str) -> None:
    for word in words(text):
        assert word
        assert stem(word)


@given(st.lists(st.text(min_size=1), max_size=8), st.integers(1, 5))
def test_runs_are_as_long_as_asked(sequence: list[str], size: int) -> None:
    assert all(len(run) == size for run in runs(sequence, size))
