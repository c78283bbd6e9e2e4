"""Verbs whose forms no ending explains are known by any of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dramaturg.scenes.director.deed import alike
from tests.scenes.director.test_unreal import judged

TABLE = yaml.safe_load((Path(__file__).parent / "irregular_verbs.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("goal", "text"), TABLE["denied"])
def test_a_denial_is_one_in_whatever_form_the_verb_stands(goal: str, text: str) -> None:
    assert judged(goal, text).refused[0].reason.startswith("the words ")


@pytest.mark.parametrize(("goal", "text"), TABLE["done"])
def test_a_deed_counts_in_whatever_form_its_verb_stands(goal: str, text: str) -> None:
    assert judged(goal, text).met


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        ("durchgeschnitten", "durchschneidet"),
        ("unterschrieben", "unterschreibt"),
        ("geschossen", "schiesst"),
        ("doorgesneden", "doorsnijdt"),
        ("corsa", "corre"),
        ("encendí", "enciende"),
    ],
)
def test_two_forms_of_one_verb_are_alike(word: str, asked: str) -> None:
    assert alike(word, asked)


@pytest.mark.parametrize(("word", "asked"), [("vergeben", "gibt"), ("verraten", "rät"), ("angezogen", "erzieht")])
def test_what_a_verb_is_joined_with_makes_another_of_it(word: str, asked: str) -> None:
    assert not alike(word, asked)
