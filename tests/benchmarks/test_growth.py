"""How work grows: the arithmetic of the table, and that beats, scenes and players really do not grow faster."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import growth, plot, scenes
from benchmarks.figures import BenchRun, Figure
from benchmarks.growth import Grown, Step, Work
from tests.work_count import WorkCount

ALLOWED = 1.25
"""How many calls one may take among many, beside one among few."""

ALLOWED_LATER = 1.04
"""The same for the beats of the second half of a scene, beside as many of the first; those who count are ours alone."""


def test_twice_the_work_for_twice_as_many_is_linear_and_four_times_is_not() -> None:
    steps = [Step(10, 1000, 0.1), Step(20, 2000, 0.2), Step(40, 16_000, 0.4)]
    rows = growth.growth_table("scenes", steps).splitlines()[2:]
    assert [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows] == [
        ["10", "1", "1.00", "10.0", "1.00"],
        ["20", "2", "1.00", "10.0", "1.00"],
        ["40", "16", "4.00", "10.0", "1.00"],
    ]


@pytest.mark.parametrize(
    ("make", "counts"), [(growth.beats, (6, 18)), (growth.scenes_at_once, (3, 9)), (growth.players_at_once, (3, 9))]
)
async def test_the_calls_for_each_do_not_grow_with_their_number(make: Work, counts: tuple[int, int]) -> None:
    async with scenes.provider(0) as url:
        few, many = await growth.growth(make(url), counts)
    assert many.calls > few.calls
    assert many.calls / many.count <= ALLOWED * few.calls / few.count


async def test_a_late_beat_of_a_long_scene_takes_no_more_calls_than_an_early_one() -> None:
    counts, calls = (20, 35, 50), list[int]()
    async with scenes.provider(0) as url:
        play = growth.beats(url)
        await play(counts[-1])  # what is read once of a text is read
        for count in counts:
            with WorkCount("dramaturg.scenes", "dramaturg.kernel.models").installed() as counted, counted.counting():
                await play(count)
            calls.append(counted.calls)
    early, late = calls[1] - calls[0], calls[2] - calls[1]
    assert late <= ALLOWED_LATER * early


async def test_players_at_once_are_given_beside_as_many_requests_by_hand() -> None:
    told = await growth.at_once(players=2, rounds=1)
    assert "2 players speak at once" in told
    assert "× the bare client" in told


def test_what_is_kept_is_read_back_and_drawn_with_the_processes_of_the_bench(tmp_path: Path) -> None:
    grown = [Grown("beats & more", (Step(5, 1000, 0.1), Step(10, 1500, 0.2)))]
    read = growth.read_grown(growth.keep(grown, "2026-01-02T0304", tmp_path))
    paces = [Figure(f"beats/s, 200 scenes, {count} processes on Postgres", "× one", (count / 2,)) for count in (8, 2)]
    shown = plot.panels(read, BenchRun({}, tuple(paces)))
    assert [panel.points for panel in shown] == [((5, 1.0), (10, 1.5)), ((1, 1.0), (2, 1.0), (8, 4.0))]
    drawn = ElementTree.fromstring(plot.svg(shown))
    assert len(drawn.findall(".//{*}circle")) == 5
    assert "beats & more" in "".join(drawn.itertext())
