"""A talk fades when the player says next to nothing three times in a row, not three times in all."""

from __future__ import annotations

import pytest

from dramaturg.episodes.director import PlayerExchange, direct
from dramaturg.episodes.template import template_from

LONG = "Tell me about the summer when you left."


def pausing(*said: str) -> bool:
    talk = [PlayerExchange(f"m{number}", text, "Mm.") for number, text in enumerate(said, start=1)]
    return direct(template_from({"name": "t", "character": "mina"}), talk).pausing


@pytest.mark.parametrize(
    ("said", "fades"),
    [
        (("Yes.", "No.", "Why not?"), True),
        (("Yes.", "No."), False),
        (("Yes.", "No.", LONG, "Maybe."), False),
        (("Yes.", LONG, "No.", LONG, "Maybe."), False),
        (("Yes.", "No.", LONG, "Well.", "Hm.", "Right."), True),
        (("Yes.", "No.", "Why not at all?"), False),
    ],
)
def test_a_longer_answer_begins_the_count_again(said: tuple[str, ...], fades: bool) -> None:
    assert pausing(*said) is fades
