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


@pytest.mark.parametrize(
    "typed", ["Seán O’Brien", "Seán O'Brien", "Sean O'Brien", "SEAN O‘BRIEN", "Sean", "Sea\u0301n O'Brien"]
)
@pytest.mark.parametrize("written", ["Seán O’Brien", "Seán O'Brien", "Sea\u0301n OʼBrien"])
def test_a_name_is_known_with_every_apostrophe_and_every_way_to_encode_an_accent(written: str, typed: str) -> None:
    names = CastNames((written, "Siobhán O’Brien"))
    assert names.resolve(typed) == written
    assert names.find(f"Then {typed} stays") == (written,)


@pytest.mark.parametrize("typed", ["Anne-Marie", "Anne‑Marie", "Anne–Marie Roy", "Anne‐Marie’s"])
def test_a_name_is_known_with_every_hyphen(typed: str) -> None:
    assert CastNames(("Anne-Marie Roy", "Anne Roy")).resolve(typed) == "Anne-Marie Roy"


def test_a_name_that_two_share_may_mean_either_and_nobody_else() -> None:
    names = CastNames(("Anna Kay", "Anna Berg", "Hannah"))
    assert names.resolve("Anna") is None
    assert [name for name in names.names if names.may_mean("Anna", name)] == ["Anna Kay", "Anna Berg"]
    assert [name for name in names.names if names.may_mean("Nurse Kay", name)] == ["Anna Kay"]
    assert not any(names.may_mean(typed, name) for typed in ("Otto", "", "the") for name in names.names)
