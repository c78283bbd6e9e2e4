"""Accusations: who is accused, and whether it is meant."""

from __future__ import annotations

import pytest

from dramaturg.episodes.accusation import Case, accusations_in, accused_in, case_of, is_asserted_abroad
from dramaturg.episodes.language import is_english, language_of, likely_languages
from dramaturg.episodes.template import EpisodeTemplate
from tests.episodes.accusations import (
    ABROAD_ACCUSES,
    ABROAD_NOBODY,
    ACCUSES,
    ACCUSES_NOBODY,
    LAST_ACCUSES,
    LAST_NOBODY,
    LEDGER,
    MORE_ACCUSES,
    MORE_NOBODY,
    SPEAKS_WITH,
    TILL_ACCUSES,
    TILL_NOBODY,
)

CASE = Case(tuple((one.name, one.aliases) for one in LEDGER.suspects), SPEAKS_WITH, LEDGER.crime)
BAR = Case((("Ida", ("la cocinera",)), ("Mina", ())), "Mina", "vació la caja")
KEY = {"id": "key", "text": "There are two keys"}
TILL = Case((("Ida", ("the cook",)), ("Mina", ())), "Mina", "emptied the till")


@pytest.mark.parametrize(("said", "who"), [*ACCUSES, *MORE_ACCUSES, *LAST_ACCUSES])
def test_an_accusation_names_whom_it_accuses(said: str, who: str) -> None:
    assert [one.suspect for one in accused_in(said, CASE)] == [who]


@pytest.mark.parametrize("said", [*ACCUSES_NOBODY, *MORE_NOBODY, *LAST_NOBODY])
def test_what_is_asked_denied_supposed_or_reported_accuses_nobody(said: str) -> None:
    assert accused_in(said, CASE) == ()


@pytest.mark.parametrize(("said", "who"), TILL_ACCUSES)
def test_the_deed_may_be_told_in_other_words_than_the_ledger_has_for_it(said: str, who: str) -> None:
    assert [one.suspect for one in accused_in(said, TILL)] == [who]


@pytest.mark.parametrize("said", TILL_NOBODY)
def test_another_deed_or_one_that_is_not_asserted_accuses_nobody_of_the_till(said: str) -> None:
    assert accused_in(said, TILL) == ()


@pytest.mark.parametrize(("said", "who"), ABROAD_ACCUSES)
def test_an_accusation_in_another_language_is_asserted_of_whom_a_model_names(said: str, who: str) -> None:
    assert is_asserted_abroad(said, said, who, BAR)
    assert not is_english(said), "the rules for English leave it to a model"


@pytest.mark.parametrize(("said", "who"), ABROAD_NOBODY)
def test_denials_hearsay_and_conditions_accuse_nobody_in_any_language(said: str, who: str) -> None:
    assert not is_asserted_abroad(said, said, who, BAR)


def test_a_part_of_a_sentence_is_read_with_the_whole_of_it() -> None:
    assert not is_asserted_abroad("fuiste tú", "Ida dice que fuiste tú.", "Mina", BAR)
    assert is_asserted_abroad("fuiste tú", "Ida lo sabe. Y fuiste tú.", "Mina", BAR)


@pytest.mark.parametrize(
    ("card", "name"), [("lucia", "Lucía"), ("zoe", "Zoë Marsh"), ("jose-nunez", "José Núñez"), ("Renée", "Renee")]
)
def test_you_is_the_suspect_whose_card_is_named_without_accents(card: str, name: str) -> None:
    ledger = {
        "crime": "stole the watch",
        "clues": [KEY],
        "suspects": [{"name": name, "guilty": True}, {"name": "Bruno"}],
    }
    template = EpisodeTemplate.model_validate({"name": "vitrine", "character": card, "clue_ledger": ledger})
    case = case_of(template)
    assert case is not None
    assert [one.suspect for one in accused_in("You did it.", case)] == [name]


@pytest.mark.parametrize("typed", ["Zoe", "zoe", "Zoë", "Zoe Núñez", "Zoë Nunez", "Nunez", "Dona Zoe"])
def test_a_name_may_be_typed_without_its_accents(typed: str) -> None:
    case = Case((("Zoë Núñez", ("Doña Zoë",)), ("Ida", ())), "Mina", "emptied the till")
    assert [one.suspect for one in accused_in(f"{typed} emptied the till.", case)] == ["Zoë Núñez"]


def test_names_that_differ_only_in_an_accent_are_told_apart_where_it_is_typed() -> None:
    case = Case((("Ana", ()), ("Aná", ())), "Mina", "emptied the till")
    assert [one.suspect for one in accused_in("Aná emptied the till.", case)] == ["Aná"]
    assert [one.suspect for one in accused_in("Ana emptied the till.", case)] == ["Ana"]


def test_money_is_no_word_for_a_ledger() -> None:
    assert accused_in("You stole the money.", CASE) == ()


@pytest.mark.parametrize(
    "said",
    [
        "Impossible! Otto murdered Marek.",
        "Impossible!",
        "Sin! Otto murdered Marek.",
        "Greed, murder, sin.",
        "Faux tears, Otto!",
    ],
)
def test_a_word_that_english_shares_with_another_language_is_english(said: str) -> None:
    assert is_english(said)
    assert likely_languages(said)[:1] in ((), ("en",))


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Impossible, tu mens !", "fr"),
        ("C'est impossible, Marek.", "fr"),
        ("Otto lo mató sin motivo.", "es"),
        ("Imposible, Marek.", "es"),
        ("Impossível, Marek.", "pt"),
    ],
)
def test_other_words_of_that_language_still_tell_it(said: str, language: str) -> None:
    assert language_of(said) == language
    assert language_of("Impossible !", "fr") == "fr"


def test_the_tables_are_long_enough_to_mean_something() -> None:
    assert len(ACCUSES) + len(ACCUSES_NOBODY) >= 80
    assert len(MORE_ACCUSES) + len(MORE_NOBODY) >= 40


@pytest.mark.parametrize(
    ("said", "stance"),
    [
        ("Did you hear that you took it?", "asked"),
        ("I don't believe it was you.", "denied"),
        ("If it was you, say so.", "supposed"),
        ("Odile says that you took it.", "reported"),
        ("It was you.", "asserted"),
    ],
)
def test_how_it_was_meant_is_kept(said: str, stance: str) -> None:
    assert [one.stance for one in accusations_in(said, CASE)] == [stance]


def test_two_can_be_accused_at_once_and_an_alternative_accuses_neither() -> None:
    both = accused_in("Bastian and Odile took it together.", CASE)
    assert [one.suspect for one in both] == ["Bastian", "Odile Grey"]
    assert accused_in("Maren or Bastian took it.", CASE) == ()


@pytest.mark.parametrize("said", ["you took the " * 700, "it was " * 1500, '"' * 8000, "you , " * 2000, "a " * 4000])
def test_a_long_message_is_read_to_the_end(said: str) -> None:
    assert [one.suspect for one in accused_in(f"{said}. It was Teo.", CASE)][-1:] == ["Teo Brandt"]
