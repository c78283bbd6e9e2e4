"""How long a scene of the rehearsal company is: as long as its lines, and a beat or two for each sub-goal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.rehearsal.outline import beats_of, outline_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from tests.scenes.rehearsal.small_stage import play

GOALS = (
    "Ann gives the boat back",
    "Ben names the buyer",
    "Cleo refuses the money",
    "Ann asks Cleo to stay",
    "nobody leaves",
)
KEYS = ("", "When pressing: ", "At the end: ", "When cornered: ", "When giving the boat back: ")


def of(goals: tuple[str, ...], lines: dict[str, list[str]], seed: int) -> Playbook:
    cast = tuple(Part(name, "", (("Lines", tuple(rows)),)) for name, rows in lines.items())
    return Playbook("own", "They meet on the quay.", goals, cast, "Ann", seed=seed, max_beats=200)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Playbook, int]:
    goals = tuple(draw(st.lists(st.sampled_from(GOALS), min_size=1, max_size=4, unique=True)))
    counts = {name: draw(st.integers(0, 25)) for name in ("Ann", "Ben", "Cleo")}
    lines = {
        name: [f'{draw(st.sampled_from(KEYS))}"{name} has point {number} to make."' for number in range(count)]
        for name, count in counts.items()
    }
    return of(goals, lines, draw(st.integers(0, 5))), sum(counts.values())


@settings(max_examples=150)
@given(scenes())
def test_a_plan_has_no_more_beats_than_lines_and_two_for_each_sub_goal(drawn: tuple[Playbook, int]) -> None:
    book, lines = drawn
    assert beats_of(outline_of(book)) <= lines + 2 * len(book.goals)


@pytest.mark.parametrize("count", range(1, len(GOALS)))
async def test_a_scene_that_nobody_wrote_lines_for_is_a_beat_or_two_for_each_sub_goal(count: int) -> None:
    book = of(GOALS[:count], {"Ann": [], "Ben": [], "Cleo": []}, seed=1)
    walked = await play(replace(book, max_beats=30))
    last = max(line.beat for line in walked.lines if line.kind == "line")
    assert last + 1 <= 2 * count
    assert not walked.spoken
