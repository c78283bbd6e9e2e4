"""A member of the cast is known by any part of the name that no other has, as people type it."""

from __future__ import annotations

import pytest

from dramaturg.scenes.director.goals import split_goal
from dramaturg.scenes.director.names import CastNames


@pytest.mark.parametrize("typed", ["Zoltán", "Zoltan", "zoltan", "Zoli", "Kiss", "Zoltan's", 'Zoltán "Zoli" Kiss'])
def test_a_name_is_known_without_its_accents_and_by_its_nickname(typed: str) -> None:
    names = CastNames(('Zoltán "Zoli" Kiss', "Ulla"))
    assert names.resolve(typed) == 'Zoltán "Zoli" Kiss'
    assert names.find(f"Then {typed} stays") == ('Zoltán "Zoli" Kiss',)


def test_a_goal_is_split_at_a_name_without_its_accents() -> None:
    goals = split_goal("Ulla fails to apologize, Zoltan declines to forgive her", ('Zoltán "Zoli" Kiss', "Ulla"))
    assert [goal.text for goal in goals] == ["Ulla fails to apologize", "Zoltan declines to forgive her"]


def test_an_accent_that_tells_two_apart_is_needed() -> None:
    names = CastNames(("José", "Jose"))
    assert (names.resolve("José"), names.resolve("Jose")) == ("José", "Jose")


def test_signs_that_are_letters_of_their_own_are_kept() -> None:
    assert CastNames(("がく", "かく")).resolve("かく") == "かく"
