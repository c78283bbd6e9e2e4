"""A sub-goal that a deed is left undone is not met by the lines for that deed."""

from __future__ import annotations

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.rehearsal.outline import Step, outline_of
from dramaturg.scenes.rehearsal.playbook import Playbook

BO = (
    "When apologizing: I'm sorry.",
    "When signing: There, signed.",
    "When refusing: No.",
    "Wenn er gesteht: Ich war es.",
)
IDA = ("When forgiving: I forgive you.", "Rain again.")


def plan(goal: str) -> tuple[Step, ...]:
    cast = (Part("Bo", "", (("Lines", BO),)), Part("Ida", "", (("Lines", IDA),)))
    return outline_of(Playbook("own", "They meet.", (goal,), cast, "Bo", seed=1, max_beats=40))


@pytest.mark.parametrize(
    "goal",
    [
        "Bo fails to apologize",
        "Bo declines to apologize",
        "Bo stops short of apologizing",
        "Bo leaves the room without apologizing",
        "Bo pretends he is apologizing",
        "Bo can't bring himself to apologize",
        "Bo hardly apologizes",
        "Bo would rather die than be caught apologizing",
        "Ida withholds forgiving him",
        "Ida talks Bo out of signing",
        "Neither apologizing nor signing helps",
        "Bo gesteht nicht",
    ],
)
def test_a_deed_that_is_to_be_left_undone_is_walked_through_and_its_line_not_said(goal: str) -> None:
    steps = plan(goal)
    assert [step.walked for step in steps if step.goal] == [True]
    assert not [step for step in steps if step.deed]


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("Bo apologizes", "I'm sorry."),
        ("Bo apologizes without excuses", "I'm sorry."),
        ("Bo refuses to pay", "No."),
        ("Bo gesteht, dass er nicht gezahlt hat", "Ich war es."),
        ("Ida forgives him, though he did not ask", "I forgive you."),
    ],
)
def test_a_deed_that_is_to_be_done_is_performed_whatever_else_is_denied(goal: str, said: str) -> None:
    assert [step.text for step in plan(goal) if step.deed] == [said]


@pytest.mark.parametrize(("goal", "performed"), [("李雷道歉", True), ("李雷不道歉", False), ("李雷拒绝道歉", False)])
def test_a_sign_of_denial_counts_where_words_are_not_divided(goal: str, performed: bool) -> None:
    cast = (Part("李雷", "", (("Lines", ("When 道歉: 对不起。",)),)), Part("韩梅梅", "", ()))
    steps = outline_of(Playbook("own", "They meet.", (goal,), cast, "李雷", seed=1, max_beats=40))
    assert any(step.deed for step in steps) is performed
