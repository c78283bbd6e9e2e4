"""Whose turn it is among helped models, and what they are offered."""

from __future__ import annotations

from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.line import Line
from dramaturg.scenes.turns import GoalOffer, enough_lines, goal_offer, whose_turn

TWO, THREE = ("Ann", "Ben"), ("Ann", "Ben", "Cleo")
CAST = CastNames(TWO)
GOALS = (Goal(id=1, text="Ann confesses"), Goal(id=2, text="Ben forgives her"), Goal(id=3, text="nobody shouts"))


def said(*speakers: str, to: str | None = None) -> list[Line]:
    lines = [Line(number=at + 1, beat=at, speaker=who, content="So.") for at, who in enumerate(speakers)]
    return [*lines[:-1], lines[-1].model_copy(update={"target": to})] if to else lines


def failed(who: str, beat: int) -> Line:
    return Line(number=beat + 1, beat=beat, kind="system", content=f"{who} unable to respond")


def test_two_take_turns() -> None:
    assert [whose_turn(TWO, said(*row), len(row)) for row in (["Ann"], ["Ann", "Ben"])] == ["Ben", "Ann"]


def test_whoever_is_spoken_to_answers() -> None:
    assert whose_turn(THREE, said("Ann", to="Cleo"), 1) == "Cleo"
    assert whose_turn(THREE, said("Ann"), 1) == "Ben"


def test_a_third_is_not_shut_out_by_two_who_address_each_other() -> None:
    lines, row = said("Ann", to="Ben"), []
    for beat in range(1, 12):
        row.append(whose_turn(THREE, lines, beat))
        other = "Ann" if row[-1] == "Ben" else "Ben"
        lines.append(Line(number=beat + 1, beat=beat, speaker=row[-1], content="So.", target=other))
    assert row.count("Cleo") >= 2


def test_nobody_speaks_to_themselves_twice_in_a_row() -> None:
    assert whose_turn(TWO, said("Ann", to="Ann"), 1) == "Ben"


def test_a_turn_that_brought_nothing_passes_on() -> None:
    assert whose_turn(TWO, said("Ann"), 1) == "Ben"
    assert whose_turn(TWO, said("Ann"), 2) == "Ann"
    assert whose_turn(TWO, [*said("Ann"), failed("Ben", 1)], 2) == "Ann"
    assert whose_turn(TWO, [], 1) != whose_turn(TWO, [], 2)


def test_one_among_others_answers_them_and_does_not_talk_on_alone() -> None:
    assert whose_turn(("Ann",), said("Ben"), 1) == "Ann"
    assert whose_turn(("Ann",), said("Ben", "Ann"), 2) == ""
    assert whose_turn(("Ann",), said("Ben", "Ann"), 3) == "Ann"
    assert whose_turn((), said("Ben"), 1) == ""


def test_without_a_judge_every_sub_goal_has_its_time() -> None:
    offers = [goal_offer(GOALS, said(*["Ann"] * count), CAST, judged=False) for count in range(9)]
    assert [offer and (offer.goal.id, offer.due) for offer in offers] == [
        (1, False), (1, False), (1, True), (1, True), (2, False), (2, False), (2, True), (2, True), None,
    ]  # fmt: skip
    assert enough_lines(2, 2) == 8


def test_a_judge_decides_when_the_next_one_is_open() -> None:
    assert goal_offer(GOALS[1:], said(*["Ann"] * 9), CAST, judged=True) == GoalOffer(GOALS[1], due=False)


def test_what_was_walked_through_is_not_offered_again() -> None:
    walked = Line(number=1, beat=0, speaker="Ann", action="react", nonverbal="confesses")
    offer = goal_offer(GOALS, [walked], CAST, judged=False)
    assert offer is not None
    assert offer.goal.id == 2
