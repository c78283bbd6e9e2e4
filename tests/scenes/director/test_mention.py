"""Words that only name what a sub-goal asks for do not show it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.verdict import GoalClaim, Judgement, Verdict, check_judgement

TABLE = yaml.safe_load((Path(__file__).parent / "spoken_of.yaml").read_text(encoding="utf-8"))


def judged(goal: str, line: QuotableLine) -> Verdict:
    """What a judge gets that takes this line for evidence."""
    claim = GoalClaim(id=1, met=True, quote=line.text, speaker=line.speaker)
    return check_judgement(Judgement(goals=(claim,)), (Goal(id=1, text=goal),), [line], cast=TABLE["cast"])


@pytest.mark.parametrize(("goal", "text"), TABLE["only_named"])
def test_a_statement_about_a_thing_does_nothing(goal: str, text: str) -> None:
    verdict = judged(goal, QuotableLine("Ines", text, 1))
    assert [refused.reason for refused in verdict.refused] == ["the words only speak of what the sub-goal asks for"]


@pytest.mark.parametrize(("goal", "text"), TABLE["done"])
def test_a_deed_counts_in_whatever_form_it_is_done(goal: str, text: str) -> None:
    assert judged(goal, QuotableLine("Ines", text, 1)).met


def test_what_is_done_on_stage_is_told_as_a_statement_and_counts() -> None:
    goal, told = "Ines accepts the letter", "The letter goes into her pocket, and stays there."
    assert judged(goal, QuotableLine("Ines", told, 1, deed=True)).met
    assert not judged(goal, QuotableLine("Ines", told, 1)).met
