"""How a scene ended, and which conditions that meets."""

from __future__ import annotations

import pytest

from dramaturg.scenes.acts.act import FORM, When
from dramaturg.scenes.acts.ending import EndedGoal, SceneEnding, find_goal, holds, told, way_on

GOALS = (
    EndedGoal(id=1, text="Bob Marsh admits that he broke the gate", met=True),
    EndedGoal(id=2, text="Alice forgives him", met=False),
    EndedGoal(id=3, text="ボブが謝る", met=False),
)
ENDING = SceneEnding(
    goal_achieved=False,
    reason="max_beats_exceeded",
    beats=12,
    goals=GOALS,
    cast=("Alice", "Bob Marsh", "Cora"),
    left=("Bob Marsh",),
)
WALKED = ENDING.model_copy(update={"reason": "walked_through", "left": ()})
DONE = ENDING.model_copy(update={"reason": "goal_achieved", "goal_achieved": True})

TABLE = [
    ({"goal": "achieved"}, ENDING, False),
    ({"goal": "achieved"}, DONE, True),
    ({"goal": "achieved"}, WALKED, False),
    ({"goal": "not achieved"}, ENDING, True),
    ({"goal": "not achieved"}, WALKED, True),
    ({"goal": "not achieved"}, DONE, False),
    ({"goal": "walked through"}, WALKED, True),
    ({"goal": "walked through"}, ENDING, False),
    ({"met": 1}, ENDING, True),
    ({"met": 2}, ENDING, False),
    ({"met": 9}, ENDING, False),
    ({"open": 9}, ENDING, False),
    ({"open": [2, 3]}, ENDING, True),
    ({"open": [1, 2]}, ENDING, False),
    ({"met": "bob marsh admits that he broke the gate."}, ENDING, True),
    ({"met": "broke the gate"}, ENDING, True),
    ({"open": "forgives"}, ENDING, True),
    ({"open": "ボブが謝る"}, ENDING, True),
    ({"ended": "max beats exceeded"}, ENDING, True),
    ({"ended": "stalled"}, ENDING, False),
    ({"left": "Bob"}, ENDING, True),
    ({"left": ["Bob", "Alice"]}, ENDING, False),
    ({"left": "Bob"}, WALKED, False),
    ({"met": 1, "left": "Bob", "ended": "max_beats_exceeded"}, ENDING, True),
    ({"met": 1, "goal": "achieved"}, ENDING, False),
]


@pytest.mark.parametrize(("when", "ending", "expected"), TABLE)
def test_a_condition_holds_if_everything_in_it_does(
    when: dict[str, object], ending: SceneEnding, expected: bool
) -> None:
    assert holds(When.model_validate(when), ending) is expected


def test_words_that_fit_two_sub_goals_name_neither() -> None:
    twice = (*GOALS, EndedGoal(id=4, text="Cora forgives the dog", met=True))
    assert find_goal(twice, "forgives") is None
    assert find_goal(twice, "Alice forgives") == 2


def test_the_first_way_on_that_is_open_is_taken_and_says_why() -> None:
    act = FORM.value(
        {
            "scenes": [
                {
                    "scene": "a",
                    "then": [
                        {"when": "achieved", "play": "b"},
                        {"when": {"left": "Bob", "met": 1}, "play": "c"},
                        {"when": {"left": "Bob"}, "play": "d"},
                    ],
                },
                *"bcde",
            ]
        },
        where="act",
        default_name="play",
    )
    assert way_on(act, "a", DONE) == ("b", "the goal was achieved")
    assert way_on(act, "a", ENDING) == ("c", "sub-goal 1 was met and Bob left")
    assert way_on(act, "a", WALKED) == ("e", "nothing else holds")
    assert way_on(act, "b", DONE) == ("e", "in the order of the act")


def test_a_condition_is_told_in_a_sentence() -> None:
    when = When.model_validate({"goal": "not achieved", "open": ["Bob apologizes"], "ended": "stalled"})
    assert told(when) == "the goal was not achieved and “Bob apologizes” was not met and it ended as stalled"
