"""A quotation that denies, asks about or supposes the deed of a sub-goal does not show it; honest ones still do."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.verdict import GoalClaim, Judgement, Verdict, check_judgement

TABLE = yaml.safe_load((Path(__file__).parent / "denied_deeds.yaml").read_text(encoding="utf-8"))


def rows(kind: str) -> list[tuple[str, str]]:
    return [(goal, text) for found in TABLE[kind].values() for goal, text in found]


def judged(goal: str, text: str, quote: str = "") -> Verdict:
    """What a judge gets that takes these words of Ines for evidence."""
    claim = GoalClaim(id=1, met=True, quote=quote or text, speaker="Ines")
    line = QuotableLine("Ines", text, 1)
    return check_judgement(Judgement(goals=(claim,)), (Goal(id=1, text=goal),), [line], cast=TABLE["cast"])


def test_the_table_has_both_kinds_in_every_language() -> None:
    assert set(TABLE["undone"]) == set(TABLE["done"]) == set("en de fr es it pt ru tr ar ja zh sv nl pl nb".split())
    assert min(len(rows("undone")), len(rows("done"))) >= 100


@pytest.mark.parametrize(("goal", "text"), rows("undone"))
def test_words_that_leave_the_deed_undone_do_not_show_it(goal: str, text: str) -> None:
    assert judged(goal, text).refused[0].reason.startswith("the words ")


@pytest.mark.parametrize(("goal", "text"), rows("done"))
def test_honest_evidence_counts_whatever_is_denied_beside_it(goal: str, text: str) -> None:
    assert judged(goal, text).met


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I won’t stay until Friday, Tom.", "stay until Friday, Tom"),
        ("No, I won't — not ever — stay until Friday.", "stay until Friday"),
        ("İnan bana, I will not stay until Friday.", "stay until friday"),
    ],
)
def test_a_denial_before_the_quotation_counts_whatever_the_typography(text: str, quote: str) -> None:
    assert not judged("Ines agrees to stay until Friday", text, quote).met


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I will never sign the deed.", "the words deny what the sub-goal asks for"),
        ("Did I sign the deed?", "the words only ask about what the sub-goal asks for"),
        ("If I sign the deed, we lose.", "the words only suppose what the sub-goal asks for"),
    ],
)
def test_the_reason_says_what_the_words_do(text: str, reason: str) -> None:
    assert judged("Ines signs the deed", text).refused[0].reason == reason
