"""A goal in prose becomes sub-goals."""

import pytest

from dramaturg.scenes.director.goals import goal_text, situation, split_goal

CAST = ("Alice", "Bob", "Charlie")

SPLITS = {
    "Bob gives sincere apology, Alice accepts, they agree on accountability measures.": [
        "Bob gives sincere apology",
        "Alice accepts",
        "they agree on accountability measures",
    ],
    "Bob apologizes sincerely, Alice accepts and they agree on next steps.": [
        "Bob apologizes sincerely",
        "Alice accepts",
        "they agree on next steps",
    ],
    "Bob apologizes to Alice for being late. Alice accepts.": [
        "Bob apologizes to Alice for being late",
        "Alice accepts",
    ],
    "Alice admits she sold the map and the ring": ["Alice admits she sold the map and the ring"],
    "Alice names the date, the place and the price; then Bob agrees": [
        "Alice names the date, the place and the price",
        "Bob agrees",
    ],
    "Bob leaves, then Alice tells Charlie the truth": ["Bob leaves", "Alice tells Charlie the truth"],
}


@pytest.mark.parametrize("text", SPLITS, ids=lambda text: text[:40])
def test_a_goal_is_divided_where_a_new_subject_begins(text: str) -> None:
    assert [goal.text for goal in split_goal(text, CAST)] == SPLITS[text]


def test_the_goal_is_what_follows_the_mark_in_the_prompt() -> None:
    prompt = "Bob is late.\n  Scene goal: Bob apologizes,\n  Alice accepts."
    assert goal_text(prompt) == "Bob apologizes, Alice accepts."


def test_a_goal_of_its_own_wins_over_the_prompt() -> None:
    assert goal_text("Scene goal: they fight.", "They make up.") == "They make up."


def test_without_a_mark_the_whole_prompt_is_the_goal() -> None:
    assert goal_text("Alice confronts Bob.\nCharlie mediates.") == "Alice confronts Bob. Charlie mediates."


def test_many_sub_goals_are_kept_in_the_last_one() -> None:
    goals = split_goal(". ".join(f"Bob does thing {n}" for n in range(20)), CAST)
    assert len(goals) == 8
    assert "thing 19" in goals[-1].text


def test_the_situation_is_the_prompt_without_its_goal() -> None:
    assert situation("Bob is late. Scene goal: Bob apologizes.") == "Bob is late."
    assert situation("Goal: they part.") == "Goal: they part."


def test_a_number_with_nothing_behind_it_is_no_sub_goal() -> None:
    goals = split_goal("1) Bob confesses\n2) Alice forgives him\n3)\n", ("Alice", "Bob"))
    assert [goal.text for goal in goals] == ["Bob confesses", "Alice forgives him"]
