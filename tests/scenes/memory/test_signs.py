"""What a line gives away."""

import pytest

from dramaturg.scenes.memory.signs import acts_in, acts_named, feeling_of


@pytest.mark.parametrize(
    ("line", "acts"),
    [
        ("I'm sorry, Alice.", ["apology"]),
        ("I am not sorry.", []),
        ("I won't say that I'm sorry.", []),
        ("If I said I'm sorry, would it help?", []),
        ("Shall I say I'm sorry?", []),
        ("I can't. I'm sorry.", ["apology"]),
        ("I forgive you.", ["forgiveness"]),
        ("I don't forgive you.", ["rejection"]),
        ("You have my word.", ["promise"]),
        ("How could you?", ["accusation"]),
        ("I admit it. I'm sorry. Thank you for asking.", ["confession", "apology", "thanks"]),
        ("The tea is cold.", []),
        ("", []),
    ],
)
def test_an_act_is_found_where_it_is_done_and_not_where_it_is_denied_supposed_or_asked(
    line: str, acts: list[str]
) -> None:
    assert [act.name for act in acts_in(line)] == acts


@pytest.mark.parametrize(
    ("goal", "acts"),
    [
        ("Bob promises to pay", ["promise"]),
        ("Bob finally apologizes", ["apology"]),
        ("Bob breaks his promise", []),
        ("Alice forgives Bob", []),
        ("they agree on a plan", []),
    ],
)
def test_a_sub_goal_names_the_act_that_it_asks_of_somebody(goal: str, acts: list[str]) -> None:
    assert [act.name for act in acts_named(goal, "Bob")] == acts


def test_a_tone_in_free_words_has_the_feeling_of_the_words_that_are_known() -> None:
    assert feeling_of("quietly furious") == feeling_of("furious")
    assert feeling_of("furious").regard < 0 < feeling_of("warm").regard
    assert feeling_of("warm, then furious").regard == (feeling_of("warm").regard + feeling_of("furious").regard) / 2
    assert not feeling_of("like a heron").known
