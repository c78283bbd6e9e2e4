"""The passive are spoken to, everybody gets a last word, and a scene that gets nowhere is noticed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.presence import (
    last_word_note,
    off_track,
    off_track_note,
    passive,
    passive_note,
    without_last_word,
)


def test_who_is_silent_for_long_is_passive_the_longest_first() -> None:
    assert passive({"Alice": 0, "Bob": 4, "Charlie": 7}, total_beats=10) == ("Charlie", "Bob")


@pytest.mark.parametrize(
    ("silent", "beats"),
    [
        ({"Alice": 0, "Bob": 3}, 10),
        ({"Alice": 0, "Bob": 4}, 4),
        ({"Alice": 5, "Bob": 5}, 10),
        ({}, 10),
    ],
    ids=["not for long", "in the opening", "when all are silent: a stall", "an empty stage"],
)
def test_nobody_is_passive(silent: dict[str, int], beats: int) -> None:
    assert passive(silent, beats) == ()


def test_patience_can_be_set() -> None:
    assert passive({"Alice": 0, "Bob": 2}, 10, patience=2) == ("Bob",)


def test_whoever_spoke_since_the_goal_was_met_has_had_the_last_word() -> None:
    since = [QuotableLine("Bob", "Then that's settled."), QuotableLine("Charlie", " ")]
    assert without_last_word(["Alice", "Bob", "Charlie"], since) == ("Alice", "Charlie")


@pytest.mark.parametrize(
    ("progress", "lost"),
    [
        ([], False),
        ([0.0] * 7, False),
        ([0.0] * 8, True),
        ([0.0, 0.33, *[0.33] * 7], False),
        ([0.0, 0.33, *[0.33] * 8], True),
        ([*[0.0] * 9, 0.33], False),
        ([1.0] * 12, False),
    ],
)
def test_eight_beats_without_progress_are_off_the_track(progress: list[float], lost: bool) -> None:
    assert off_track(progress) is lost


def test_notes_name_who_and_what_they_are_about() -> None:
    assert passive_note("Bob", 5).startswith("Bob, you have kept out of it for 5 beats.")
    assert last_word_note("Alice").startswith("Alice, it is settled")
    assert "Still open: Alice accepts." in off_track_note("Alice accepts. ")


@given(st.dictionaries(st.text(max_size=4), st.integers(0, 20), max_size=5), st.integers(0, 50))
def test_only_members_of_the_cast_are_passive_and_never_all(silent: dict[str, int], beats: int) -> None:
    found = passive(silent, beats)
    assert set(found) <= set(silent)
    assert not silent or len(found) < len(silent)
    assert [silent[name] for name in found] == sorted((silent[name] for name in found), reverse=True)


@given(st.lists(st.floats(0, 1), max_size=30))
def test_a_scene_that_has_just_moved_is_on_track(progress: list[float]) -> None:
    assert not off_track([*progress, max(progress, default=0) + 0.1])
