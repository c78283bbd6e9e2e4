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
        "Bo hardly apologizes",
        "Bo would rather die than be caught apologizing",
        "Ida withholds forgiving him",
        "Ida talks Bo out of signing",
    ],
)
def test_a_deed_that_is_to_be_left_undone_is_walked_through_and_its_line_not_said(goal: str) -> None:
    steps = plan(goal)
    assert [step.walked for step in steps if step.goal] == [True]
    assert not [step for step in steps if step.deed]


@pytest.mark.parametrize(
    "goal", ["Bo can't bring himself to apologize", "Neither apologizing nor signing helps", "Bo gesteht nicht"]
)
def test_what_must_not_happen_has_no_step_and_its_line_is_not_said(goal: str) -> None:
    assert not [step for step in plan(goal) if step.goal or step.deed]


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


@pytest.mark.parametrize(
    "goal",
    [
        "Bo apologizes twice",
        "Bo apologizes three times",
        "Bo apologizes only if Ida does",
        "Ida forgives him only after he signs",
        "Bo signs unless Ida cries",
        "Bo gesteht nur wenn Ida geht",
        "Ida keeps forgiving him until he laughs",
    ],
)
def test_one_line_for_a_deed_does_not_show_more_than_the_deed(goal: str) -> None:
    steps = plan(goal)
    assert [step.walked for step in steps if step.goal] == [True]


@pytest.mark.parametrize(
    ("goal", "row", "performed"),
    [
        ("Bo apologizes", "When apologizing: I will never apologize to you.", False),
        ("Bo apologizes", "When apologizing: I'm not sorry.", False),
        ("Bo apologizes", "When apologizing: Apologize? I refuse to apologize.", False),
        ("Bo apologizes", "When apologizing: I can't tell you how sorry I am.", True),
        ("Bo apologizes", "When apologizing: I didn't call you, and I'm sorry.", True),
        ("Bo agrees", "When agreeing: I couldn't agree more.", True),
        ("Bo agrees", "When agreeing: I don't agree.", False),
        ("Bo refuses to sign", "When refusing: I will not sign that.", True),
        ("Bo admits that he never apologized", "When admitting: I never said sorry, not once.", True),
        ("Bo promises not to lie again", "When promising: I promise, I won't lie to you again.", True),
        ("Bo gesteht", "Wenn er gesteht: Ich gestehe nichts, nicht einmal das.", False),
        ("Bo verzeiht ihr", "Wenn er verzeiht: Ich werde dir nie verzeihen.", False),
        ("Bo apologizes twice", "When apologizing twice: I'm sorry. I'm sorry, again.", True),
    ],
)
def test_a_line_that_denies_what_it_is_keyed_for_does_not_do_it(goal: str, row: str, performed: bool) -> None:
    cast = (Part("Bo", "", (("Lines", (row,)),)), Part("Ida", "", ()))
    steps = outline_of(Playbook("own", "They meet.", (goal,), cast, "Bo", seed=1, max_beats=40))
    assert any(step.deed for step in steps) is performed
