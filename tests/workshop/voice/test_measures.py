"""What is measured of a voice, and when nothing is told."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.voice.bands import mean_band, rate_band, share_band
from dramaturg.workshop.voice.languages import function_words, language_of
from dramaturg.workshop.voice.profile import differences, profile_of
from dramaturg.workshop.voice.prose import read_prose, words_of
from dramaturg.workshop.voice.stylometry import FEWEST_WORDS, nearest

SENTENCES = {
    "en": "The man went with his dog into the wood and she saw that he was not alone there.",
    "de": "Der Mann ging mit seinem Hund in den Wald, und sie sah, dass er dort nicht allein war.",
    "fr": "L'homme est entré dans la forêt avec son chien et elle a vu qu'il n'était pas seul.",
    "es": "El hombre entró en el bosque con su perro y ella vio que no estaba solo.",
    "it": "L'uomo entrò nel bosco con il suo cane e lei vide che non era solo.",
    "nl": "De man ging met zijn hond het bos in en zij zag dat hij daar niet alleen was.",
    "pt": "O homem entrou na floresta com o seu cão e ela viu que ele não estava só.",
}


def words_by(author: str, count: int, place: int = 0) -> list[str]:
    """Made-up prose of an author who has habits: some function words come more often, some less."""
    rng, habits = random.Random(f"{author}/{place}"), random.Random(author)
    listed = (*function_words()["en"], "stone", "river", "walk", "bread")
    weights = [habits.uniform(0.4, 2.2) for _ in listed[:-4]] + [40.0] * 4
    return rng.choices(listed, weights, k=count)


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_known_by_its_function_words(language: str) -> None:
    assert language_of(words_of(f"{SENTENCES[language]} " * 8)) == language


@pytest.mark.parametrize(
    "text",
    [
        "Mies meni koiransa kanssa metsään ja nainen näki, ettei hän ollut siellä yksin. ",
        "那人带着狗走进树林。",
        "xyzzy ",
    ],
)
def test_a_language_without_a_list_is_not_taken_for_another(text: str) -> None:
    assert language_of(words_of(text * 40)) == ""
    assert profile_of(read_prose(text * 40)).function_word_share is None


def test_the_nearest_writer_is_told_with_a_band_once_there_are_enough_words() -> None:
    candidates = {name: words_by(name, 9000) for name in ("ada", "ben", "cleo")}
    found = nearest(words_by("ben", 4000, place=1), candidates)
    assert (found.name, found.abstains) == ("ben", "")
    assert found.distances[0].low <= found.distances[0].distance <= found.distances[0].high


@given(st.integers(0, FEWEST_WORDS - 1))
def test_below_2500_words_nobody_is_named(count: int) -> None:
    candidates = {name: words_by(name, FEWEST_WORDS) for name in ("ada", "ben")}
    found = nearest(words_by("ben", FEWEST_WORDS, place=1)[:count], candidates)
    assert found.name == "" and found.abstains.startswith("too short to tell") and found.distances == ()


def test_a_stranger_is_nobody() -> None:
    candidates = {name: words_by(name, 12_000) for name in ("ada", "ben", "cleo")}
    assert nearest(words_by("stranger", 5000), candidates).name == ""


def test_one_candidate_a_short_one_and_one_in_another_language_make_it_abstain() -> None:
    sample, ada = words_by("ada", 3000), words_by("ada", 3000, 1)
    assert "nothing to choose from" in nearest(sample, {"ada": ada}).abstains
    assert "ben has 10" in nearest(sample, {"ada": ada, "ben": ["the"] * 10}).abstains
    german = words_of(f"{SENTENCES['de']} " * 200)
    assert "ben is not in English" in nearest(sample, {"ada": ada, "ben": german}).abstains


def test_a_profile_counts_what_is_there() -> None:
    prose = read_prose("“No,” said Ruth. She went out; it rained.\n\nIt rained all day — she waited…")
    profile = profile_of(prose, hits=2)
    assert profile.words == 14
    assert profile.dialogue_share is not None and profile.dialogue_share.value == pytest.approx(1 / 14, abs=0.001)
    assert profile.punctuation["semicolons"].value == pytest.approx(1000 / 14, abs=0.01)
    assert profile.punctuation["ellipses"].value == profile.punctuation["dashes"].value
    assert profile.lexical_diversity is None, "too few words for a window"
    assert any("too short to tell" in one for one in profile.abstains)


def test_two_short_texts_are_not_told_apart_and_two_long_ones_are() -> None:
    short, long = "He ran. She hid. ", "He ran through the long grass of the meadow until the light was gone. "
    few = differences(profile_of(read_prose(short * 10)), profile_of(read_prose(long * 10)))
    assert {one.tells for one in few} == {"too short to tell"}
    many = differences(profile_of(read_prose(f"{short}\n\n" * 700)), profile_of(read_prose(f"{long}\n\n" * 250)))
    assert next(one for one in many if one.measure == "sentence_length").tells == "differs"


@given(st.lists(st.floats(0, 100), max_size=30), st.integers(0, 500), st.integers(0, 10_000))
def test_a_figure_lies_in_its_band(values: list[float], count: int, words: int) -> None:
    shares = [(int(value) % 3, 2 + int(value)) for value in values]
    for band in (mean_band(values), rate_band(count, words), share_band(shares)):
        assert band is None or band.low <= band.value <= band.high


@given(st.text(max_size=400))
def test_any_text_has_a_profile(text: str) -> None:
    assert profile_of(read_prose(text), hits=0).words >= 0
