"""A secret that a sub-goal wants kept is not kept once a line has told it, whatever a judge says."""

from __future__ import annotations

import pytest

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.keeping import Confidence, Secret
from dramaturg.scenes.director.verdict import GoalClaim, Judgement, Verdict, check_judgement

CAST = ("Inés", "Tomás")
WILL = Secret("Inés", "El testamento está enterrado bajo la higuera.")
LOVE = Secret("Inés", "Inés ama a Julián desde la guerra.")


def kept(goal: str, *said: tuple[str, str], secrets: tuple[Secret, ...] = (WILL,)) -> Verdict:
    lines = [QuotableLine(who, text, number) for number, (who, text) in enumerate(said, start=1)]
    claims = Judgement(goals=(GoalClaim(id=1, met=True),))
    confidence = Confidence(secrets, ("Un jardín, de noche. Tomás busca el testamento.", *CAST))
    return check_judgement(claims, (Goal(id=1, text=goal),), lines, cast=CAST, confidence=confidence)


@pytest.mark.parametrize(
    "goal", ["Inés no revela el secreto", "Inés no dice dónde está el testamento", "Tomás no descubre el secreto"]
)
def test_a_holder_who_tells_the_secret_has_not_kept_it(goal: str) -> None:
    verdict = kept(
        goal, ("Tomás", "¿Dónde está?"), ("Inés", "Está enterrado bajo la higuera. Ese es el secreto. Adiós.")
    )
    assert verdict.held == ()
    assert verdict.refused[0].reason == "Inés tells the secret in line 2"


@pytest.mark.parametrize(
    ("who", "line"),
    [
        ("Inés", "El testamento no es asunto tuyo, Tomás."),
        ("Inés", "De mi boca no saldrá una palabra."),
        ("Tomás", "Seguro que está enterrado bajo la higuera."),
    ],
)
def test_a_line_without_the_secret_or_of_somebody_else_leaves_it_kept(who: str, line: str) -> None:
    assert kept("Inés no revela el secreto", (who, line)).held == (1,)


def test_words_that_another_said_before_give_nothing_away() -> None:
    said = (("Tomás", "¿Está enterrado bajo la higuera?"), ("Inés", "¿Bajo la higuera, enterrado? Qué idea."))
    assert kept("Inés no revela el secreto", *said).held == (1,)


def test_another_secret_may_be_told() -> None:
    said = ("Inés", "Amo a Julián desde la guerra, y ya está dicho.")
    assert kept("Inés no dice dónde está el testamento", said, secrets=(WILL, LOVE)).held == (1,)
    assert kept("Inés no revela el secreto", said, secrets=(WILL, LOVE)).held == ()


def test_a_goal_that_is_not_about_telling_has_no_secret() -> None:
    assert kept("Inés no llora", ("Inés", "Está enterrado bajo la higuera.")).held == (1,)
