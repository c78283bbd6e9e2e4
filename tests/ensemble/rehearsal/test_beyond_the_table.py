"""Questions in languages that nobody at the table speaks are told so; English with a foreign name stays English."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.ensemble.rehearsal.abroad import heard_language
from dramaturg.ensemble.rehearsal.questions import read_question
from tests.ensemble.rehearsal.test_unplanned import answers

BEYOND = (Path(__file__).parent / "beyond.txt").read_text(encoding="utf-8").strip().splitlines()
ENGLISH = (
    "Who is Erdoğan?", "Tell me about Łódź.", "Should Ayşe marry Mehmet?", "Will Ayşegül Özdemir win?",
    "Is Ljubljana nice?", "What is an açaí bowl?", "Explain hüzün", "Explain déjà vu", "Is Mário nice?",
    "Who is Nguyễn Phú Trọng?", "Do you like Smørrebrød?", "Ludwig van Beethoven", "Is Nietzsche dead?",
    "Describe Tromsø",
    "Good morning, Agnieszka!", "Hygge?", "Banana", "hi",
)  # fmt: skip
OWN = (
    ("¿Qué es el coraje?", "es"), ("que te hace feliz", "es"), ("Dois-je quitter mon travail ?", "fr"),
    ("Raconte une blague", "fr"),
)  # fmt: skip


def kind_of(question: str) -> str:
    read = read_question(question)
    return read.language or read.kind


@pytest.mark.parametrize("question", BEYOND)
def test_a_language_that_nobody_planned_for_is_foreign(question: str) -> None:
    assert kind_of(question) == "foreign"


@pytest.mark.parametrize("question", ENGLISH)
def test_a_short_english_question_with_an_odd_name_stays_english(question: str) -> None:
    assert kind_of(question) not in ("foreign", "deutsch", "es", "fr")


@pytest.mark.parametrize(("question", "language"), OWN)
def test_the_tables_own_languages_stay_its_own(question: str, language: str) -> None:
    assert kind_of(question) == language


@pytest.mark.parametrize(
    "said",
    [
        "Não quero mais viver",
        "Voglio morire.",
        "Yaşamak istemiyorum",
        "Ik wil dood",
        "Nie chcę już żyć",
        "Хочу умереть",
    ],
)
def test_despair_is_taken_seriously_in_languages_that_nobody_speaks(said: str) -> None:
    assert read_question(said).kind == "grave"
    assert all("rain" not in text and "shelves" not in text for text in answers(said).values())


def test_portuguese_is_answered_with_the_languages_there_are_and_not_in_spanish() -> None:
    said = answers(BEYOND[0]).values()
    assert all("English" in text for text in said), said


def test_portuguese_is_no_spanish_where_the_voices_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dramaturg.voices.extra.lacking", lambda *modules: modules)
    heard_language.cache_clear()
    assert kind_of(BEYOND[0]) == kind_of(BEYOND[4]) == "foreign"
    heard_language.cache_clear()
