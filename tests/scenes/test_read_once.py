"""What many scenes have in common is read once: goals and cards cost next to nothing when they come again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dramaturg.characters import parse_card
from dramaturg.kernel.errors import CharacterLoadError
from dramaturg.scenes.director.goals import Goal, is_lasting, split_goal, walked_text
from dramaturg.scenes.director.names import CastNames
from tests.work_count import WorkCount

NAMES = ("Ilse Brandt", "Tomasz Zieliński", "Odile")
TEXT = "Tomasz Zieliński returns the borrowed sextant, and Ilse Brandt never mentions the auction again."
CARD = "# Ilse Brandt - Instrument maker\n\n## Personality\n" + "- Counts what others lose\n" * 40


@pytest.mark.parametrize(
    "read",
    [
        lambda: split_goal(TEXT, NAMES),
        lambda: is_lasting(Goal(id=1, text=TEXT)),
        lambda: walked_text(Goal(id=2, text=TEXT), CastNames(NAMES)),
        lambda: parse_card("ilse", CARD),
    ],
    ids=["split_goal", "is_lasting", "walked_text", "parse_card"],
)
def test_the_same_text_is_read_once(read: Callable[[], object]) -> None:
    work = WorkCount()
    with work.installed():
        with work.counting():
            first = read()
        once = work.calls
        with work.counting():
            again = read()
    assert again == first
    assert work.calls < 20 < once


def test_another_cast_or_another_text_is_read_anew() -> None:
    assert split_goal("Mara pays, Tom leaves", ("Mara", "Tom")) != split_goal("Mara pays, Tom leaves", ("Ann", "Bo"))
    assert is_lasting(Goal(id=1, text="Mara never pays")) is not is_lasting(Goal(id=1, text="Mara pays"))
    assert parse_card("ilse", CARD) != parse_card("ilse", CARD + "- One more\n")
    assert parse_card("ilse", CARD) != parse_card("other", CARD)


def test_a_card_that_cannot_be_read_is_refused_every_time() -> None:
    for _ in range(2):
        with pytest.raises(CharacterLoadError, match="empty"):
            parse_card("ilse", " ")
